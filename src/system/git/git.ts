import { devNull } from "node:os";
import { delimiter } from "node:path";
import { once } from "../../once.ts";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
import { ownMark, RUN_ID_VARIABLE, trace } from "../process/environment.ts";
import { runProcess } from "../process/run-process.ts";

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Killed before it had an answer: its exit code says nothing. */
  readonly wasEnded: boolean;
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/**
 * Read-only: no optional locks, no monitor, no shared index, no hook. History as it was committed: a replacement could make any
 * tree look like any other.
 */
const SAFE_OPTIONS = [
  "--no-optional-locks",
  "--no-replace-objects",
  ...config(
    "core.quotepath=off",
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.hooksPath=/dev/null",
    "hook.post-index-change.enabled=false", // one that settings define, since git 2.54
    "diff.orderFile=/dev/null", // git fails where the file that a project names is missing
    "advice.graftFileDeprecated=false", // about the empty one that we name
  ),
];

/**
 * A scan of the work tree sees what settings may hide: modes, links, a change that kept size and time. Objects live for a
 * moment only, so they are not compressed; a warning about line endings must not become a refusal.
 */
export const LOOK_OPTIONS = config(
  "core.fileMode=true",
  "core.symlinks=true",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.looseCompression=0",
  "core.safecrlf=false",
  ...(process.platform === "linux" ? ["core.ignoreCase=false"] : []), // elsewhere two such names are one file
);

/** Set inside git hooks and by wrappers such as Magit: they would point git at another repository, index or files. */
export const MISLEADING = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_GRAFT_FILE",
  "GIT_PREFIX",
  "GIT_NAMESPACE",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
];

/** Every call of git: an argv, never a shell. It is killed when the signal aborts. */
export class Git {
  readonly cwd: string;
  readonly #signal: AbortSignal | undefined;
  readonly #env: () => NodeJS.ProcessEnv;

  constructor(cwd: string, signal?: AbortSignal, env = once(inheritedEnv)) {
    this.cwd = cwd;
    this.#signal = signal;
    this.#env = env;
  }

  at(cwd: string): Git {
    return new Git(cwd, this.#signal, this.#env);
  }

  /** Only a git that cannot start is trouble; its exit code is an answer. */
  async ask(args: readonly string[], options: GitOptions = {}): Promise<Result<GitAnswer>> {
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const end = await runProcess(
      {
        argv: ["git", ...SAFE_OPTIONS, ...args],
        cwd: this.cwd,
        env: {
          ...this.#env(),
          LC_ALL: "C",
          GIT_TERMINAL_PROMPT: "0",
          GIT_GRAFT_FILE: devNull,
          [RUN_ID_VARIABLE]: ownMark(),
          ...options.env,
        },
        stdin: options.stdin,
        onOutput: (chunk, stream) => output[stream].push(chunk),
        onStarted: () => trace(`git ${commandIn(args)} started`),
      },
      anyOf(options.signal, this.#signal),
    );
    trace(`git ${commandIn(args)} ended`);
    if (end.kind === "not-started") return fail(gitTrouble(args, `git cannot be started (${end.detail})`));
    const stderr = end.kind === "cancelled" ? ENDED : Buffer.concat(output.stderr).toString().trim();
    return ok({
      exitCode: end.kind === "exited" ? end.exitCode : 128,
      stdout: Buffer.concat(output.stdout),
      stderr,
      wasEnded: end.kind !== "exited",
    });
  }

  async output(args: readonly string[], options: GitOptions = {}): Promise<Result<Buffer>> {
    const answer = await this.ask(args, options);
    if (!answer.ok) return answer;
    if (answer.value.exitCode !== 0) return fail(gitTrouble(args, answer.value.stderr));
    return ok(answer.value.stdout);
  }
}

/** In a partial clone a stop must not wait for a network, or start the programs that git reaches other machines with. */
export const WITHOUT_FETCHING = { GIT_NO_LAZY_FETCH: "1" };

function commandIn(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
}

const ENDED = "it was ended before it had an answer";

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

export function splitNul(output: Buffer): readonly string[] {
  const text = output.toString("utf8");
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

export function gitTrouble(args: readonly string[], detail: string): Trouble {
  const shown = args.filter((arg, at) => arg !== "-c" && args[at - 1] !== "-c");
  return { kind: "git-failed", command: `git ${shown.join(" ")}`, detail: detail || "no explanation given" };
}

function inheritedEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of MISLEADING) delete env[name];
  return env;
}

function config(...settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

export function objectsEnv(directories: readonly string[]): Readonly<Record<string, string>> {
  if (directories.length === 0) return {};
  return {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: directories.map((path) => JSON.stringify(path)).join(delimiter),
  };
}
