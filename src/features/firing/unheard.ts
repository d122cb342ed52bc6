import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { type AbsolutePath, displayPath } from "../../path.ts";
import { NEW_SESSION, type Session, startIn, type UnheardPrompt } from "../../stop/session.ts";
import { listSessions, readSession, updateSession } from "../../stop/session-store.ts";
import { now } from "../../system/clock.ts";
import { modifiedAt, readText } from "../../system/files/files.ts";
import { logDirOf } from "../../system/logs/log-dir.ts";
import { commandsAbove } from "../../system/process/agents-above.ts";
import type { Environment } from "../../system/process/environment.ts";
import { lockHolder } from "../../system/state/lock.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import { ago, counted } from "../../words.ts";
import { findMods, type WhereMods } from "./mods.ts";
import { capsIn, type Silencer, silencersIn } from "./silencers.ts";
import { type EndedTurn, endedTurns } from "./turns.ts";

/** A prompt as the agent's program reports it. */
export interface PromptEvent extends SessionName {
  readonly promptId: string | undefined;
}

/**
 * Takes down that a prompt was given, and says which earlier ones ended without a stop of ours (in this session, and, at its first prompt,
 * in others of the project) and which plugins answer stops. Undefined if there is nothing to tell.
 */
export async function notePrompt(
  event: PromptEvent,
  root: AbsolutePath,
  env: Environment,
): Promise<string | undefined> {
  const { promptId: id, transcriptPath, sessionId } = event;
  const before = readSession(event, env).value ?? NEW_SESSION;
  const isFirst = before.prompt === undefined;
  const unheard = await unheardIn(event, before, env);
  const seen = silencersSeen({ root, env, sessionId, isFirst }).filter(
    ({ key }) => !before.shown.includes(key),
  );
  updateSession(event, env, (stored) => ({
    ...withUnheard(stored, unheard),
    prompt: { id, at: now(), root, transcriptPath },
    shown: [...new Set([...stored.shown, ...seen.map(({ key }) => key)])],
  }));
  if (unheard.length > 0)
    return sentence(`your last ${yours(unheard.length)} ended without a check`, unheard);
  const others = isFirst ? await tellOfOthers(root, env) : undefined;
  return [others, ...seen.map(warning)].filter(Boolean).join("\n") || undefined;
}

/** What the user is told as a session starts, and again at its first prompt: `claude -p` shows only that (2.1.328, 2026-11-19). */
export function warningsAtStart(
  root: string,
  env: Environment,
  sessionId: string | undefined,
): string | undefined {
  return silencersSeen({ root, env, sessionId, isFirst: true }).map(warning).join("\n") || undefined;
}

function warning({ text, undo }: Silencer): string {
  return `Gauntlet: ${text}, so stops may go unchecked. ${undo}.`;
}

/** Everything that can be seen now: only what is certain keeps our hook from being asked. */
export function silencersAround(where: WhereMods): readonly (Silencer & { readonly isCertain: boolean })[] {
  const settings = silencersIn(where.root, where.env, undefined).map((one) => ({ ...one, isCertain: true }));
  return [...settings, ...modSilencers(where)];
}

interface Moment {
  readonly root: string;
  readonly env: Environment;
  readonly sessionId: string | undefined;
  /** Settings that change later are told of as they change; the programs above us stay the same. */
  readonly isFirst: boolean;
}

/** Those that are certain, before anything went unchecked. */
function silencersSeen({ root, env, sessionId, isFirst }: Moment): readonly Silencer[] {
  const above = isFirst ? commandsAbove() : [];
  const mods = modSilencers({ root, env, sessionId, above }).filter(({ isCertain }) => isCertain);
  return isFirst ? [...mods, ...capsIn(root, env)] : mods;
}

/** Those of the whole project since a moment, told or not. */
export async function unheardHere(
  root: AbsolutePath,
  env: Environment,
  since: number,
): Promise<readonly UnheardPrompt[]> {
  const found: UnheardPrompt[] = [];
  for (const { id, session } of listSessions(env)) {
    if (session.prompt?.root !== root && session.unheard?.some((one) => one.root === root) !== true) continue;
    const fresh = await unheardOfOther(id, session, env);
    found.push(...(session.unheard ?? []), ...fresh);
  }
  return found.filter((one) => one.root === root && one.at > since).toSorted((a, b) => a.at - b.at);
}

async function tellOfOthers(root: AbsolutePath, env: Environment): Promise<string | undefined> {
  for (const { id, session } of listSessions(env)) {
    if (session.prompt?.root !== root) continue;
    const unheard = await unheardOfOther(id, session, env);
    if (unheard.length === 0) continue;
    updateSession({ sessionId: id, cwd: root }, env, (stored) => withUnheard(stored, unheard));
    const when = ago(Math.max(...unheard.map(({ at }) => at)), now());
    return sentence(
      `the last ${yours(unheard.length)} of session ${id.slice(0, 8)} ended without a check, ${when}`,
      unheard,
    );
  }
  return undefined;
}

