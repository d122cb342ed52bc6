import { loadSettingsQuickly } from "../config/gauntlet/settings-cache.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { settingsAt } from "../core/gated-event.ts";
import { once } from "../core/once.ts";
import type { Settings } from "../core/settings.ts";
import { fail, ok, type Result } from "../core/trouble.ts";
import type { ChangeQuery } from "../machine/comparison-base.ts";
import { baseBranchIn } from "../machine/comparison-base.ts";
import { currentEnv, isCi } from "../machine/environment.ts";
import { findProject } from "../machine/find-project.ts";
import type { HeadComparison } from "../machine/head-comparison.ts";
import { compareHeadQuickly } from "../machine/known-comparison.ts";
import { type LogDir, logDirOf } from "../machine/log-dir.ts";
import { sessionKey } from "../machine/session-key.ts";
import type { RunRequest } from "./run-request.ts";

/** A project as one request finds it. */
export interface Project {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
  readonly logDir: LogDir;
  /** The session whose budget and open failures count: the host's, or the command line's own. */
  readonly session: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ci: boolean;
  readonly query: ChangeQuery;
  /** What changes are measured from and what was committed since; looked for once, when it is first asked for. */
  readonly compareHead: () => Promise<Result<HeadComparison>>;
}

export async function openProject(request: RunRequest): Promise<Result<Project>> {
  const env = request.env ?? currentEnv();
  const root = findProject(request.cwd);
  if (root === undefined) return fail({ kind: "no-config", searchedFrom: request.cwd });
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok) return loaded;
  const { warnings } = loaded.value;
  const logDir = request.logDir ?? loaded.value.settings.logDir;
  const { event } = request;
  const configured = { ...loaded.value.settings, logDir };
  const settings = event === undefined ? configured : settingsAt(configured, event.kind ?? "stop");
  const ci = isCi(env);
  const { base, commit, uncommitted } = request;
  const baseBranch = ci ? baseBranchIn(env, settings.baseBranch) : settings.baseBranch;
  const query = { root, logDir: loaded.value.settings.logDir, baseBranch, base, commit, uncommitted, ci };
  return ok({
    settings,
    warnings,
    logDir: logDirOf(root, logDir),
    session: request.event === undefined ? "command-line" : sessionKey(request.event, root),
    env,
    ci,
    query,
    compareHead: once(() => compareHeadQuickly(query, env)),
  });
}
