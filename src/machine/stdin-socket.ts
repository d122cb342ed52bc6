import { fstatSync } from "node:fs";
import type { StdinSource } from "./read-stdin.ts";

/** Node's own handle for a socket, as far as it is used here. */
interface SocketHandle {
  open(fd: number): number;
  readStart(): number;
  readStop(): number;
  unref(): void;
  onread: (bytes?: ArrayBuffer) => void;
}

interface PipeBinding {
  readonly Pipe: new (type: number) => SocketHandle;
  readonly constants: { readonly SOCKET: number };
}

/** The releases of Node this was tried with; others get Node's streams. */
const KNOWN_RELEASES = [20, 22, 24];

/**
 * Stdin as hosts written in Node or Bun give it: a socket. Node's streams, the public way to read one without waiting for ever,
 * cost a fifth of Node's own start; the handle below them costs nothing. Undefined where stdin is something else or Node
 * does not hand it out (docs/decisions/0091).
 */
export function stdinSocket(): StdinSource | undefined {
  try {
    if (!fstatSync(0).isSocket() || !isKnownRelease()) return undefined;
    const { Pipe, constants } = pipeBinding();
    const handle = new Pipe(constants.SOCKET);
    return handle.open(0) === 0 ? sourceOf(handle) : undefined;
  } catch {
    return undefined;
  }
}

function isKnownRelease(): boolean {
  return process.platform !== "win32" && KNOWN_RELEASES.includes(Number.parseInt(process.versions.node, 10));
}

/** Told to, Node warns of this call, or makes the warning an error that comes later; the person can do nothing about it. */
function pipeBinding(): PipeBinding {
  const { binding } = process as unknown as { binding: (name: string) => PipeBinding }; // deprecated, so not in the types
  const told = process.noDeprecation ?? false;
  process.noDeprecation = true;
  try {
    return binding("pipe_wrap");
  } finally {
    process.noDeprecation = told;
  }
}

function sourceOf(handle: SocketHandle): StdinSource {
  return {
    listen: (take, end) => {
      handle.onread = (bytes) => (bytes === undefined ? end() : take(Buffer.from(bytes)));
      if (handle.readStart() !== 0) end();
    },
    letGo: () => {
      handle.onread = () => {};
      handle.readStop();
      handle.unref();
    },
  };
}
