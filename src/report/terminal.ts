import { type Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { createColors } from "picocolors";
import { explain } from "../trouble.ts";
import { type Environment, currentDirectory } from "../system/process/environment.ts";
import { withOwnCommand } from "../system/process/runtime.ts";
import { troubleOf, writeAll } from "../system/files/files.ts";
import { EXIT } from "./exit-code.ts";

/** Where a command runs and whom it talks to: everything it may know about the process around it. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
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
  stdout.on("error", (error) => tellUnwritten(error));
  stderr.on("error", () => {}); // nowhere left to report it
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

/** A closed pipe (`| head`) is fine. Any other lost output is a failure, whatever the command's result. */
function tellUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  const { trouble } = troubleOf("write to", "stdout", error);
  writeAll(2, `agent-gauntlet: ${explain(trouble)}\n`);
  process.once("exit", () => (process.exitCode = EXIT.notOk));
}

/** Prints a line of ours; the commands that it names are those that work here. */
export function printLine(stream: Writable, line = ""): void {
  printText(stream, `${line}\n`);
}

/** The same for text that has its own line ends. */
export function printText(stream: Writable, text: string): void {
  stream.write(withOwnCommand(text));
}

/** How wide lines for people may be; undefined where nothing says so, as in a pipe. */
export function columnsOf({ stdout }: Terminal): number | undefined {
  return stdout.isTTY === true ? stdout.columns || 80 : undefined;
}

/** Ends the process although something could go on, which would keep whoever waits for it waiting. */
export async function exitNow({ stdout }: Terminal, exitCode: number): Promise<never> {
  await new Promise<void>((written) => stdout.write("", () => written()));
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(exitCode);
}

/** A terminal that keeps what a command prints, to be shown elsewhere. */
export function capturing(terminal: Terminal): { readonly terminal: Terminal; readonly text: () => string } {
  let text = "";
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  return {
    terminal: { ...terminal, stdout: sink, stderr: sink, colours: createColors(false) },
    text: () => text.trimEnd(),
  };
}
