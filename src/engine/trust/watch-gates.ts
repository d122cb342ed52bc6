import { ConfigFiles } from "../../config/gauntlet/config-files.ts";
import { definitionHash, gateHash, readScripts } from "../../config/gauntlet/gates-definition.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { definedOnly } from "../../core/defined-only.ts";
import { type Diagnostic, ok, type Result } from "../../core/trouble.ts";
import {
  differences,
  type GateChange,
  type GatesDefinition,
  heldBy,
  inOneLine,
  placeOf,
  withFailing,
} from "../../core/trust/gates-definition.ts";
import { type Notice, allow, type Verdict } from "../../core/stop/verdict.ts";
import type { OpenFailure } from "../../core/record/history.ts";
import { absolutePath, type AbsolutePath } from "../../core/path.ts";
import type { RunRequest, RunResult, TrustFacts } from "../../core/run.ts";
import type { SessionRecord } from "../../core/record/session-record.ts";
import type { Settings } from "../../core/settings.ts";
import { statusMessage } from "../../core/stop/status.ts";
import type { StopEvent } from "../../core/stop/stop-event.ts";
import { logDirOf } from "../../machine/logs/log-dir.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { readSession } from "../../machine/state/history.ts";
import { sessionKey } from "../../machine/state/state-keys.ts";
import { keepDefinition, readDefinition } from "../../machine/state/trusted-gates.ts";
import { isSameProject, noticeOfStraying } from "./stray.ts";

/** The settings a stop is judged by, and what the user must know about them. */
export interface WatchedSettings {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  readonly trust?: TrustFacts;
}

interface Watch {
  readonly request: RunRequest;
  readonly root: AbsolutePath;
  readonly env: Environment;
}

type Loaded = Result<Omit<WatchedSettings, "trust">>;

/**
 * Compares the gates with those the session began with. The first stop of a session that was not seen before is its beginning.
 * Where the project holds its gates, those of the beginning go on judging.
 */
export function watchGates(watch: Watch, loaded: Loaded): Result<WatchedSettings> {
  const { request, root, env } = watch;
  const began = beganIn(request, root);
  if (request.allowed !== undefined) return held(watch, loaded, { recorded: request.allowed, began });
  if (began === undefined) return loaded.ok ? ok(beginning(watch, loaded.value)) : loaded;
  const recorded = readDefinition(began, env);
  if (recorded === undefined) return loaded.ok ? ok(withoutBeginning(watch, loaded.value)) : loaded;
  const now = loaded.ok ? loaded.value.settings : undefined;
  const mayHold = [recorded, now].some((one) => one?.stopHook.whenGatesChange === "hold");
  if (mayHold) return held(watch, loaded, { recorded, began });
  if (!loaded.ok || now === undefined) return loaded;
  const changes = withFailing(differences(recorded, now), failingIn(watch, recorded));
  const notices = [...strayed(watch), ...told(now, changes)];
  if (changes.length === 0) keepDefinition(root, definitionIn(now), env);
  return ok({
    ...loaded.value,
    trust: { gates: changes.length === 0 ? gatesOf(root, now) : began, notices },
  });
}

/** The gates of the session's beginning here, or in another work tree of the same repository. */
function beganIn({ record }: RunRequest, root: string): TrustFacts["gates"] | undefined {
  const starts = record?.starts ?? [];
  const found =
    starts.find((one) => one.root === root && one.gates !== undefined) ??
    starts.find((one) => one.gates !== undefined && isSameProject(one.root, root));
  return found?.gates === undefined ? undefined : { root: found.root, hash: found.gates };
}

/** Where the session was first seen in another directory, changes there were not looked at. */
function strayed({ request, root }: Watch): readonly Notice[] {
  const [first] = request.record?.starts ?? [];
  return first === undefined ? [] : noticeOfStraying(root, first.root);
}

/** For the beginning of a session: the hash under which the gates are kept; undefined where they cannot be read. */
export async function recordGates(root: AbsolutePath, env: Environment): Promise<string | undefined> {
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok) return undefined;
  const { settings } = loaded.value;
  keepDefinition(root, definitionIn(settings), env);
  return settings.definitionHash;
}

