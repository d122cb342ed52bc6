import { findExecutable, shellCommand } from "../system/process/executables.ts";
import { join, resolve } from "node:path";
import { relative } from "node:path/posix";
import type { CheckGate } from "./gate.ts";
import { once } from "../once.ts";
import { missingDependency } from "./missing-dependency.ts";
import { programsNamedIn } from "../system/process/named-programs.ts";
import type { GateOutcome } from "./outcome.ts";
import { type ProjectPath, projectPath } from "../path.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { CappedLog } from "../system/logs/capped-log.ts";
import { GATE_MARK } from "../system/process/leftovers.ts";
import { type Environment, RUN_ID_VARIABLE } from "../system/process/environment.ts";
import { elapsedMs, now } from "../system/clock.ts";
import { modifiedAt, uniqueName, whyNotEnterable } from "../system/files/files.ts";
import { takeGateLog } from "../system/logs/log-dir.ts";
import {
  type ProcessEnd,
  type ProcessRequest,
  describeExitCode,
  runProcess,
} from "../system/process/run-process.ts";
import {
  type EndedRemotely,
  type GateContext,
  type Happened,
  outcomeOf,
  type PlannedCheck,
} from "./gate-context.ts";
import { inLatin1, MaskedOutput } from "../system/logs/masked-output.ts";

export async function runCheck(
  planned: PlannedCheck,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { gate, id, workingDirectory } = planned;
  const cwd = resolve(context.root, workingDirectory);
  const obstacle = whyNotEnterable(cwd);
  if (obstacle !== undefined)
    return outcomeOf(planned, 0, {
      kind: "errored",
      detail: `the working directory ${workingDirectory} ${obstacle}`,
    });
  const { logRoot = context.root } = context;
  const taken = takeGateLog(join(logRoot, context.logDir), id, context.runNumber);
  const logPath = projectPath(`${context.logDir}/${taken.name}`);
  const log = new CappedLog(join(logRoot, logPath), taken);
  const env = checkEnv(planned, context);
  const masker = once(() => secretMasker(inLatin1(env))); // many gates print nothing
  let ending = "";
  const output = new MaskedOutput(
    (text) => masker()(text),
    (chunk) => {
      log.write(chunk);
      ending = (ending + chunk.toString()).slice(-LONGEST_ENDING);
      context.onOutput?.(id, chunk);
    },
  );
  const [started, startedAt] = [elapsedMs(), now()];
  const onOutput = (chunk: Buffer): void => output.push(chunk);
  const away = await context.runRemotely?.(planned, onOutput, signal);
  const end =
    away?.end ??
    (await runCommands(
      planned,
      { cwd, env, onOutput, onStarted: context.onGroup, isSibling: context.isGate },
      signal,
    ));
  output.end();
  log.close();
  const report = freshReport(gate.report, context.root, startedAt);
  const happened = withMissing(whatHappened(end, log.problem, signal), () =>
    away === undefined
      ? (missingProgram(gate.command, { end, env, cwd }) ?? missingDependency(gate.command, { ending, cwd }))
      : away.missing,
  );
  return outcomeOf(planned, elapsedMs() - started, { ...withSupport(happened, away), logPath, report });
}

/** So much of the output is kept to see how it ended. */
const LONGEST_ENDING = 4000;

/** What a warm checkout holds beside the tree may have made the gate pass. */
function withSupport(happened: Happened, away: EndedRemotely | undefined): Happened {
  const isDoubtful = happened.kind === "passed" && away !== undefined && away.isFresh !== true;
  return isDoubtful ? { ...happened, rests: "worker" } : happened;
}

function withMissing(happened: Happened, find: () => string | undefined): Happened {
  const missing = happened.kind === "failed" ? find() : undefined;
  return happened.kind !== "failed" || missing === undefined ? happened : { ...happened, missing };
}

/** A missing program that the command names is the reason; what a script of the project starts is not ours to explain. */
export function missingProgram(
  command: string,
  { end, env, cwd }: { readonly end: ProcessEnd; readonly env: Environment; readonly cwd: string },
): string | undefined {
  const isNotFound = end.kind === "exited" && (end.exitCode === 127 || end.exitCode === 126);
  if (!isNotFound) return undefined;
  const onPath = programsNamedIn(command).filter((name) => !name.includes("/"));
  return onPath.find((name) => findExecutable(name, env, cwd) === undefined);
}

/** An earlier run's report says nothing about this one. */
export function freshReport(
  report: ProjectPath | undefined,
  root: string,
  startedAt: number,
): ProjectPath | undefined {
  if (report === undefined) return undefined;
  const writtenAt = modifiedAt(join(root, report));
  return writtenAt !== undefined && writtenAt >= startedAt - CLOCK_GRAIN_MS ? report : undefined;
}

/** Some file systems store whole seconds. */
const CLOCK_GRAIN_MS = 1000;

type CommandsRequest = Omit<ProcessRequest, "argv" | "timeoutMs" | "mark"> & {
  readonly env: Environment;
  readonly onOutput: (chunk: Buffer) => void;
};

