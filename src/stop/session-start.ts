import { startsUs } from "./hook-removal.ts";
import { type SessionStart, startIn, withStart } from "./session.ts";
import type { AbsolutePath } from "../path.ts";
import { now } from "../system/clock.ts";
import { findProject } from "../system/files/find-project.ts";
import { Commits } from "../system/git/compare/base.ts";
import { Git } from "../system/git/git.ts";
import { sweepScratch } from "../system/files/owned-scratch.ts";
import { gitVariablesHash, ignoreSettingsFiles } from "../system/git/ignore-settings.ts";
import { listIgnoreFiles } from "../system/git/own-ignores.ts";
import { Repository } from "../system/git/repository.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import type { Environment } from "../system/process/environment.ts";
import { endOrphans } from "../system/process/leftovers.ts";
import type { SessionName } from "../system/state/state-keys.ts";
import { keepSessionTree, pruneSessionTrees } from "../system/git/kept-trees.ts";
import { readSession, updateSession } from "./session-store.ts";
import { join } from "node:path";
import { HOSTS } from "../hosts/host-table.ts";
import { movedFolder, type Registration } from "../hosts/host.ts";
import { homeDirectory } from "../system/files/xdg.ts";

/** A session that starts, resumes or is given a prompt. */
export interface Beginning {
  readonly session: SessionName;
  readonly env: Environment;
  /** Asked for only where the beginning is not known yet. */
  readonly gates?: (root: AbsolutePath) => Promise<SessionStart["gates"]>;
  /** The same for the settings files that have our stop hook. */
  readonly hooks?: (root: AbsolutePath) => readonly string[];
  /** Whether anything of this project may be run, git included; it may where nothing is said. */
  readonly mayRun?: (root: AbsolutePath) => Promise<boolean>;
  /** What it began with, where that is not the work tree as it is now. */
  readonly seen?: Seen;
}

type Seen = Pick<SessionStart, "head" | "tree" | "ignoreSettings" | "ignoreFiles">;

/**
 * Remembers where a session begins in its project: the work tree before the agent touched it, HEAD and the gates. What is known
 * stays, so that `resume` and `compact` change nothing. Undefined outside a project.
 */
export async function beginSession(
  { session, env, gates, hooks, mayRun, seen: given }: Beginning,
  signal: AbortSignal,
): Promise<SessionStart | undefined> {
  const root = findProject(session.cwd);
  if (root === undefined) return undefined;
  const known = startIn(readSession(session, env).value, root);
  if (known !== undefined) return known;
  const mayLook = (await mayRun?.(root)) ?? true;
  const look = async (): Promise<Seen> => given ?? (mayLook ? lookAt(root, env, signal) : {});
  const [seen, defined] = await Promise.all([look(), gates?.(root), tidyUp()]);
  const start = {
    root,
    at: now(),
    environment: environmentHash(env),
    gitVariables: gitVariablesHash(env),
    ...seen,
    gates: defined,
    hooks: hooks?.(root),
  };
  updateSession(session, env, withStart(start));
  pruneSessionTrees(env);
  return start;
}

/** Clears what killed processes left, while git looks. */
async function tidyUp(): Promise<void> {
  await new Promise((started) => void setImmediate(started));
  sweepScratch();
  await endOrphans();
}

async function lookAt(root: string, env: Environment, signal: AbortSignal): Promise<Seen> {
  const repository = await Repository.around(new Git(root, signal));
  if (repository === undefined) return {};
  const head = repository.head().commit ?? (await new Commits(repository.git).resolve("HEAD"));
  const [tree, ignoreFiles] = await Promise.all([
    keepSessionTree(repository, head, { root, env }),
    listIgnoreFiles(repository.top),
  ]);
  return { head, tree, ignoreFiles, ignoreSettings: ignoreSettingsFiles(repository.places, env) };
}

/** The settings files of agents, of a project and of its user, that have our stop hook. */
export function registeredIn(root: string, env: Environment): readonly string[] {
  const files = HOSTS.flatMap(({ registration }) =>
    registration === undefined || registration.format === "plugin" ? [] : filesOf(registration, root, env),
  );
  return [...new Set(files)].filter(startsUs);
}

function filesOf(registration: Registration, root: string, env: Environment): readonly string[] {
  const { projectFile, sharedFile, otherProjectFiles = [], userFile } = registration;
  const folder = movedFolder(userFile, env) ?? join(homeDirectory(env), userFile.folder);
  const inProject = [projectFile, sharedFile, ...otherProjectFiles].flatMap((path) =>
    path === undefined ? [] : [join(root, path)],
  );
  return [...inProject, join(folder, userFile.file)];
}