function gatesOf(root: string, { definitionHash: hash }: GatesDefinition): TrustFacts["gates"] {
  return { root, hash };
}

function definitionIn({ root: _root, ...definition }: Settings): GatesDefinition {
  return definition;
}

function beginning(watch: Watch, { settings, warnings }: Omit<WatchedSettings, "trust">): WatchedSettings {
  const { root, env } = watch;
  keepDefinition(root, definitionIn(settings), env);
  return { settings, warnings, trust: { gates: gatesOf(root, settings), notices: strayed(watch) } };
}

/** That something changed is known, but not what. */
function withoutBeginning(watch: Watch, loaded: Omit<WatchedSettings, "trust">): WatchedSettings {
  const text =
    "Gauntlet: the gates changed in this session, and the record of what they were is gone. `agent-gauntlet list` shows what they are now.";
  const notice = { key: `gates ${loaded.settings.definitionHash}`, text, isFirst: true };
  const { trust, ...rest } = beginning(watch, loaded);
  return { ...rest, ...(trust === undefined ? {} : { trust: { ...trust, notices: [notice] } }) };
}

/** The gates that failed in this session and have not passed since. */
function failingIn(
  { request: { event }, root }: Watch,
  { logDir }: GatesDefinition,
): readonly OpenFailure["gate"][] {
  if (event === undefined) return [];
  const { value } = readSession(logDirOf(root, logDir).stateDir, sessionKey(event, root));
  return value.openFailures.map(({ gate }) => gate);
}

function told(now: Settings, changes: readonly GateChange[]): readonly Notice[] {
  if (changes.length === 0) return [];
  const text = `Gauntlet: the gates were changed in this session: ${inOneLine(changes)}.`;
  return [{ key: `gates ${now.definitionHash}`, text, isFirst: true }];
}

/** Judges by what was recorded, or allowed; with what was added since where that may run. */
function held(
  watch: Watch,
  loaded: Loaded,
  {
    recorded,
    began,
  }: { readonly recorded: GatesDefinition; readonly began: TrustFacts["gates"] | undefined },
): Result<WatchedSettings> {
  const { request, root, env } = watch;
  const now = loaded.ok ? loaded.value.settings : undefined;
  const isAllowed = request.allowed !== undefined;
  const kept = heldBy(recorded, now, { mayAdd: !isAllowed });
  const scripts = readScripts(kept.entryPoints, new ConfigFiles(root));
  const disputed = scriptDisputes(recorded, scripts);
  const withoutGates = isAllowed ? disputed.flatMap(({ gates = [] }) => gates) : [];
  const definition = heldBy(kept, undefined, { mayAdd: false, withoutGates });
  const settings = rehashed({ root, ...definition, scripts });
  const changes =
    now === undefined ? [LOST] : withFailing(differences(recorded, now), failingIn(watch, recorded));
  const gates = began ?? gatesOf(root, recorded);
  const isAsRecorded = changes.length === 0 && now !== undefined;
  if (isAsRecorded || began === undefined)
    keepDefinition(root, isAsRecorded ? definitionIn(now) : recorded, env);
  return ok({
    settings,
    warnings: loaded.ok ? loaded.value.warnings : [],
    trust: {
      gates: isAsRecorded ? gatesOf(root, now) : gates,
      notices: [...strayed(watch), ...heldNotice(changes, isAllowed)],
      ...(disputed.length === 0 ? {} : { hold: dispute(disputed, settings, isAllowed) }),
    },
  });
}

const LOST: GateChange = { kind: "removed", text: ".gauntlet/config.yml is gone or can no longer be read" };

/** Scripts behind the recorded gates that are not what they were; those of added gates are new, not changed. */
function scriptDisputes(recorded: GatesDefinition, scripts: Settings["scripts"]): readonly GateChange[] {
  const known = new Set(recorded.entryPoints.flatMap((one) => one.gates.map((gate) => placeOf(one, gate))));
  return differences(recorded, { ...recorded, scripts }).filter(
    ({ script, gates = [] }) => script !== undefined && gates.some((gate) => known.has(gate)),
  );
}

function rehashed(settings: Settings): Settings {
  return { ...settings, gateHash: gateHash(settings), definitionHash: definitionHash(settings) };
}

