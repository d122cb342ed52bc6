import type { AbsolutePath, ProjectPath } from "../core/path.ts";

/** What every gate of a run gets to know. */
export interface GateContext {
  readonly root: AbsolutePath;
  readonly logDir: ProjectPath;
  readonly runNumber: number;
  readonly runId: string;
  /** What the change is compared with, where there is a comparison; checks see it as `BASE_BRANCH`. */
  readonly baseBranch?: string;
  readonly replServer?: ReplServer;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with the process group of every child, before the child can have done much. */
  readonly onGroup: (pid: number) => void;
}

/** Where the command line says that the nREPL server is; what it does not say is looked for. */
export interface ReplServer {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}
