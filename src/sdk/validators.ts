import { randomUUID } from "node:crypto";
import { absolutePath } from "../path.ts";
import { isGreen } from "../stop/status.ts";
import type { Verdict } from "../stop/verdict.ts";
import { loadEngine } from "./engine.ts";
import { type Session, Todo } from "./session.ts";
import {
  type ToolContext,
  type ToolResult,
  type CompletionValidator,
  type ValidationOutcome,
  type ValidationParams,
  ValidationResult,
} from "./validation.ts";
import { LastBytes } from "../system/logs/last-bytes.ts";
import { shellCommand } from "../system/process/executables.ts";
import { informativeWindows } from "../feedback/informative-windows.ts";
import { readLog } from "../feedback/log.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { describeExitCode, type ProcessEnd, runProcess } from "../system/process/run-process.ts";
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";

/** Where the project is whose gates decide. */
export interface GauntletValidatorOptions {
  /** Any directory of the project; the agent's own when absent. */
  readonly cwd?: string;
}

/**
 * Runs the project's own gates, those of `.gauntlet/`, as the stop hook of the command line does, and says the same to
 * the agent. Incomplete only if a gate failed; the budget of the `HookContext` takes the place of `max_retries`.
 */
export function gauntletValidator(options: GauntletValidatorOptions = {}): CompletionValidator {
  const sessions = new WeakMap<Session, string>();
  return async (params, { context }) => {
    const { answerStop, handleStop } = await loadEngine();
    const cwd = options.cwd ?? context.cwd ?? process.cwd();
    const sessionId = sessions.get(context.session) ?? randomUUID();
    sessions.set(context.session, sessionId);
    const stop = {
      event: {
        host: "claude-code" as const,
        sessionId,
        cwd: absolutePath(cwd),
        continued: params.retryCount > 0,
        backgroundTasks: [],
        stopReason: params.stopReason,
      },
      env: process.env,
      budget: budgetOf(params, context),
    };
    const signal = context.signal ?? new AbortController().signal;
    const { given, sent } = await answerStop(stop, { door: "sdk", decide: handleStop, give }, signal);
    sent.catch(() => false); // the agent goes on meanwhile
    return answerOfStop(given.verdict);
  };
}

/** There is no host to write to. */
function give(verdict: Verdict) {
  return { stdout: "", exitCode: 0, verdict };
}

/** Always room for this answer: whether it may still block is for the stop hook to say. */
function budgetOf({ retryCount: spent }: ValidationParams, { maxStopRetries = 0 }: ToolContext) {
  return { spent, max: Math.max(maxStopRetries, spent + 1) };
}

function answerOfStop({ status, message, feedback }: Verdict): ToolResult<ValidationOutcome> {
  const complete = status !== "failed";
  return {
    message,
    value: new ValidationResult({ complete, reason: feedback ?? message }),
    success: isGreen(status) || status === "failed",
  };
}

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
    const output = new LastBytes(KEPT_BYTES);
    const end = await runProcess(
      {
        argv: typeof command === "string" ? shellCommand(command) : command,
        cwd: options.cwd ?? context.cwd ?? process.cwd(),
        env: { ...env, GAUNTLET_STOP_HOOK_ACTIVE: "1" },
        timeoutMs: timeout * 1000,
        mustNotHideSignals: true,
        onOutput: (chunk) => output.push(chunk),
      },
      context.signal,
    );
    return answerOfCommand(end, typeof command === "string" ? command : command.join(" "), () =>
      excerpt(output.text(), env),
    );
  };
}

const DEFAULT_TIMEOUT_SECONDS = 240;
const KEPT_BYTES = 1024 * 1024;
const REASON_CHARS = 8_500;

function answerOfCommand(
  end: ProcessEnd,
  command: string,
  output: () => string,
): ToolResult<ValidationOutcome> {
  switch (end.kind) {
    case "exited":
      if (end.exitCode === 0)
        return answer("Command passed", { complete: true, reason: `\`${command}\` passed` });
      return commandFailed(`\`${command}\` failed with ${describeExitCode(end.exitCode)}.`, output());
    case "killed":
      return commandFailed(`\`${command}\` was killed by ${end.signal}.`, output());
    case "timed-out":
      return commandFailed(`\`${command}\` did not end within ${end.afterMs / 1000} s.`, output());
    case "cancelled":
      throw new Error(`\`${command}\` was ended because nothing waits for it any more.`);
    case "not-started":
      throw new Error(`\`${command}\` could not be started: ${end.detail}`);
  }
}

function commandFailed(what: string, output: string): ToolResult<ValidationOutcome> {
  const reason = output === "" ? `${what} It printed nothing.` : `${what} It printed:\n${output}`;
  return answer("Command failed", { complete: false, reason });
}

function answer(message: string, outcome: ValidationOutcome): ToolResult<ValidationOutcome> {
  return { message, value: new ValidationResult(outcome) };
}

function excerpt(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return informativeWindows(readLog(secretMasker(env)(text)).lines, REASON_CHARS).trim();
}

/** Complete when every validator says so: asked in order, the first other answer is the answer. */
export function compositeValidator(...validators: readonly CompletionValidator[]): CompletionValidator {
  return async (params, options) => {
    for (const validator of validators) {
      options.context.signal?.throwIfAborted();
      // One after another: a validator may rely on what the ones before it made sure of.
      // oxlint-disable-next-line no-await-in-loop
      const result = await validator(params, options);
      if (result?.value?.complete !== true) return result;
    }
    return answer("All checks passed", { complete: true, reason: "All validators passed" });
  };
}

/**
 * Incomplete until every file exists. Relative paths start at `cwd`, or at the agent's own directory when absent.
 * A file that cannot be looked at counts as missing: this validator never says "complete" without having seen it.
 */
export function fileOutputValidator(
  files: readonly string[],
  options: { readonly cwd?: string } = {},
): CompletionValidator {
  return async (_params, { context }) => {
    const base = options.cwd ?? context.cwd;
    const found = await Promise.all(files.map((file) => isFile(file, base)));
    const missing = files.filter((_, index) => !found[index]);
    if (missing.length > 0) return somethingMissing(missing);
    return answer("Complete", { complete: true, reason: `All output files are there (${files.length})` });
  };
}

async function isFile(file: string, base: string | undefined): Promise<boolean> {
  if (base === undefined && !isAbsolute(file)) return false;
  return stat(resolve(base ?? "", file)).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

const NAMED = 3;

function somethingMissing(missing: readonly string[]): ToolResult<ValidationOutcome> {
  const named = missing.slice(0, NAMED).join(", ");
  const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
  const reason = `Output files are missing: ${named}${rest}. Write them before you stop.`;
  return answer("Incomplete", { complete: false, reason });
}

/** Incomplete while the session has todos that are not completed. */
export const todoValidator: CompletionValidator = (_params, { context }) => {
  const remaining = context.session.slice(Todo).where((todo) => todo.status !== "completed").length;
  return remaining === 0
    ? answer("Complete", { complete: true, reason: "All todos done" })
    : answer("Incomplete", { complete: false, reason: `${remaining} todos remaining` });
};
