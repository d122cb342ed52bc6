import { isOwnCmdLine } from "./executables.ts";
import { hasCode } from "../files/errno.ts";
import {
  bun,
  type BunInput,
  type Child,
  type ChildInput,
  type ChildRequest,
  type Exit,
  type NotStarted,
  type HashEncoding,
} from "./runtime.ts";

/** `Bun.spawn` costs a third less than `node:child_process` and reports every signal. */
export function startChild(request: ChildRequest): Child | NotStarted {
  if (bun === undefined) throw new Error("this is not the native program"); // package.json names this file for Bun alone
  try {
    let settle: ((exit: Exit) => void) | undefined;
    const exited = new Promise<Exit>((resolve) => {
      settle = resolve;
    });
    const child = bun.spawn(request.argv, {
      cwd: request.cwd,
      env: request.env,
      stdin: stdinOf(request),
      stdout: "pipe",
      stderr: "pipe",
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: isOwnCmdLine(request.argv),
      onExit: (_child, exitCode, signal) => settle?.(exitOf(exitCode, signal)),
    });
    if (child.stdin !== undefined) request.onInput?.(inputTo(child.stdin));
    const stdout = child.stdout.getReader();
    const stderr = child.stderr.getReader();
    const printed = [
      readToEnd(stdout, (chunk) => request.onOutput(chunk, "stdout")),
      readToEnd(stderr, (chunk) => request.onOutput(chunk, "stderr")),
    ];
    return {
      pid: child.pid,
      exited,
      closed: Promise.all([exited, ...printed]),
      letGo: () => {
        for (const reader of [stdout, stderr]) reader.cancel().catch(() => {}); // the pipe may already be closed
        child.unref();
      },
    };
  } catch (error) {
    if (!hasCode(error)) throw error;
    return { detail: Promise.resolve(error.message) };
  }
}

function stdinOf({ stdin, onInput }: ChildRequest) {
  if (onInput !== undefined) return "pipe";
  return stdin === undefined ? "ignore" : Buffer.from(stdin);
}

function inputTo(pipe: BunInput): ChildInput {
  return {
    write: (text) => void unlessEnded(() => (pipe.write(text), pipe.flush())),
    end: () => void unlessEnded(() => pipe.end()),
  };
}

/** For a child that has ended Bun throws, or rejects. */
async function unlessEnded(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // its end is reported elsewhere
  }
}

function exitOf(exitCode: number | null, signal: string | number | null): Exit {
  if (signal === null) return { kind: "exited", exitCode: exitCode ?? 0 };
  return { kind: "killed", signal: typeof signal === "number" ? `signal ${signal}` : signal };
}

async function readToEnd(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  take: (chunk: Buffer) => void,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}

export function outputNow(...argv: readonly [string, ...string[]]): string {
  try {
    const ended = bun?.spawnSync(argv, {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      windowsHide: true,
    });
    return Buffer.from(ended?.stdout ?? []).toString("utf8");
  } catch (error) {
    if (!hasCode(error)) throw error;
    return "";
  }
}

/** `node:crypto` takes Bun 1.7 ms to load. */
export function sha256(content: string | Uint8Array, encoding: HashEncoding = "hex"): string {
  if (bun === undefined) throw new Error("this is not the native program"); // package.json names this file for Bun alone
  return new bun.CryptoHasher("sha256").update(content).digest(encoding);
}

export function sha1(content: Uint8Array): string {
  if (bun === undefined) throw new Error("this is not the native program"); // as above
  return new bun.CryptoHasher("sha1").update(content).digest("hex");
}
