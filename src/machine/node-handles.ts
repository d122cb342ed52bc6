import { once } from "../core/once.ts";

/** What Node's `net` and `child_process` are made of, as far as it is used here (docs/decisions/0091). */
export interface NodeHandles {
  readonly newPipe: () => PipeHandle;
  readonly newProcess: () => ProcessHandle;
  /** Starts the child in a process group of its own. Zero, or the negative number of an error. */
  readonly spawn: (handle: ProcessHandle, options: SpawnOptions) => number;
  /** Hands over what comes, and tells the end, also when reading fails. */
  readonly readFrom: (pipe: PipeHandle, take: (chunk: Buffer) => void, end: () => void) => void;
}

export interface PipeHandle {
  open(fd: number): number;
  readStart(): number;
  readStop(): number;
  unref(): void;
  close(): void;
  onread: (bytes?: ArrayBuffer) => void;
}

export interface ProcessHandle {
  readonly pid: number;
  spawn(...call: readonly unknown[]): number;
  close(): void;
  /** `signal` is empty for a child that ended by itself. */
  onexit: (exitCode: number, signal: string) => void;
}

interface SpawnOptions {
  readonly args: readonly [string, ...string[]];
  readonly cwd: string;
  readonly envPairs: readonly string[];
  readonly stdio: readonly { readonly type: "ignore" | "pipe"; readonly handle?: PipeHandle }[];
}

let isProcessOurs = false;

/** Said by our own programs alone: a wrong call would end the process, and one that uses the library is not ours to end. */
export function processIsOurs(): void {
  isProcessOurs = true;
}

/** Undefined where this Node is not known or does not hand them out: whoever asks goes the public way then. */
export function nodeHandles(): NodeHandles | undefined {
  return isProcessOurs ? findHandles() : undefined;
}

const findHandles = once((): NodeHandles | undefined => {
  if (!isKnownRuntime()) return undefined;
  try {
    const pipes = binding("pipe_wrap");
    const streams = binding("stream_wrap");
    const processes = once(() => binding("process_wrap")); // the first answers start no process
    return {
      newPipe: () => new pipes.Pipe(pipes.constants.SOCKET),
      newProcess: () => new (processes().Process)(),
      spawn: (handle, options) => spawn(processes(), handle, options),
      readFrom: (pipe, take, end) => {
        const { streamBaseState: state, kArrayBufferOffset: offset, kReadBytesOrError: length } = streams;
        pipe.onread = (bytes) =>
          bytes === undefined ? end() : take(Buffer.from(bytes, state[offset], state[length]));
        if (pipe.readStart() !== 0) end();
      },
    };
  } catch {
    return undefined;
  }
});

interface Bindings {
  readonly pipe_wrap: {
    readonly Pipe: new (type: number) => PipeHandle;
    readonly constants: { readonly SOCKET: number };
  };
  /** Where Node says which part of the bytes was read. */
  readonly stream_wrap: {
    readonly streamBaseState: Int32Array;
    readonly kArrayBufferOffset: number;
    readonly kReadBytesOrError: number;
  };
  readonly process_wrap: {
    readonly Process: new () => ProcessHandle;
    readonly constants?: { readonly kProcessFlagDetached: number };
  };
}

/** Releases with a flag for it take the options one by one. */
function spawn(
  { constants }: Bindings["process_wrap"],
  handle: ProcessHandle,
  { args, cwd, envPairs, stdio }: SpawnOptions,
): number {
  const [file] = args;
  return constants === undefined
    ? handle.spawn({ file, args, cwd, envPairs, stdio, detached: true })
    : handle.spawn(file, args, cwd, envPairs, stdio, constants.kProcessFlagDetached);
}

/** Told to, Node warns of this call, or makes the warning an error that comes later; the person can do nothing about it. */
function binding<Name extends keyof Bindings>(name: Name): Bindings[Name] {
  const node = process as unknown as { binding: (name: Name) => Bindings[Name] }; // deprecated, so not in the types
  const told = process.noDeprecation ?? false;
  process.noDeprecation = true;
  try {
    return node.binding(name);
  } finally {
    process.noDeprecation = told;
  }
}

/** The newest release of each line this was tried with. One that has changed it answers a wrong call by ending the process. */
const NEWEST_KNOWN: Readonly<Record<string, readonly [minor: number, patch: number]>> = {
  20: [20, 2],
  22: [23, 3],
  24: [21, 0],
  26: [10, 0],
};
const OTHER_RUNTIMES = ["bun", "deno", "electron"];

function isKnownRuntime(): boolean {
  const { platform, versions } = process;
  const isNode = !OTHER_RUNTIMES.some((name) => name in versions);
  return isNode && platform === "linux" && isKnownRelease(versions.node);
}

/** A nightly build has no number in its last place, so one of a newest release is not known. */
export function isKnownRelease(version: string): boolean {
  const [major = "", minor, patch] = version.split(".");
  const [newestMinor, newestPatch] = NEWEST_KNOWN[major] ?? [-1, -1];
  return Number(minor) < newestMinor || (Number(minor) === newestMinor && Number(patch) <= newestPatch);
}
