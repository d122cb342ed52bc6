import { EXIT, exitCodeBy } from "../../report/exit-code.ts";
import { exitNow, printLine, type Terminal } from "../../report/terminal.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { findExecutable, startOf } from "../../system/process/executables.ts";
import { type ProcessEnd, runProcess } from "../../system/process/run-process.ts";
import type { ChildInput } from "../../system/process/runtime.ts";
import { Lines } from "./messages.ts";
import { Proxy, type Surroundings } from "./proxy.ts";

export interface AcpOptions {
  /** Run nothing of a project that its user has not allowed. */
  readonly onlyAllowed?: boolean;
}

type SessionHooks = Pick<Surroundings, "begin" | "hear">;

/** An agent that is told of the end of its input has so long to end by itself. */
const FAREWELL_MS = 3_000;

/** Serves a client on stdio by starting the agent behind it. Ends with it, and never leaves it behind. */
export async function acpCommand(
  terminal: Terminal,
  [program = "", ...args]: readonly string[],
  { onlyAllowed = false, ...hooks }: AcpOptions & SessionHooks,
): Promise<number> {
  const { cwd, env, stdin, stdout, stderr } = terminal;
  using cancel = cancellation();
  const path = findExecutable(program, env, cwd);
  if (path === undefined) return notStarted(terminal, program, "there is no such program");

  let input: ChildInput | undefined;
  const toAgent = (line: string | Buffer): void => input?.write(line);
  const toClient = (line: string | Buffer): void => void stdout.write(line);
  const proxy = new Proxy({ cwd, env, onlyAllowed, toAgent, toClient, ...hooks });
  const leaving = new AbortController();
  const clientIsGone = async (): Promise<void> => {
    input?.end();
    await proxy.end();
    setTimeout(() => leaving.abort(), FAREWELL_MS).unref();
  };
  stdout.once("error", () => void clientIsGone());
  cancel.signal.addEventListener("abort", () => void proxy.end());

  const printed = new Lines();
  const ended = runProcess(
    {
      argv: startOf(path, args),
      cwd,
      env,
      onInput: (opened) => {
        input = opened;
      },
      onOutput: (chunk, stream) => {
        if (stream === "stderr") stderr.write(chunk);
        else for (const line of printed.feed(chunk)) proxy.fromAgent(line);
      },
    },
    AbortSignal.any([cancel.signal, leaving.signal]),
  );
  void readAll(stdin, (line) => proxy.fromClient(line)).then(clientIsGone, clientIsGone);

  const end = await ended;
  await proxy.end();
  toClient(printed.rest());
  if (end.kind === "not-started") notStarted(terminal, program, end.detail);
  const exitCode = cancel.cause === undefined ? exitCodeOf(end) : exitCodeBy(cancel.cause);
  return await exitNow(terminal, exitCode); // a client may hold our stdin open
}

async function readAll(stdin: AsyncIterable<Buffer>, take: (line: Buffer) => Promise<void>): Promise<void> {
  const lines = new Lines();
  for await (const chunk of stdin) for (const line of lines.feed(chunk)) await take(line);
  const rest = lines.rest();
  if (rest.length > 0) await take(rest);
}

function notStarted({ stderr }: Terminal, program: string, detail: string): number {
  printLine(stderr, `agent-gauntlet acp: ${program} could not be started: ${detail}.`);
  return EXIT.notOk;
}

function exitCodeOf(end: ProcessEnd): number {
  switch (end.kind) {
    case "exited":
      return end.exitCode;
    case "killed":
      return exitCodeBy(end.signal as NodeJS.Signals); // as the system names it
    case "not-started":
      return EXIT.notOk;
    case "timed-out":
    case "cancelled":
      return EXIT.ok;
  }
}
