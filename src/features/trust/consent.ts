import { allowedHash } from "../../config/gauntlet/gates-hash.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import type { GatesDefinition } from "../../config/settings.ts";
import { differences, inOneLine, type GateChange } from "./gate-differences.ts";
import type { Considered, Stop } from "../../stop/handle-stop.ts";
import { allow, type Verdict } from "../../stop/verdict.ts";
import type { AbsolutePath } from "../../path.ts";
import { type Session, type SessionStart, withAcceptedSettings } from "../../stop/session.ts";
import type { Settings } from "../../config/settings.ts";
import { explain, ok, type Result } from "../../trouble.ts";
import { registeredMain } from "../../system/git/places.ts";
import type { Environment } from "../../system/process/environment.ts";
import { type Consent, readConsent, readDefinition, keepDefinition, writeConsent } from "./gates-store.ts";
import { isSameProject } from "./which-project.ts";
import { now } from "../../system/clock.ts";
import { listSessions, updateSessions } from "../../stop/session-store.ts";

type Consented =
  Allowed | { readonly kind: "not-allowed"; readonly detail: string; readonly notice?: string };

interface Allowed {
  readonly kind: "allowed";
  readonly judgedBy?: GatesDefinition;
}

export async function consentToStop(
  { env }: Stop,
  { root, session, notices }: Considered,
): Promise<Allowed | { readonly kind: "not-allowed"; readonly verdict: Verdict }> {
  const consent = await consentTo(root, session.value, env);
  if (consent.kind === "allowed") return consent;
  const { kind, detail, notice } = consent;
  if (notice !== undefined) notices.add({ rank: "not checked", key: notice, text: notice });
  return { kind, verdict: allow("not_allowed", { detail }) };
}

/**
 * Asked before anything of the project runs, git included. If a session began with the allowed gates, changing them does not
 * end checking: the allowed ones still apply.
 */
export async function consentTo(root: AbsolutePath, session: Session, env: Environment): Promise<Consented> {
  const consent = consentFor(root, env);
  if (consent?.decision === "denied")
    return { kind: "not-allowed", detail: "you denied it; `agent-gauntlet allow` takes that back" };
  const loaded = await loadSettingsQuickly(root, env);
  const now = loaded.ok ? loaded.value.settings : undefined;
  if (now !== undefined && allowedHashes(consent, env).includes(allowedHash(now))) return { kind: "allowed" };
  const began = gatesAtBeginning(session, root, env);
  if (began !== undefined && allowedByVariable(env).includes(allowedHash(began)))
    return { kind: "allowed", judgedBy: began };
  if (consent?.definition === undefined)
    return unknown(root, loaded.ok ? undefined : explain(loaded.trouble));
  const { definition } = consent;
  const beganAllowed = began === undefined || allowedHash(began) === consent.hash; // without a beginning, the change may be the user's
  return beganAllowed ? { kind: "allowed", judgedBy: definition } : changed(root, definition, now);
}

/** A registered linked work tree counts as its main project. */
export function consentFor(root: string, env: Environment): Consent | undefined {
  const own = readConsent(root, env);
  const main = own === undefined ? registeredMain(root) : undefined;
  return own ?? (main === undefined ? undefined : readConsent(main, env));
}

function allowedHashes(consent: Consent | undefined, env: Environment): readonly string[] {
  return [...allowedByVariable(env), ...(consent === undefined ? [] : [consent.hash])];
}

/** For build servers: hashes of `allow --print`. */
function allowedByVariable(env: Environment): readonly string[] {
  return (env["AGENT_GAUNTLET_ALLOW"] ?? "").split(/[\s,]+/);
}

function gatesAtBeginning(
  { starts = [] }: Session,
  root: string,
  env: Environment,
): GatesDefinition | undefined {
  const start = starts.find((one) => isSameProject(one.root, root));
  return start?.gates === undefined
    ? undefined
    : readDefinition({ root: start.root, hash: start.gates }, env);
}

function unknown(root: string, problem: string | undefined): Consented {
  const detail = "this project's gates have not been allowed";
  if (problem !== undefined) return { kind: "not-allowed", detail };
  const notice = `Gauntlet: ${root} has gates that you have not allowed, so nothing was run. To see them and allow them: \`cd ${quoted(root)} && agent-gauntlet allow\``;
  return { kind: "not-allowed", detail, notice };
}

function changed(root: string, before: GatesDefinition, now: Settings | undefined): Consented {
  const words = now === undefined ? "they can no longer be read" : inOneLine(differences(before, now), 200);
  const notice = `Gauntlet: these gates are not those you allowed, so nothing was run. To allow them: \`cd ${quoted(root)} && agent-gauntlet allow\` (${words})`;
  return { kind: "not-allowed", detail: "the gates changed since you allowed them", notice };
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

export interface Acceptable {
  readonly changes: readonly GateChange[];
  readonly commit: () => Result<void>;
}

export function acceptGates(settings: Settings, env: Environment): Acceptable {
  const { root, ...definition } = settings;
  const consent = consentFor(root, env);
  const isHere = (start: SessionStart): boolean =>
    start.gates !== undefined && isSameProject(start.root, root);
  const begun = listSessions(env)
    .flatMap(({ session }) => (session.starts ?? []).filter(isHere))
    .flatMap(({ root: here, gates: hash = "" }) => readDefinition({ root: here, hash }, env) ?? []);
  const before = consent?.definition === undefined ? begun : [consent.definition, ...begun];
  const all = before.flatMap((one) => differences(one, settings));
  const changes = [
    ...new Map([...all, ...refused(root, env)].map((change) => [change.text, change])).values(),
  ];
  const commit = (): Result<void> => {
    keepDefinition(root, definition, env);
    updateSessions(env, (session) => {
      const { starts = [] } = session;
      if (!starts.some(isHere)) return undefined;
      const gates = settings.definitionHash;
      const begun = starts.map((start) => (isHere(start) ? { ...start, gates } : start));
      return { ...withAcceptedSettings(session), starts: begun };
    });
    if (consent?.decision !== "allowed") return ok(undefined);
    return writeConsent({ ...consent, at: now(), hash: allowedHash(settings), definition }, env);
  };
  return { changes, commit };
}

/** Settings of the agents that would have switched our hooks off. */
function refused(root: string, env: Environment): readonly GateChange[] {
  return listSessions(env)
    .filter(({ session }) => session.starts?.some((start) => isSameProject(start.root, root)))
    .flatMap(({ session }) => session.switchedOff?.filter(({ state }) => state === "refused") ?? [])
    .map(({ text }) => ({ kind: "changed", text }));
}
