import { loadSettingsQuickly } from "../config/gauntlet/settings-cache.ts";
import { type Diagnostic, fail, ok, type Result } from "../trouble.ts";
import { absolutePath, type AbsolutePath, type ProjectPath } from "../path.ts";
import type { RunRequest } from "./request.ts";
import { Notices } from "../stop/notices.ts";
import { OpenSession } from "../stop/open-session.ts";
import { coversKey, type PassKey } from "../stop/pass-key.ts";
import type { WorkTreeHistory } from "../stop/passes.ts";
import { type Session, type SessionStart, startIn } from "../stop/session.ts";
import { commandLineSession } from "../stop/session-store.ts";
import { readWorkTree, passIndexOf } from "../stop/work-tree-store.ts";
import type { TrustFacts } from "./result.ts";
import { type GatesDefinition, settingsFor, type Settings } from "../config/settings.ts";
import { findProject } from "../system/files/find-project.ts";
import {
  baseBranchIn,
  type ChangeQuery,
  type Fallbacks,
  type StartingPoint,
} from "../system/git/compare/base.ts";
import { type LogDir, logDirOf } from "../system/logs/log-dir.ts";
import { currentEnv, type Environment, isCi } from "../system/process/environment.ts";
import { timeLimit } from "../system/process/time-limit.ts";
import { projectStateDir, sessionKey } from "../system/state/state-keys.ts";
import { passKey } from "./bind-pass.ts";
import { stages } from "./stages.ts";

/** A project as one request finds it. */
export interface Project {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  /** Of a stop, where its session's beginning had to be looked up. */
  readonly trust?: TrustFacts;
  readonly logDir: LogDir;
  /** Where its last run and its last pass are kept. */
  readonly stateDir: string;
  /** What a pass must be bound to in order to answer this request, as it is now. */
  readonly passKey: () => PassKey;
  /** The session whose budget and open failures count: the host's, or the command line's own. */
  readonly session: OpenSession;
  /** What the lock calls it. */
  readonly sessionKey: string;
  /** Collects what its user must know. */
  readonly notices: Notices;
  readonly env: Environment;
  readonly ci: boolean;
  readonly query: ChangeQuery;
  /** Why gates of a package run although nothing changed in it. */
  readonly because?: ReadonlyMap<ProjectPath, string>;
  /** Aborts when the caller says so or, for a stop hook, shortly before the host stops listening. */
  readonly signal: AbortSignal;
}

export async function openProject(request: RunRequest): Promise<Result<Project>> {
  const env = request.env ?? currentEnv();
  const { event } = request;
  const found = findProject(request.cwd);
  const place = found ?? absolutePath(request.cwd); // its configuration may have been removed in this session
  const session = request.session ?? OpenSession.open(event ?? commandLineSession(place), env);
  const notices = request.notices ?? new Notices();
  const watch = { root: place, session: session.value, notices, env, allowed: request.allowed };
  const loaded = await loadWatched(request, found, watch);
  if (!loaded.ok) return loaded;
  const { warnings, settings: loadedSettings, trust } = loaded.value;
  const { root } = loadedSettings;
  const logDir = request.logDir ?? loadedSettings.logDir;
  const configured = { ...loadedSettings, logDir };
  const ci = isCi(env);
  const settings = settingsFor(configured, { kind: event && (event.kind ?? "stop"), ci });
  const { base, commit, uncommitted, staged } = request;
  const baseBranch = ci ? baseBranchIn(env, settings.baseBranch) : settings.baseBranch;
  const logs = logDirOf(root, logDir);
  session.fallBackTo(logs);
  return ok({
    settings,
    warnings,
    trust,
    logDir: logs,
    stateDir: projectStateDir(root, env),
    passKey: () => passKey(configured, settings.gateHash, env),
    session,
    sessionKey: event === undefined ? "command-line" : sessionKey(event, root),
    notices,
    env,
    ci,
    query: { root, logDir: loadedSettings.logDir, baseBranch, base, commit, uncommitted, staged, ci },
    signal: signalFor(request, settings),
  });
}

/** A stop of a session, in a project. */
export interface Watch {
  readonly session: Session;
  readonly notices: Notices;
  readonly root: AbsolutePath;
  readonly env: Environment;
  /** What the user allowed, if the gates are no longer that. */
  readonly allowed?: GatesDefinition | undefined;
}

/** Settings, and whether they are those the session began with. */
export interface WatchedSettings {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  readonly trust?: TrustFacts;
}

/** The settings as they are. A stop whose session began with other gates, or has only just begun, is compared with its beginning. */
async function loadWatched(
  { cwd, event }: RunRequest,
  found: AbsolutePath | undefined,
  watch: Watch,
): Promise<Result<WatchedSettings>> {
  const { root, session, env } = watch;
  const loaded =
    found === undefined
      ? fail({ kind: "no-config", searchedFrom: cwd })
      : await loadSettingsQuickly(found, env);
  if (event === undefined) return loaded;
  const began = startIn(session, root)?.gates;
  const isAsBegun = loaded.ok && loaded.value.settings.definitionHash === began;
  if (isAsBegun && watch.allowed === undefined && session.starts?.length === 1) return loaded;
  const { compareGates } = await stages.trust(); // most stops find the gates as they were
  return compareGates(watch, loaded);
}

/** Time to end the gates, write down what happened and answer before the host stops listening. */
const MARGIN_MS = 10_000;

function signalFor(request: RunRequest, { stopHook }: Settings): AbortSignal {
  const asked = request.signal ?? new AbortController().signal;
  if (!request.isStop || request.ahead !== undefined) return asked;
  const { timeoutMs } = stopHook;
  return timeLimit(Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2), asked);
}

/** What is known of the work tree before this run. */
export interface Past {
  readonly workTree: WorkTreeHistory;
  /** The highest number of a run that anything is known of. */
  readonly lastNumber: number;
  /** State that could not be trusted and counts as absent. */
  readonly warnings: readonly string[];
}

/** A pass under another key counts for nothing: it answers no stop, closes no failure, and nothing is compared with its tree. */
export function readPast({ stateDir, passKey }: Project): Past {
  const { value, warning } = readWorkTree(stateDir);
  const { lastRun, pass } = value;
  const isOwn = pass !== undefined && coversKey(pass.key, passKey());
  return {
    workTree: { lastRun, pass: isOwn ? pass : undefined },
    lastNumber: Math.max(lastRun?.number ?? 0, pass?.runNumber ?? 0),
    warnings: warning === undefined ? [] : [warning],
  };
}

/** What was good before, for a base that hides what was committed. */
export function fallbacksOf({ stateDir, settings, session, env }: Project, { workTree }: Past): Fallbacks {
  const { pass } = workTree;
  return {
    sessionStart: startingPoint(startIn(session.value, settings.root), env),
    pass: pass && { index: passIndexOf(stateDir, pass), head: pass.head, runNumber: pass.runNumber },
  };
}

function startingPoint(start: SessionStart | undefined, env: Environment): StartingPoint | undefined {
  if (start?.tree === undefined) return start?.head === undefined ? undefined : { commit: start.head };
  // Asked for only if commits hide changes.
  return { commit: start.head, tree: async () => (await stages.rare()).sessionTree(start, env) };
}
