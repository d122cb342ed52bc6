import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { type AbsolutePath, type ProjectPath, projectPath } from "../core/path.ts";
import { logDirOf } from "./log-dir.ts";

/** A place where stops can be played without leaving a trace: it starts with a copy of what the project remembers. */
export interface Rehearsal extends AsyncDisposable {
  /** Stands in for the project's log directory. */
  readonly logDir: ProjectPath;
  /** Stands in for `$XDG_STATE_HOME`. */
  readonly stateHome: string;
}

export async function startRehearsal(
  root: AbsolutePath,
  logDir: ProjectPath | undefined,
): Promise<Rehearsal> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), "gauntlet-rehearsal-"));
  const stage = join(directory, "logs");
  if (logDir !== undefined) {
    const { stateDir } = logDirOf(root, logDir);
    await cp(stateDir, join(stage, ".state"), { recursive: true }).catch(nothingToCopy);
  }
  return {
    logDir: projectPath(relative(root, stage).split(sep).join("/")),
    stateHome: join(directory, "state"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function nothingToCopy(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