function heldNotice(changes: readonly GateChange[], isAllowed: boolean): readonly Notice[] {
  if (changes.length === 0) return [];
  const words = inOneLine(changes, 220);
  const text = isAllowed
    ? `Gauntlet: the gates are not those you allowed: ${words}. The allowed ones still judge; \`agent-gauntlet allow\` takes the new ones.`
    : `Gauntlet: the gates were changed in this session: ${words}. Those it began with still judge; \`agent-gauntlet accept\` takes the new ones.`;
  return [{ key: text, text, isFirst: true }];
}

function dispute(
  changes: readonly GateChange[],
  { stopHook }: Settings,
  isAllowed: boolean,
): NonNullable<TrustFacts["hold"]> {
  const words = changes.map(({ text }) => text).join("; ");
  const command = isAllowed ? "agent-gauntlet allow" : "agent-gauntlet accept";
  return {
    whenActive: stopHook.whenActive,
    ...(isAllowed ? { unrun: `what was not allowed did not run: ${words}` } : {}),
    key: `held ${changes.map(({ script }) => script).join()} ${words}`,
    feedback: [
      `The gates of this project were changed in this session: ${words}.`,
      "They cannot judge as they did. Restore what they were, and make the change that was asked for pass them.",
      `If the change of the gates itself was asked for, say so and let the user accept it: \`${command}\` in a terminal of theirs, or the line \`gauntlet accept\` in their next message.`,
    ].join("\n"),
  };
}

/** What to say where the configuration of a session's project is gone. */
export function noticeOfRemoval(request: RunRequest, env: Environment): readonly Notice[] {
  const began = beganIn(request, request.cwd);
  if (began === undefined) return [];
  const recorded = readDefinition(began, env);
  const gates = (recorded?.entryPoints ?? []).flatMap((one) => one.gates.map(({ name }) => name));
  const watch = { request, root: absolutePath(began.root), env };
  const failing = recorded === undefined ? [] : failingIn(watch, recorded).map(({ name }) => name);
  const list = gates.length === 0 ? "" : ` (${someOf(gates)})`;
  const open = failing.length === 0 ? "" : ` Still failing: ${someOf(failing)}.`;
  const text = `Gauntlet: .gauntlet/config.yml was removed from ${began.root} in this session. Its gates${list} no longer run.${open}`;
  return [{ key: `removed ${began.root}`, text, isFirst: true }];
}

function someOf(names: readonly string[]): string {
  const all = [...new Set(names)];
  return `${all.slice(0, 8).join(", ")}${all.length > 8 ? ", …" : ""}`;
}

interface Answered {
  readonly verdict: Verdict;
  readonly record: SessionRecord;
}

/** Blocks a stop because what stands behind the recorded gates was changed, once for each change. */
export function heldUp(
  { verdict, record }: Answered,
  { result: { trust }, event }: { readonly result: RunResult; readonly event: StopEvent },
): Answered {
  const { hold, gates } = trust ?? {};
  if (hold === undefined || gates === undefined) return { verdict, record };
  if (record.told.includes(hold.key)) return { verdict: withoutPass(verdict, hold), record };
  const { key, whenActive } = hold;
  const feedback = verdict.decision === "block" ? `${verdict.feedback}\n\n${hold.feedback}` : hold.feedback;
  const message = statusMessage("failed", { detail: "the gates were changed in this session" });
  const { promptId, sessionId: session } = event;
  const { attempts = 0 } = record.blocked ?? {};
  return {
    verdict: {
      ...definedOnly({ notice: verdict.notice, wholeNotice: verdict.wholeNotice }),
      decision: "block",
      status: "failed",
      message,
      feedback,
    },
    record: {
      ...record,
      told: [...record.told, key],
      blocked: { root: gates.root, whenActive, attempts, promptId, session },
    },
  };
}

/** A stop that was held up for this before goes by, but it is not called a pass. */
function withoutPass(verdict: Verdict, { unrun }: NonNullable<TrustFacts["hold"]>): Verdict {
  if (verdict.decision === "block" || unrun === undefined) return verdict;
  const { notice, wholeNotice } = verdict;
  return { ...allow("not_allowed", { detail: unrun }), ...definedOnly({ notice, wholeNotice }) };
}
