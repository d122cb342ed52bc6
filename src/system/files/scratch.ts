import { existsSync } from "node:fs";
import { namesIn } from "./files.ts";
import { mkdir, mkdtemp, realpath, rm, writeFile, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { Git } from "../git/git.ts";
import { ownedName } from "./owned-scratch.ts";
import { type AbsolutePath, type ProjectPath, projectPath } from "../../path.ts";
import { logDirOf } from "../logs/log-dir.ts";
import type { Environment } from "../process/environment.ts";
import { projectStateDir } from "../state/state-keys.ts";

export async function scratchDir(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(await realpath(tmpdir()), ownedName("gauntlet-scratch")));
  for (const [name, content] of Object.entries(files)) await writeIn(path, name, content);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

async function writeIn(directory: string, name: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, name)), { recursive: true });
  await writeFile(join(directory, name), content);
}

export interface ScratchRepository extends AsyncDisposable {
  readonly path: string;
  readonly write: (name: string, content: string) => Promise<void>;
}

export async function createScratchRepository(
  files: Readonly<Record<string, string>>,
): Promise<ScratchRepository> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "agent-gauntlet-demo-")));
  const write = (name: string, content: string): Promise<void> => writeIn(path, name, content);
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const git = new Git(path);
  await git.output(["init", "--quiet", "--initial-branch=main"]);
  await git.output(["add", "--all"]);
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false"];
  await git.output([...author, "commit", "--quiet", "--no-verify", "--message", "A project that works"]);
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Stops played here are not remembered by the project; it starts with a copy of what the project remembers. */
export interface Rehearsal extends AsyncDisposable {
  readonly logDir: ProjectPath;
  /** As an absolute path. Logs stay after the rehearsal, because its output names them. */
  readonly logs: string;
  readonly stateHome: string;
}

export async function startRehearsal(
  root: AbsolutePath,
  logDir: ProjectPath | undefined,
  env: Environment,
): Promise<Rehearsal> {
  const place = await realpath(tmpdir());
  await removeEarlier(place);
  const directory = await mkdtemp(join(place, REHEARSAL));
  await mkdir(join(directory, "state"));
  const stage = join(directory, "logs");
  if (logDir !== undefined) {
    const { stateDir } = logDirOf(root, logDir);
    const XDG_STATE_HOME = join(directory, "state");
    await cp(stateDir, join(stage, ".state"), { recursive: true }).catch(nothingToCopy);
    await cp(projectStateDir(root, env), projectStateDir(root, { XDG_STATE_HOME }), {
      recursive: true,
      preserveTimestamps: true, // git compares the time of an index with those of the files
    }).catch(nothingToCopy);
  }
  return {
    logDir: projectPath(relative(root, stage).split(sep).join("/")),
    stateHome: join(directory, "state"),
    logs: stage,
    [Symbol.asyncDispose]: async () => {
      const hasLogs = namesIn(stage).some((name) => name.endsWith(".log"));
      const over = hasLogs ? [join(directory, "state"), join(stage, ".state")] : [directory];
      for (const path of over) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const REHEARSAL = "gauntlet-rehearsal-";

/** The logs of the last one stay, so that what it named can be read; one that still has its state is not over. */
async function removeEarlier(place: string): Promise<void> {
  const earlier = namesIn(place).filter((name) => name.startsWith(REHEARSAL));
  const over = earlier.map((name) => join(place, name)).filter((path) => !existsSync(join(path, "state")));
  for (const path of over) await rm(path, { recursive: true, force: true }).catch(() => undefined); // another user's
}

function nothingToCopy(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
