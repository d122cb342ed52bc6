import { AsyncLocalStorage } from "node:async_hooks";
import { fail, ok, type Result, type Trouble } from "../core/trouble.ts";
import { type ProcessEnd, runProcess } from "./process.ts";
import { trace } from "./trace.ts";

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It was ended before it had an answer; its exit code says nothing. */
  readonly wasEnded: boolean;
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** The signal of the work under way; of works beside it, each has its own. Told apart only then: a store makes every promise dearer. */
let patience: AbortSignal | undefined;
const ownPatience = new AsyncLocalStorage<AbortSignal>();

/** Every git started inside `work` is ended when the signal aborts. Nobody has to hand the signal on, so nobody can forget to. */
export async function endingGitWith<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (patience !== undefined) return ownPatience.run(signal, work);
  patience = signal;
  try {
    return await work();
  } finally {
    patience = undefined;
  }
}

/** Read-only by intent: no optional locks, names as bytes, no monitor started, no shared index written, no hook run. */
const SAFE_OPTIONS = [
  "--no-optional-locks",
  ...config(
    "core.quotepath=off",
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.hooksPath=/dev/null",
  ),
];

/** Set inside git hooks and by wrappers; they would point us at another repository or index than the one at `cwd`. */
const MISLEADING = [
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
];

/** Runs git with an argv, never through a shell. Only a git that could not start is trouble; its exit code is an answer. */
export async function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Result<GitAnswer>> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const end = await runProcess(
    {
      argv: ["git", ...SAFE_OPTIONS, ...args],
      cwd,
      env: { ...inheritedEnv(), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...options.env },
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      onOutput: (chunk, stream) => output[stream].push(chunk),
      onStarted: () => trace(`git ${commandIn(args)} started`),
    },
    anyOf(options.signal, ownPatience.getStore() ?? patience),
  );
  trace(`git ${commandIn(args)} ended`);
  if (end.kind === "not-started") return fail(gitTrouble(args, end.detail));
  const stderr = end.kind === "cancelled" ? ENDED : Buffer.concat(output.stderr).toString().trim();
  return ok({
    exitCode: exitCodeOf(end),
    stdout: Buffer.concat(output.stdout),
    stderr,
    wasEnded: end.kind !== "exited",
  });
}

/** The word after the options that come before it. */
function commandIn(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
}

const ENDED = "it was ended before it had an answer";

function exitCodeOf(end: ProcessEnd): number {
  return end.kind === "exited" ? end.exitCode : 128;
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** The output of a git command that must succeed. */
export async function gitOutput(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Result<Buffer>> {
  const answer = await git(cwd, args, options);
  if (!answer.ok) return answer;
  if (answer.value.exitCode !== 0) return fail(gitTrouble(args, answer.value.stderr));
  return ok(answer.value.stdout);
}

/** Splits `-z` output; names are decoded as UTF-8, as git itself assumes. */
export function splitNul(output: Buffer): readonly string[] {
  const text = output.toString("utf8");
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

/** What a git that failed has to say. */
export function gitTrouble(args: readonly string[], detail: string): Trouble {
  return { kind: "git-failed", command: `git ${args.join(" ")}`, detail: detail || "no explanation given" };
}

function inheritedEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of MISLEADING) delete env[name];
  return env;
}

function config(...settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}
