import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { type Diagnostic, fail, ok, type Result } from "../../core/trouble.ts";
import { absolutePath, type ProjectPath } from "../../core/path.ts";
import type { RunRequest, TrustFacts } from "../../core/run.ts";
import { settingsAt, type Settings } from "../../core/settings.ts";
import type { SessionHistory, WorkTreeHistory } from "../../core/record/history.ts";
import { type SessionStart, startIn } from "../../core/record/session-record.ts";
import { findProject } from "../../machine/files/find-project.ts";
import {
  baseBranchIn,
  type ChangeQuery,
  type KnownGood,
  type StartingPoint,
} from "../../machine/git/compare/base.ts";
import { type LogDir, logDirOf } from "../../machine/logs/log-dir.ts";
import { currentEnv, type Environment, isCi } from "../../machine/process/environment.ts";
import { timeLimit } from "../../machine/process/time-limit.ts";
import { readSession, readWorkTree, passIndexOf } from "../../machine/state/history.ts";
import { projectStateDir, sessionKey } from "../../machine/state/state-keys.ts";
import type { WatchedSettings } from "../trust/watch-gates.ts";

/** A project as one request finds it. */
export interface Project {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  /** Of a stop, where its session's beginning had to be looked up. */
  readonly trust?: TrustFacts;
  readonly logDir: LogDir;
  /** Where its last pass is kept. */
  readonly passDir: string;
  /** The session whose budget and open failures count: the host's, or the command line's own. */
  readonly session: string;
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
  const loaded = await loadWatched(request, env);
  if (!loaded.ok) return loaded;
  const { warnings, settings: loadedSettings, trust } = loaded.value;
  const { root } = loadedSettings;
  const { event } = request;
  const logDir = request.logDir ?? loadedSettings.logDir;
  const configured = { ...loadedSettings, logDir };
  const settings = event === undefined ? configured : settingsAt(configured, event.kind ?? "stop");
  const ci = isCi(env);
  const { base, commit, uncommitted, staged } = request;
  const baseBranch = ci ? baseBranchIn(env, settings.baseBranch) : settings.baseBranch;
  return ok({
    settings,
    warnings,
    ...(trust === undefined ? {} : { trust }),
    logDir: logDirOf(root, logDir),
    passDir: projectStateDir(root, env),
    session: request.event === undefined ? "command-line" : sessionKey(request.event, root),
    env,
    ci,
    query: { root, logDir: loadedSettings.logDir, baseBranch, base, commit, uncommitted, staged, ci },
    signal: signalFor(request, settings),
  });
}

/** The settings as they are; for a stop whose session began with others, or has only just begun, what follows from that. */
async function loadWatched(request: RunRequest, env: Environment): Promise<Result<WatchedSettings>> {
  const found = findProject(request.cwd);
  const { event, record, allowed } = request;
  const loaded =
    found === undefined
      ? fail({ kind: "no-config", searchedFrom: request.cwd })
      : await loadSettingsQuickly(found, env);
  if (event === undefined || record === undefined) return loaded;
  const began = found === undefined ? undefined : startIn(record, found)?.gates;
  const isAsBegun = loaded.ok && loaded.value.settings.definitionHash === began;
  if (isAsBegun && allowed === undefined && record.starts?.length === 1) return loaded;
  const { watchGates } = await import("../trust/watch-gates.ts"); // most stops find the gates as they were
  return watchGates({ request, root: found ?? absolutePath(request.cwd), env }, loaded);
}

/** Time to end the gates, write down what happened and answer before the host stops listening. */
const MARGIN_MS = 10_000;

function signalFor(request: RunRequest, { stopHook }: Settings): AbortSignal {
  const asked = request.signal ?? new AbortController().signal;
  if (!request.checkInterval) return asked;
  const { timeoutMs } = stopHook;
  return timeLimit(Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2), asked);
}

/** What the work tree and the session have been through. */
export interface Histories {
  readonly workTree: WorkTreeHistory;
  readonly session: SessionHistory;
  /** The session has a history that cannot be read. */
  readonly isSessionLost: boolean;
  /** State that could not be trusted and counts as absent. */
  readonly warnings: readonly string[];
}

export function readHistories({ logDir, passDir, session: key }: Project): Histories {
  const workTree = readWorkTree(logDir.stateDir, passDir);
  const session = readSession(logDir.stateDir, key);
  const warnings = [workTree.warning, session.warning].filter((one) => one !== undefined);
  const isSessionLost = session.warning !== undefined;
  return { workTree: workTree.value, session: session.value, isSessionLost, warnings };
}

/** What was good before, for a base that hides what was committed. */
export function knownGood(
  { passDir, settings, env }: Project,
  { record }: RunRequest,
  { workTree: { pass } }: Histories,
): KnownGood {
  return {
    sessionStart: startingPoint(startIn(record, settings.root), env),
    pass: pass && {
      index: passIndexOf(passDir, pass.tree),
      head: pass.head,
      runNumber: pass.runNumber,
    },
  };
}

function startingPoint(start: SessionStart | undefined, env: Environment): StartingPoint | undefined {
  if (start?.tree === undefined) return start?.head === undefined ? undefined : { commit: start.head };
  const tree = async () => {
    const { sessionTree } = await import("../../machine/state/session-trees.ts"); // only where commits hide changes
    return sessionTree(start, env);
  };
  return { commit: start.head, tree };
}