export async function runCommands(
  { gate, files, workingDirectory }: Pick<PlannedCheck, "gate" | "files" | "workingDirectory">,
  around: CommandsRequest,
  signal: AbortSignal,
): Promise<ProcessEnd> {
  const mark = `${GATE_MARK}=${around.env[GATE_MARK] ?? ""}`;
  const onLeftRunning = (names: readonly string[]): void =>
    around.onOutput(Buffer.from(`\n[left running: ${names.join(", ")}]\n`));
  const request = { mark, onLeftRunning, ...around };
  const deadline = elapsedMs() + gate.timeoutMs;
  let worst: ProcessEnd = { kind: "exited", exitCode: 0 };
  for (const argv of commandsOf(gate, () => files.map(({ path }) => relative(workingDirectory, path)))) {
    const timeoutMs = Math.max(1, deadline - elapsedMs());
    const end = await runProcess({ ...request, argv, timeoutMs, mustNotHideSignals: true }, signal);
    if (isPass(worst)) worst = end.kind === "timed-out" ? { ...end, afterMs: gate.timeoutMs } : end;
    if (end.kind !== "exited") break;
  }
  return worst;
}

function isPass(end: ProcessEnd): boolean {
  return end.kind === "exited" && end.exitCode === 0;
}

/** The shell expands `${BASE_BRANCH}`, so no branch name is ever read as code. */
export function checkEnv(
  { id, gate }: Pick<PlannedCheck, "id" | "gate">,
  context: Pick<GateContext, "env" | "baseBranch" | "traceparentOf" | "runId">,
): Record<string, string | undefined> {
  return {
    ...context.env,
    BASE_BRANCH: context.baseBranch,
    TRACEPARENT: context.traceparentOf?.(id) ?? context.env["TRACEPARENT"],
    ...gate.env,
    GAUNTLET_STOP_HOOK_ACTIVE: "1",
    [RUN_ID_VARIABLE]: context.runId,
    [GATE_MARK]: uniqueName(),
  };
}

function whatHappened(end: ProcessEnd, logProblem: string | undefined, signal: AbortSignal): Happened {
  switch (end.kind) {
    case "exited":
      if (end.exitCode !== 0) return failed(describeExitCode(end.exitCode), logProblem);
      return logProblem === undefined
        ? { kind: "passed" }
        : { kind: "passed", warning: `its log is incomplete: ${logProblem}` };
    case "killed":
      return failed(`killed by ${end.signal}`, logProblem);
    case "timed-out":
      return { kind: "timed-out", afterMs: end.afterMs };
    case "not-started":
      return { kind: "errored", detail: end.detail };
    case "cancelled":
      return { kind: "cancelled", detail: `ended before it was done${isTimeUp(signal) ? TIME_IS_UP : ""}` };
  }
}

/** Killed by the deadline of the whole run. */
function isTimeUp({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

const TIME_IS_UP =
  ", because the time of the stop hook is over: make the gates faster, or raise the hook's timeout";

function failed(how: string, logProblem: string | undefined): Happened {
  return {
    kind: "failed",
    detail: logProblem === undefined ? how : `${how}; its log is incomplete: ${logProblem}`,
  };
}

/** Several commands only if the file names are too long for one. */
function commandsOf(
  gate: CheckGate,
  files: () => readonly string[],
): readonly (readonly [string, ...string[]])[] {
  if (!gate.command.includes(PLACEHOLDER)) return [commandOf(gate, gate.command, [])];
  const names = files().map(notAnOption);
  const isCmd = gate.shell === undefined && process.platform === "win32";
  if (isCmd) {
    return batches(names.map(quoteForCmd), MAX_CMD_BYTES).map((batch) =>
      commandOf(
        gate,
        gate.command.replaceAll(PLACEHOLDER, () => batch.join(" ")),
        [],
      ),
    );
  }
  const command = gate.command.replaceAll(PLACEHOLDER, () => '"$@"');
  return batches(names, MAX_BYTES).map((batch) => commandOf(gate, command, batch));
}

const PLACEHOLDER = "{files}";
/** Far below the limit of Linux, macOS and the BSDs for arguments and environment. */
const MAX_BYTES = 128 * 1024;
/** `cmd` takes 8,191 characters for the whole line. */
const MAX_CMD_BYTES = 6_000;

/** File names are arguments of the shell and never part of its text, so none is read as code. */
function commandOf(
  { shell }: CheckGate,
  command: string,
  names: readonly string[],
): readonly [string, ...string[]] {
  const args = names.length === 0 ? [] : ["gate", ...names];
  return shell === undefined ? shellCommand(command, ...args) : [shell, "-c", command, ...args];
}

/** A name that begins with a dash would be read as an option. */
function notAnOption(name: string): string {
  return name.startsWith("-") ? `./${name}` : name;
}

/** On Windows no file name has a quotation mark; a percent sign outside of them is not expanded twice. */
function quoteForCmd(name: string): string {
  return `"${name.replaceAll("%", '"^%"')}"`;
}

function batches(names: readonly string[], maxBytes: number): readonly (readonly string[])[] {
  const all: string[][] = [[]];
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 1;
    if (bytes > maxBytes && all.at(-1)?.length !== 0) {
      all.push([]);
      bytes = Buffer.byteLength(name) + 1;
    }
    all.at(-1)?.push(name);
  }
  return all;
}
