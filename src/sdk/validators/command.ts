import { TailBuffer } from "../../machine/files/tail.ts";
import { shellCommand } from "../../machine/process/executables.ts";
import { informativeWindows } from "../../feedback/informative-windows.ts";
import { readLog } from "../../feedback/log.ts";
import { secretMasker } from "../../feedback/text/mask-secrets.ts";
import { describeExitCode, type ProcessEnd, runProcess } from "../../machine/process/run-process.ts";
import {
  type ToolResult,
  type CompletionValidator,
  type ValidationOutcome,
  ValidationResult,
} from "../validation.ts";

/** A command that says by its exit code whether the task is complete. */
export interface CommandValidatorOptions {
  /** A line for the shell (`sh`, on Windows `cmd`), or a program with its arguments for no shell at all. */
  readonly command: string | readonly [string, ...string[]];
  /** Where it runs; the agent's own directory when absent. */
  readonly cwd?: string;
  /** Seconds until the command and everything it started is ended and counts as failed; 240 when absent. */
  readonly timeout?: number;
  /** Instead of the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Complete when the command exits with 0; otherwise the reason shows what it printed. A command that cannot be started
 * is a mistake of the program, not of the agent: it throws, and the stop hook warns and lets the agent stop.
 */
export function commandValidator(options: CommandValidatorOptions): CompletionValidator {
  const { command, timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  if (!(timeout > 0)) throw new RangeError(`timeout must be a number of seconds above 0, not ${timeout}.`);
  return async (_params, { context }) => {
    const env = options.env ?? process.env;
    const output = new TailBuffer(KEPT_BYTES);
    const end = await runProcess(
      {
        argv: typeof command === "string" ? shellCommand(command) : command,
        cwd: options.cwd ?? context.cwd ?? process.cwd(),
        env: { ...env, GAUNTLET_STOP_HOOK_ACTIVE: "1" },
        timeoutMs: timeout * 1000,
        mustNotHideSignals: true,
        onOutput: (chunk) => output.write(chunk),
      },
      context.signal,
    );
    return answerFor(end, typeof command === "string" ? command : command.join(" "), () =>
      excerpt(output.toString(), env),
    );
  };
}

const DEFAULT_TIMEOUT_SECONDS = 240;
const KEPT_BYTES = 1024 * 1024;
const REASON_CHARS = 8_500;

function answerFor(end: ProcessEnd, command: string, output: () => string): ToolResult<ValidationOutcome> {
  switch (end.kind) {
    case "exited":
      if (end.exitCode === 0) return passed(command);
      return failed(`\`${command}\` failed with ${describeExitCode(end.exitCode)}.`, output());
    case "killed":
      return failed(`\`${command}\` was killed by ${end.signal}.`, output());
    case "timed-out":
      return failed(`\`${command}\` did not end within ${end.afterMs / 1000} s.`, output());
    case "cancelled":
      throw new Error(`\`${command}\` was ended because nothing waits for it any more.`);
    case "not-started":
      throw new Error(`\`${command}\` could not be started: ${end.detail}`);
  }
}

function passed(command: string): ToolResult<ValidationOutcome> {
  const reason = `\`${command}\` passed`;
  return { message: "Command passed", value: new ValidationResult({ complete: true, reason }) };
}

function failed(what: string, output: string): ToolResult<ValidationOutcome> {
  const reason = output === "" ? `${what} It printed nothing.` : `${what} It printed:\n${output}`;
  return { message: "Command failed", value: new ValidationResult({ complete: false, reason }) };
}

function excerpt(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return informativeWindows(readLog(secretMasker(env)(text)).lines, REASON_CHARS).trim();
}
