import type { Readable, Writable } from "node:stream";

/** What a command may know of its process, handed in so that it can be run without one. */
export interface CommandWorld {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether a person sits at stdin and stdout. */
  readonly isTTY: boolean;
}

export function say(stream: Writable, ...lines: readonly string[]): void {
  for (const line of lines) stream.write(`${line}\n`);
}