/** Its agent may have just stopped: the hook starts a moment later. */
const JUST_WRITTEN_MS = 10_000;

async function unheardOfOther(
  id: string,
  session: Session,
  env: Environment,
): Promise<readonly UnheardPrompt[]> {
  const { root, transcriptPath } = session.prompt ?? {};
  const writtenAt = transcriptPath === undefined ? undefined : modifiedAt(transcriptPath);
  if (root === undefined || writtenAt === undefined || now() - writtenAt < JUST_WRITTEN_MS) return [];
  return unheardIn({ sessionId: id, cwd: root }, session, env);
}

/** What ended after the last stop that we heard, and was not found before. */
async function unheardIn(
  { sessionId }: SessionName,
  session: Session,
  env: Environment,
): Promise<readonly UnheardPrompt[]> {
  const { prompt, lastStop } = session;
  if (prompt === undefined || isHeard(session)) return [];
  const root = prompt.root as AbsolutePath; // as it was found
  const text =
    prompt.transcriptPath === undefined ? undefined : readText(prompt.transcriptPath, MAX_TRANSCRIPT_BYTES);
  if (text?.ok !== true) return [];
  const known = session.unheard?.at(-1)?.at ?? 0;
  const since = Math.max(lastStop?.at ?? startIn(session, root)?.at ?? prompt.at - 1000, known);
  const turns = endedTurns(text.value, since);
  if (turns.length === 0 || (await isBeingChecked(root, env))) return [];
  const why = likeliestCause(turns, { root, env, sessionId, session });
  return turns.map(({ promptId, endedAt }) => ({ id: promptId, at: endedAt, root, why }));
}

const MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024;

function isHeard({ prompt, lastStop }: Session): boolean {
  if (prompt === undefined || lastStop === undefined) return prompt === undefined;
  return lastStop.at >= prompt.at || (prompt.id !== undefined && lastStop.event.promptId === prompt.id);
}

/** In the background a stop is recorded when its gates have finished. */
async function isBeingChecked(root: AbsolutePath, env: Environment): Promise<boolean> {
  const loaded = await loadSettingsQuickly(root, env);
  return loaded.ok && lockHolder(logDirOf(root, loaded.value.settings.logDir).lockFile) !== undefined;
}

interface Around {
  readonly root: string;
  readonly env: Environment;
  readonly sessionId: string | undefined;
  readonly session: Session;
}

/** A clause, and what to do: from what is seen now, because a hook that was not started saw nothing. */
function likeliestCause(turns: readonly EndedTurn[], { root, env, sessionId, session }: Around): string {
  const wasStarted = turns.at(-1)?.hooks.some((command) => /\bstop-hook\b/.test(command)) === true;
  if (wasStarted)
    return "the stop hook was started, but killed before it answered. Run `agent-gauntlet doctor`.";
  const [silencer] = [
    ...silencersIn(root, env, startIn(session, root)?.hooks),
    ...modSilencers({ root, env, sessionId, above: commandsAbove() }),
    ...(session.switchedOff ?? []),
  ];
  if (silencer !== undefined) return `${silencer.text}. ${silencer.undo}.`;
  return "its hooks were off, the stop hook is not trusted there, or a plugin answers stops. Run `agent-gauntlet doctor`.";
}

interface ModSilencer extends Silencer {
  /** Its code names the stop. */
  readonly isCertain: boolean;
}

/** The certain ones come first. */
function modSilencers(where: WhereMods): readonly ModSilencer[] {
  return findMods(where)
    .toSorted((a, b) => Number(b.answersStops) - Number(a.answersStops))
    .map(({ name, path, answersStops, undo }) => ({
      key: `mod ${path}`,
      isCertain: answersStops,
      text: `the plugin ${displayPath(name)} (${displayPath(path)}) ${answersStops ? "answers stops in place of hooks" : "runs code that can answer stops in place of hooks"}`,
      undo,
    }));
}

function withUnheard(stored: Session, unheard: readonly UnheardPrompt[]): Session {
  if (unheard.length === 0) return stored;
  return { ...stored, unheard: [...(stored.unheard ?? []), ...unheard].slice(-KEPT) };
}

const KEPT = 50;

function yours(count: number): string {
  return count === 1 ? "prompt" : counted(count, "prompt");
}

function sentence(what: string, unheard: readonly UnheardPrompt[]): string {
  return `Gauntlet: ${what}: ${unheard.at(-1)?.why ?? ""}`;
}
