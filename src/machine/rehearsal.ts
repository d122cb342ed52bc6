import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { type AbsolutePath, type ProjectPath, projectPath } from "../core/path.ts";
import { logDirOf } from "./log-dir.ts";
import { namesIn } from "./names-in.ts";

/** A place where stops can be played without the project remembering them: it starts with a copy of what it remembers. */
export interface Rehearsal extends AsyncDisposable {
  /** Stands in for the project's log directory. */
  readonly logDir: ProjectPath;
  /** The same, as an absolute path. Logs stay when the rehearsal is over, for what was shown names them. */
  readonly logs: string;
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
    logs: stage,
    stateHome: join(directory, "state"),
    [Symbol.asyncDispose]: async () => {
      const hasLogs = namesIn(stage).some((name) => name.endsWith(".log"));
      const over = hasLogs ? [join(directory, "state"), join(stage, ".state")] : [directory];
      for (const path of over) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function nothingToCopy(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
