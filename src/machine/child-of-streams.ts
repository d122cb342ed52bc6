import type { ChildProcess } from "node:child_process";
import { nodeChildProcess } from "./builtin.ts";
import type { Child, ChildRequest, Exit, NotStarted } from "./child.ts";

/** Starts a child with Node's `child_process`: everywhere, with input, and with words for what went wrong. */
export function startWithStreams(request: ChildRequest): Child | NotStarted {
  try {
    const child = start(request);
    const { pid } = child;
    return pid === undefined ? { detail: spawnError(child) } : { pid, ...watch(child) };
  } catch (error) {
    // Node reports some failures to start as events and throws others, such as a command line that is too long.
    if (!(error instanceof Error && "code" in error)) throw error;
    return { detail: Promise.resolve(error.message) };
  }
}

function start(request: ChildRequest): ChildProcess {
  const [file, ...args] = request.argv;
  const child = nodeChildProcess().spawn(file, args, {
    cwd: request.cwd,
    env: request.env,
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.on("error", () => {}); // told by spawnError; later ones are failed kills of a child that is gone
  child.stdout?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => request.onOutput(chunk, "stderr"));
  child.stdin?.on("error", () => {}); // a child may end without reading its input
  child.stdin?.end(request.stdin);
  return child;
}

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
    },
  };
}
