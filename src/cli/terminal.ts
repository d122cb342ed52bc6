import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { createColors } from "picocolors";
import { currentDirectory } from "../machine/environment.ts";

/** Where a command runs and whom it talks to: everything it may know about the process around it. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** A person is there to be asked. */
  readonly isInteractive: boolean;
  /** Colours where they will be seen; `NO_COLOR` is honoured. */
  readonly colours: ReturnType<typeof createColors>;
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isPlain = Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
  const isTerminal = isatty(1); // `stdout.isTTY` is absent in a pipe, and then picocolors would decide by itself
  for (const stream of [stdout, stderr]) stream.on("error", ignoreClosedPipe);
  return {
    cwd: currentDirectory(),
    env,
    stdin,
    stdout,
    stderr,
    isInteractive: isatty(0) && isTerminal,
    colours: createColors(isTerminal && !isPlain),
  };
}

/** Nobody reads any more (`| head`): not worth a stack trace. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

export function printLine(stream: Writable, line = ""): void {
  stream.write(`${line}\n`);
}
