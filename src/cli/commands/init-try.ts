import { shellCommand } from "../../machine/process/executables.ts";
import { join } from "node:path";
import type { DetectedCheck } from "../../install/detect/project.ts";
import { type ProcessEnd, runProcess } from "../../machine/process/run-process.ts";
import { elapsedMs } from "../../machine/clock.ts";
import { formatDuration } from "../../report/plain-lines.ts";
import { cancellation } from "../cancellation.ts";
import { printLine, type Terminal } from "../terminal.ts";
import type { NewConfig } from "./init-config.ts";

/** As long as a check gets when its configuration does not say. */
const TIMEOUT_MS = 240_000;
const SHOWN_LINES = 5;

/** Runs every proposed check once, so that the first stop brings no surprise. What fails stays in the configuration. */
export async function tryChecks(
  { scopes }: NewConfig,
  terminal: Terminal,
  closed: AbortSignal = new AbortController().signal,
): Promise<void> {
  using cancel = cancellation();
  const signal = AbortSignal.any([cancel.signal, closed]);
  printLine(terminal.stdout, "\nTrying each check once...");
  for (const { path, checks } of scopes)
    for (const check of checks) {
      if (signal.aborted) return;
      await tryCheck(check, { ...terminal, cwd: join(terminal.cwd, path) }, signal);
    }
}

async function tryCheck(
  { name, command, env = {} }: DetectedCheck,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { stdout, colours } = terminal;
  let output = "";
  const started = elapsedMs();
  const end = await runProcess(
    {
      argv: shellCommand(command),
      cwd: terminal.cwd,
      env: { ...terminal.env, ...env },
      timeoutMs: TIMEOUT_MS,
      onOutput: (chunk) => void (output = (output + chunk.toString()).slice(-20_000)),
    },
    signal,
  );
  const time = formatDuration(Math.round(elapsedMs() - started));
  if (end.kind === "exited" && end.exitCode === 0)
    return printLine(stdout, `${colours.green("✓")} ${name} passes (${time})`);
  printLine(stdout, `${colours.red("✗")} ${name} ${inWords(end)} (${time}): ${command}`);
  const last = output.trimEnd().split("\n").slice(-SHOWN_LINES);
  for (const line of last) printLine(stdout, `    ${line}`);
}

function inWords(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return end.exitCode === 127 ? "cannot be run here" : `fails with exit code ${end.exitCode}`;
    case "killed":
      return `is killed by ${end.signal}`;
    case "timed-out":
      return "takes too long";
    case "cancelled":
      return "was interrupted";
    case "not-started":
      return `cannot be started: ${end.detail}`;
  }
}
