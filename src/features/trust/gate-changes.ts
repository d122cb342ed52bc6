import { ConfigFiles } from "../../config/gauntlet/config-files.ts";
import { definitionHash, gateHash, readScripts } from "../../config/gauntlet/gates-hash.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { ok, type Result } from "../../trouble.ts";
import { placeOf } from "../../config/entry-point.ts";
import type { GatesDefinition } from "../../config/settings.ts";
import type { Watch, WatchedSettings } from "../../run/open.ts";
import { differences, type GateChange, heldBy, inOneLine, withFailing } from "./gate-differences.ts";
import type { Notice } from "../../stop/notices.ts";
import type { OpenFailure } from "../../stop/retry-state.ts";
import { type RecordedGates, retriesIn, type Session } from "../../stop/session.ts";
import type { AbsolutePath } from "../../path.ts";
import type { Hold } from "../../run/result.ts";
import type { Settings } from "../../config/settings.ts";
import type { Environment } from "../../system/process/environment.ts";
import { keepDefinition, readDefinition } from "./gates-store.ts";
import { inLinkedTree } from "../../system/git/places.ts";
import { isSameProject } from "./which-project.ts";

type Loaded = Result<Omit<WatchedSettings, "trust">>;

/** Compares the gates with those at the start of the session: its first stop. With `hold`, the gates of the start still apply. */
export function compareGates(watch: Watch, loaded: Loaded): Result<WatchedSettings> {
  const { session, notices, root, env, allowed } = watch;
  const began = gatesAtBeginning(session, root);
  if (allowed !== undefined) return held(watch, loaded, { recorded: allowed, began });
  if (began === undefined) return loaded.ok ? ok(beginning(watch, loaded.value)) : loaded;
  const recorded = readDefinition(began, env);
  if (recorded === undefined) return loaded.ok ? ok(withoutBeginning(watch, loaded.value)) : loaded;
  const now = loaded.ok ? loaded.value.settings : undefined;
  const mayHold = [recorded, now].some((one) => one?.stopHook.whenGatesChange === "hold");
  if (mayHold || isBorrowed(watch, loaded, began)) return held(watch, loaded, { recorded, began });
  if (!loaded.ok || now === undefined) return loaded;
  const changes = withFailing(differences(recorded, now), failingIn(session, root));
  if (changes.length > 0) {
    notices.add(
      changeNotice(now, `Gauntlet: the gates were changed in this session: ${inOneLine(changes)}.`),
    );
    return ok({ ...loaded.value, trust: { gates: began } });
  }
  keepDefinition(root, definitionIn(now), env);
  return ok({ ...loaded.value, trust: { gates: gatesOf(root, now) } });
}

/** A linked work tree lacks a configuration that was never committed: the gates of the one where the session began apply there, too. */
function isBorrowed({ root }: Watch, loaded: Loaded, began: RecordedGates | undefined): boolean {
  const isMissing = !loaded.ok && loaded.trouble.kind === "no-config";
  return isMissing && began !== undefined && began.root !== root && inLinkedTree(root, began.root) === root;
}

function gatesAtBeginning({ starts = [] }: Session, root: string): RecordedGates | undefined {
  const found =
    starts.find((one) => one.root === root && one.gates !== undefined) ??
    starts.find((one) => one.gates !== undefined && isSameProject(one.root, root));
  return found?.gates === undefined ? undefined : { root: found.root, hash: found.gates };
}

/** Whether a session's project wants what is behind its gates to stay as it was. */
export async function holdsGates(session: Session, root: AbsolutePath, env: Environment): Promise<boolean> {
  const began = gatesAtBeginning(session, root);
  const recorded = began === undefined ? undefined : readDefinition(began, env);
  const loaded = await loadSettingsQuickly(root, env);
  const now = loaded.ok ? loaded.value.settings : undefined;
  return [recorded, now].some((one) => one?.stopHook.whenGatesChange === "hold");
}

export async function recordGates(root: AbsolutePath, env: Environment): Promise<string | undefined> {
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok) return undefined;
  const { settings } = loaded.value;
  keepDefinition(root, definitionIn(settings), env);
  return settings.definitionHash;
}

function gatesOf(root: string, { definitionHash: hash }: GatesDefinition): RecordedGates {
  return { root, hash };
}

function definitionIn({ root: _root, ...definition }: Settings): GatesDefinition {
  return definition;
}

function beginning(watch: Watch, loaded: Omit<WatchedSettings, "trust">): WatchedSettings {
  const { root, env } = watch;
  keepDefinition(root, definitionIn(loaded.settings), env);
  return { ...loaded, trust: { gates: gatesOf(root, loaded.settings) } };
}

function withoutBeginning(watch: Watch, loaded: Omit<WatchedSettings, "trust">): WatchedSettings {
  const text =
    "Gauntlet: the gates changed in this session, and the record of what they were is gone. `agent-gauntlet list` shows what they are now.";
  watch.notices.add(changeNotice(loaded.settings, text));
  keepDefinition(watch.root, definitionIn(loaded.settings), watch.env);
  return { ...loaded, trust: { gates: gatesOf(watch.root, loaded.settings) } };
}

function failingIn(session: Session, root: string): readonly OpenFailure["gate"][] {
  return retriesIn(session, root).openFailures.map(({ gate }) => gate);
}

