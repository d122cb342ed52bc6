import { programsIn, commandsOf } from "./command-text.ts";
import type { Environment } from "../machine/process/environment.ts";
import { findExecutable } from "../machine/process/executables.ts";
import { join, resolve } from "node:path";
import { relative } from "node:path/posix";
import type { CheckGate } from "../core/gate.ts";
import { once } from "../core/once.ts";
import type { GateOutcome } from "../core/outcome.ts";
import { type ProjectPath, projectPath } from "../core/path.ts";
import type { PlannedGate } from "../core/plan.ts";
import { secretMasker } from "../feedback/mask-secrets.ts";
import { CappedLog } from "../machine/logs/capped-log.ts";
import { GATE_MARK } from "../machine/process/leftovers.ts";
import { RUN_ID_VARIABLE } from "../machine/process/own-mark.ts";
import { elapsedMs, now } from "../machine/clock.ts";
import { modifiedAt, uniqueName, whyNotEnterable } from "../machine/files/files.ts";
import { takeGateLog } from "../machine/logs/log-dir.ts";
import {
  type ProcessEnd,
  type ProcessRequest,
  describeExitCode,
  runProcess,
} from "../machine/process/run-process.ts";
import { type GateContext, type Happened, outcomeOf } from "./gate-context.ts";
import { inLatin1, MaskedOutput } from "../machine/logs/masked-output.ts";

/** A check, planned. */
export type PlannedCheck = PlannedGate & { readonly gate: CheckGate };

/** Runs a shell command in its own process group, its output going to a bounded log. */
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
  const env = checkEnv(gate, context);
  const masker = once(() => secretMasker(inLatin1(env))); // many gates print nothing
  const output = new MaskedOutput(
    (text) => masker()(text),
    (chunk) => {
      log.write(chunk);
      context.onOutput?.(id, chunk);
    },
  );
  const started = elapsedMs();
  const startedAt = now();
  const end = await runAll(
    planned,
    {
      cwd,
      env,
      mark: `${GATE_MARK}=${env[GATE_MARK] ?? ""}`,
      onOutput: (chunk) => output.push(chunk),
      onStarted: context.onGroup,
      onLeftRunning: (names) => output.push(Buffer.from(`\n[left running: ${names.join(", ")}]\n`)),
    },
    signal,
  );
  output.end();
  log.close();
  const report = freshReport(gate, context.root, startedAt);
  return outcomeOf(planned, elapsedMs() - started, {
    ...withMissing(whatHappened(end, log.problem, signal), gate, { end, env, cwd }),
    logPath,
    ...(report === undefined ? {} : { report }),
  });
}

/** Where the program that the command names is missing, that is what went wrong; not what happens inside a script of the project. */
function withMissing(
  happened: Happened,
  { command }: CheckGate,
  { end, env, cwd }: { readonly end: ProcessEnd; readonly env: Environment; readonly cwd: string },
): Happened {
  const isNotFound = end.kind === "exited" && (end.exitCode === 127 || end.exitCode === 126);
  if (happened.kind !== "failed" || !isNotFound) return happened;
  const missing = programsIn(command).find((name) => findExecutable(name, env, cwd) === undefined);
  return missing === undefined ? happened : { ...happened, missing };
}

/** A report left by an earlier run says nothing about this one. */
function freshReport({ report }: CheckGate, root: string, startedAt: number): ProjectPath | undefined {
  if (report === undefined) return undefined;
  const writtenAt = modifiedAt(join(root, report));
  return writtenAt !== undefined && writtenAt >= startedAt - CLOCK_GRAIN_MS ? report : undefined;
}

/** Some file systems keep whole seconds. */
const CLOCK_GRAIN_MS = 1000;

/** Runs the commands one after another within the gate's time; the first that does not pass speaks for all. */
async function runAll(
  { gate, files, workingDirectory }: PlannedCheck,
  request: Omit<ProcessRequest, "argv" | "timeoutMs">,
  signal: AbortSignal,
): Promise<ProcessEnd> {
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

/** `${BASE_BRANCH}` in a command is the shell's to expand, so that no branch name is ever read as code. */
function checkEnv(gate: CheckGate, context: GateContext): Record<string, string | undefined> {
  return {
    ...context.env,
    ...(context.baseBranch === undefined ? {} : { BASE_BRANCH: context.baseBranch }),
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

/** Ended by the deadline of the whole run, not by a person or the host. */
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
