import type { Child, ChildRequest, Exit } from "./child.ts";
import { type NodeHandles, nodeHandles, type PipeHandle, type ProcessHandle } from "./node-handles.ts";

/**
 * Starts a child with the handles below Node's `child_process` and its streams, which cost more than the child itself
 * (docs/decisions/0091). Undefined where that cannot be, or goes wrong: the public way knows the words for it.
 */
export function startWithHandles(request: ChildRequest): Child | undefined {
  const handles = nodeHandles();
  const envPairs = pairsOf(request.env);
  if (handles === undefined || request.stdin !== undefined || !isPlain(request, envPairs)) return undefined;
  const { argv: args, cwd, onOutput } = request;
  const [handle, stdout, stderr] = [handles.newProcess(), handles.newPipe(), handles.newPipe()];
  const exited = exitOf(handle);
  const failure = handles.spawn(handle, {
    args,
    cwd,
    envPairs,
    stdio: [{ type: "ignore" }, { type: "pipe", handle: stdout }, { type: "pipe", handle: stderr }],
  });
  if (failure !== 0) {
    for (const one of [handle, stdout, stderr]) one.close();
    return undefined;
  }
  const printed = [
    readToTheEnd(handles, stdout, (chunk) => onOutput(chunk, "stdout")),
    readToTheEnd(handles, stderr, (chunk) => onOutput(chunk, "stderr")),
  ];
  return {
    pid: handle.pid,
    exited,
    closed: Promise.all([exited, ...printed]),
    letGo: () => {
      stdout.close();
      stderr.close();
    },
  };
}

function pairsOf(env: ChildRequest["env"]): readonly string[] {
  return Object.keys(env).flatMap((name) => (env[name] === undefined ? [] : `${name}=${env[name]}`));
}

/** Whether all of it is text without a zero byte, where it would end below; for what is no text Node would end the process. */
function isPlain({ argv, cwd }: ChildRequest, envPairs: readonly string[]): boolean {
  const given: readonly unknown[] = [argv[0], ...argv, cwd, ...envPairs];
  return given.every((text) => typeof text === "string" && !text.includes("\0"));
}

function exitOf(handle: ProcessHandle): Promise<Exit> {
  return new Promise((resolve) => {
    const onexit: ProcessHandle["onexit"] = (exitCode, signal) => {
      handle.close();
      resolve(signal ? { kind: "killed", signal } : { kind: "exited", exitCode });
    };
    Object.assign(handle, { onexit });
  });
}

function readToTheEnd(handles: NodeHandles, pipe: PipeHandle, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    handles.readFrom(pipe, take, () => {
      pipe.close();
      resolve();
    });
  });
}
