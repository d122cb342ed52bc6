import { fstatSync } from "node:fs";
import { nodeHandles } from "./node-handles.ts";
import type { StdinSource } from "./read-stdin.ts";

/**
 * Stdin as hosts written in Node or Bun give it: a socket. Node's streams, the public way to read one without waiting for ever,
 * cost a fifth of Node's own start; the handle below them costs nothing. Undefined where stdin is something else or Node
 * does not hand it out (docs/decisions/0091).
 */
export function stdinSocket(): StdinSource | undefined {
  try {
    const handles = fstatSync(0).isSocket() ? nodeHandles() : undefined;
    const socket = handles?.newPipe();
    if (handles === undefined || socket?.open(0) !== 0) return undefined;
    return {
      listen: (take, end) => handles.readFrom(socket, take, end),
      letGo: () => {
        socket.onread = () => {};
        socket.readStop();
        socket.unref();
      },
    };
  } catch {
    return undefined;
  }
}
