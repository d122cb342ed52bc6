import { join, resolve } from "node:path";
import type { CheckGate } from "../core/gate.ts";
import type { GateOutcome } from "../core/outcome.ts";
import { projectPath } from "../core/path.ts";
import type { PlannedGate } from "../core/plan.ts";
import { CappedLog } from "../machine/capped-log.ts";
import { RUN_ID_VARIABLE } from "../machine/gate-groups.ts";
import { isDirectory } from "../machine/kind-of.ts";
import { takeGateLogName } from "../machine/log-dir.ts";
import { type ProcessEnd, runProcess } from "../machine/process.ts";
import type { GateContext } from "./gate-context.ts";
import { type Happened, outcomeOf } from "./outcome-of.ts";

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
  if (!isDirectory(cwd)) {
    return outcomeOf(planned, 0, {
      kind: "errored",
      detail: `the working directory ${workingDirectory} does not exist`,
    });
  }
  const logName = takeGateLogName(join(context.root, context.logDir), id, context.runNumber);
  const logPath = projectPath(`${context.logDir}/${logName}`);
  const log = new CappedLog(join(context.root, logPath));
  const started = performance.now();
  const end = await runProcess(
    {
      argv: shellCommand(gate),
      cwd,
      env: checkEnv(gate, context),
      timeoutMs: gate.timeoutMs,
      onOutput: (chunk) => log.write(chunk),
      onStarted: context.onGroup,
    },
    signal,
  );
  log.close();
  return outcomeOf(planned, performance.now() - started, { ...whatHappened(end, log.problem), logPath });
}

function shellCommand({ command, shell }: CheckGate): [string, ...string[]] {
  if (shell !== undefined) return [shell, "-c", command];
  return process.platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["sh", "-c", command];
}

/** `${BASE_BRANCH}` in a command is the shell's to expand, so that no branch name is ever read as code. */
function checkEnv(gate: CheckGate, context: GateContext): Record<string, string | undefined> {
  return {
    ...context.env,
    ...(context.baseBranch === undefined ? {} : { BASE_BRANCH: context.baseBranch }),
    ...gate.env,
    GAUNTLET_STOP_HOOK_ACTIVE: "1",
    [RUN_ID_VARIABLE]: context.runId,
  };
}

function whatHappened(end: ProcessEnd, logProblem: string | undefined): Happened {
  switch (end.kind) {
    case "exited":
      if (end.exitCode !== 0) return failed(`exit code ${end.exitCode}`, logProblem);
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
      return { kind: "cancelled", detail: "ended before it was done" };
  }
}

function failed(how: string, logProblem: string | undefined): Happened {
  return {
    kind: "failed",
    detail: logProblem === undefined ? how : `${how}; its log is incomplete: ${logProblem}`,
  };
}
