import { spawn } from "node:child_process";
import { fail, ok, type Result, type Trouble } from "../core/trouble.ts";

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
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
export function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Result<GitAnswer>> {
  return new Promise((resolve) => {
    const child = spawn("git", [...SAFE_OPTIONS, ...args], {
      cwd,
      env: { ...inheritedEnv(), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.once("error", (error) => {
      if (child.pid === undefined) resolve(fail(gitTrouble(args, error.message))); // else it ends, and "close" follows
    });
    child.once("close", (code) =>
      resolve(
        ok({
          exitCode: code ?? 128,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr).toString().trim(),
        }),
      ),
    );
  });
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

function gitTrouble(args: readonly string[], detail: string): Trouble {
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
