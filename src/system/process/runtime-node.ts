import type { ChildProcess } from "node:child_process";
import { hasCode } from "../files/errno.ts";
import { findExecutable, isOwnCmdLine } from "./executables.ts";
import type { Child, ChildRequest, Exit, NotStarted, HashEncoding } from "./runtime.ts";
import { createHash } from "node:crypto";

/** Loading it takes 2.6 ms; early exits start no child. */
function childProcess() {
  return process.getBuiltinModule("node:child_process");
}

export function startChild(request: ChildRequest): Child | NotStarted {
  let child: ChildProcess;
  try {
    const [file, ...args] = request.mustNotHideSignals ? withSignalsShown(request) : request.argv;
    child = childProcess().spawn(file, args, {
      cwd: request.cwd,
      env: request.env,
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: isOwnCmdLine(request.argv),
      stdio: [isRead(request) ? "pipe" : "ignore", "pipe", "pipe"],
    });
  } catch (error) {
    // Node reports some failures to start as events and throws others, such as a command line that is too long.
    if (!hasCode(error)) throw error;
    return { detail: Promise.resolve(error.message) };
  }
  child.on("error", () => {}); // reported by spawnError; later ones are failed kills of a child that is gone
  child.stdout?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stderr"));
  child.stdin?.on("error", () => {}); // a child may end without reading its input
  if (child.stdin !== null && request.onInput !== undefined) request.onInput(child.stdin);
  else child.stdin?.end(request.stdin);
  const { pid } = child;
  return pid === undefined ? { detail: spawnError(child) } : { pid, ...watch(child) };
}

function isRead({ stdin, onInput }: ChildRequest): boolean {
  return stdin !== undefined || onInput !== undefined;
}

/**
 * Node reports a death by a real-time signal as exit code 0: a pass. A shell with a trap for these signals exits with its code,
 * and does not replace itself by its last command, whose death it reports as 128 plus the signal. If the command replaces the
 * shell, or there is none, another shell waits for it.
 */
function withSignalsShown({ argv, env, cwd }: ChildRequest): readonly [string, ...string[]] {
  if (process.platform !== "linux" || findExecutable(argv[0], env, cwd) === undefined) return argv;
  const [shell, option, script, ...args] = argv;
  const isOurShell = option === "-c" && script !== undefined && /(?:^|\/)(?:ba|da)?sh$/.test(shell);
  if (isOurShell && !/\bexec\b/.test(script)) return [shell, "-c", `${TRAPS}; ${script}`, ...args];
  return ["/bin/sh", "-c", '"$@"; exit $?', "sh", ...argv];
}

const REAL_TIME_SIGNALS = Array.from({ length: 31 }, (_, index) => 34 + index);
const TRAPS = `trap 'exit 162' ${REAL_TIME_SIGNALS.join(" ")}`;

async function spawnError(child: ChildProcess): Promise<string> {
  const reason = await new Promise<Error>((resolve) => child.once("error", resolve));
  return reason.message;
}

function watch(child: ChildProcess): Omit<Child, "pid"> {
  return {
    exited: new Promise<Exit>((resolve) => {
      child.once("exit", (exitCode, signal) =>
        resolve(
          exitCode === null ? { kind: "killed", signal: signal ?? "unknown" } : { kind: "exited", exitCode },
        ),
      );
    }),
    closed: new Promise((resolve) => child.once("close", resolve)),
    letGo: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref(); // one that cannot be ended must not hold us
    },
  };
}

const MAX_LISTING = 64 * 1024 * 1024;

export function outputNow(...[file, ...args]: readonly [string, ...string[]]): string {
  const ended = childProcess().spawnSync(file, args, {
    encoding: "utf8",
    windowsHide: true,
    maxBuffer: MAX_LISTING,
  });
  return ended.stdout ?? "";
}

export function sha256(content: string | Uint8Array, encoding: HashEncoding = "hex"): string {
  return createHash("sha256").update(content).digest(encoding);
}

export function sha1(content: Uint8Array): string {
  return createHash("sha1").update(content).digest("hex");
}