function held(
  watch: Watch,
  loaded: Loaded,
  { recorded, began }: { readonly recorded: GatesDefinition; readonly began: RecordedGates | undefined },
): Result<WatchedSettings> {
  const { session, notices, root, env } = watch;
  const now = loaded.ok ? loaded.value.settings : undefined;
  const isAllowed = watch.allowed !== undefined;
  const kept = heldBy(recorded, now, { mayAdd: !isAllowed });
  const scripts = readScripts(kept.entryPoints, new ConfigFiles(root));
  const disputed = scriptDisputes(recorded, scripts);
  const withoutGates = isAllowed ? disputed.flatMap(({ gates = [] }) => gates) : [];
  const definition = heldBy(kept, undefined, { mayAdd: false, withoutGates });
  const settings = rehashed({ root, ...definition, scripts });
  const isElsewhere = isBorrowed(watch, loaded, began);
  const changes =
    now === undefined
      ? changesWithoutConfig(isElsewhere, disputed)
      : withFailing(differences(recorded, now), failingIn(session, root));
  const isHeld =
    disputed.length > 0 && (isAllowed || !isElsewhere || settings.stopHook.whenGatesChange === "hold");
  const gates = began ?? gatesOf(root, recorded);
  const isAsRecorded = changes.length === 0 && now !== undefined;
  if (isAsRecorded || began === undefined)
    keepDefinition(root, isAsRecorded ? definitionIn(now) : recorded, env);
  notices.add(...heldNotices(changes, now, isAllowed));
  return ok({
    settings,
    warnings: loaded.ok ? loaded.value.warnings : [],
    trust: {
      gates: isAsRecorded ? gatesOf(root, now) : gates,
      hold: isHeld ? dispute(disputed, settings, isAllowed) : undefined,
    },
  });
}

const LOST: GateChange = { kind: "removed", text: ".gauntlet/config.yml is gone or can no longer be read" };

function changesWithoutConfig(isElsewhere: boolean, disputed: readonly GateChange[]): readonly GateChange[] {
  return isElsewhere ? disputed : [LOST];
}

/** Changed scripts behind recorded gates; those of added gates are new, not changed. */
function scriptDisputes(recorded: GatesDefinition, scripts: Settings["scripts"]): readonly GateChange[] {
  const known = new Set(
    recorded.entryPoints.flatMap((one) => one.gates.map((gate) => placeOf(one.path, gate))),
  );
  return differences(recorded, { ...recorded, scripts }).filter(
    ({ script, gates = [] }) => script !== undefined && gates.some((gate) => known.has(gate)),
  );
}

function rehashed(settings: Settings): Settings {
  return { ...settings, gateHash: gateHash(settings), definitionHash: definitionHash(settings) };
}

function heldNotices(
  changes: readonly GateChange[],
  now: Settings | undefined,
  isAllowed: boolean,
): readonly Notice[] {
  if (changes.length === 0) return [];
  const words = inOneLine(changes, 220);
  const text = isAllowed
    ? `Gauntlet: the gates are not those you allowed: ${words}. The allowed ones still judge; \`agent-gauntlet allow\` takes the new ones.`
    : `Gauntlet: the gates were changed in this session: ${words}. Those it began with still judge; \`agent-gauntlet accept\` takes the new ones.`;
  return [changeNotice(now, text)];
}

/** The key is the hash of the current gates, so that each further change is shown. */
function changeNotice(now: GatesDefinition | undefined, text: string): Notice {
  const key = `gates ${now?.definitionHash ?? "lost"}`;
  return { rank: "tampering", key, text, isLasting: true };
}

function dispute(
  changes: readonly GateChange[],
  { stopHook, scripts, maxRetries }: Settings,
  isAllowed: boolean,
): Hold {
  const words = changes.map(({ text }) => text).join("; ");
  const command = isAllowed ? "agent-gauntlet allow" : "agent-gauntlet accept";
  return {
    whenActive: stopHook.whenActive,
    unrun: isAllowed ? `what was not allowed did not run: ${words}` : undefined,
    changes: changes.map(({ script = "" }) => `held ${script} ${scripts[script]?.hash ?? "gone"}`),
    words,
    maxBlocks: maxRetries,
    feedback: [
      `The gates of this project were changed in this session: ${words}.`,
      "They cannot judge as they did. Restore what they were, and make the change that was asked for pass them.",
      `If the change of the gates itself was asked for, say so and let the user accept it: \`${command}\` in a terminal of theirs, or the line \`gauntlet accept\` in their next message.`,
    ].join("\n"),
  };
}

export function removedConfigNotices(session: Session, root: string, env: Environment): readonly Notice[] {
  const began = gatesAtBeginning(session, root);
  if (began === undefined) return [];
  const recorded = readDefinition(began, env);
  const gates = (recorded?.entryPoints ?? []).flatMap((one) => one.gates.map(({ name }) => name));
  const failing = failingIn(session, began.root).map(({ name }) => name);
  const list = gates.length === 0 ? "" : ` (${someOf(gates)})`;
  const open = failing.length === 0 ? "" : ` Still failing: ${someOf(failing)}.`;
  const text = `Gauntlet: .gauntlet/config.yml was removed from ${began.root} in this session. Its gates${list} no longer run.${open}`;
  return [{ rank: "tampering", key: `removed ${began.root}`, text, isLasting: true }];
}

function someOf(names: readonly string[]): string {
  const all = [...new Set(names)];
  return `${all.slice(0, 8).join(", ")}${all.length > 8 ? ", …" : ""}`;
}
