import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { cleanEnv, type GauntletProject, run } from "./gauntlet-project.ts";

/** All that tests know of files that agent-gauntlet keeps for itself; for what a command tells they ask the command. */
function stateDir({ home }: GauntletProject): string {
  return join(home, ".local/state/agent-gauntlet");
}

/** A session's record. */
export function sessionFile(project: GauntletProject, id = "session-1"): string {
  return join(stateDir(project), "sessions", `session-${id}.json`);
}

/** What is kept of the one project on this machine. */
export function projectStateDir(project: GauntletProject): string {
  const projects = join(stateDir(project), "projects");
  const [name = "none"] = existsSync(projects) ? readdirSync(projects) : [];
  return join(projects, name);
}

/** The record of its last run. */
export function lastRunFile(project: GauntletProject): string {
  return join(projectStateDir(project), "last-run.json");
}

/** The record of its last pass. */
export function passFile(project: GauntletProject): string {
  return join(projectStateDir(project), "pass.json");
}

/** The number of the last run ahead that came to its end. */
export function lastRunAhead(project: GauntletProject): number {
  const file = join(projectStateDir(project), "ahead/result.json");
  const line = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").at(-1) : undefined;
  if (line === undefined) return 0;
  return (JSON.parse(line) as { readonly state: { readonly runNumber: number } }).state.runNumber; // as the program wrote it
}

/** Where the trees lie that sessions began with. */
export function treesDir(project: GauntletProject): string {
  return join(projectStateDir(project), "trees");
}

/** What a session began with. */
export interface Beginning {
  readonly root: string;
  readonly head?: string;
  /** A tree object of git, or a commit and `^{tree}`. */
  readonly tree?: string;
}

/** Where the sessions of this machine began. */
export function beginnings(project: GauntletProject): readonly Beginning[] {
  const sessions = join(stateDir(project), "sessions");
  if (!existsSync(sessions)) return [];
  return readdirSync(sessions)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readFileSync(join(sessions, name), "utf8").trim().split("\n").at(-1) ?? "")
    .map((line) => JSON.parse(line) as SessionLine) // as the program wrote it: the last line counts
    .flatMap(({ state }) => state.starts ?? []);
}

interface SessionLine {
  readonly state: { readonly starts?: readonly Beginning[] };
}

/** A file of the tree that a session began with. */
export async function fileAtStart(
  project: GauntletProject,
  { tree = "" }: Beginning,
  path: string,
): Promise<string> {
  const env = {
    ...cleanEnv(project.home),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(treesDir(project), "objects"),
  };
  return (await run(["git", "show", `${tree}:${path}`], { cwd: project.root, env })).stdout;
}

/** Resolves when a process has tried to take the run's lock and given up: it writes a draft beside the lock and removes it again. */
export function lockRefused({ root }: GauntletProject): Promise<void> {
  const logDir = join(root, "gauntlet_logs");
  return new Promise((resolve) => {
    const watcher = watch(logDir, (_, name) => {
      if (!name?.startsWith(".gauntlet-run.lock.") || existsSync(join(logDir, name))) return;
      watcher.close();
      resolve();
    });
  });
}
