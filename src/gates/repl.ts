import { elapsedMs } from "../machine/clock.ts";
import { join } from "node:path";
import type { ReplGate } from "../core/gate.ts";
import type { GateOutcome } from "../core/outcome.ts";
import { projectPath } from "../core/path.ts";
import type { PlannedGate } from "../core/plan.ts";
import { findRedSummary } from "../core/test-summary.ts";
import { CappedLog } from "../machine/logs/capped-log.ts";
import { takeGateLog } from "../machine/logs/log-dir.ts";
import { evaluate, type EvaluationEnd } from "../machine/nrepl/evaluate.ts";
import { findServer } from "../machine/nrepl/find-server.ts";
import type { GateContext } from "./gate-context.ts";
import { type Happened, outcomeOf } from "./outcome-of.ts";

/** A REPL gate, planned. */
export type PlannedRepl = PlannedGate & { readonly gate: ReplGate };

/** Evaluates code on a running nREPL server; what it prints and answers goes to a bounded log. */
export async function runRepl(
  planned: PlannedRepl,
  context: GateContext,
  signal: AbortSignal,
): Promise<GateOutcome> {
  const { gate, id } = planned;
  const search = findServer({ cwd: context.root, env: context.env, ...context.replServer });
  if (search.kind === "not-found") return outcomeOf(planned, 0, unavailable(search.detail));
  const taken = takeGateLog(join(context.root, context.logDir), id, context.runNumber);
  const logPath = projectPath(`${context.logDir}/${taken.name}`);
  const log = new CappedLog(join(context.root, logPath), taken);
  const { server } = search;
  const { code, timeoutMs } = gate;
  const onOutput = (chunk: Buffer): void => log.write(chunk);
  const started = elapsedMs();
  const end = await evaluate({ server, code, timeoutMs, onOutput }, signal);
  log.close();
  const happened = whatHappened(end, gate, `${server.host}:${server.port}`);
  const isLogged = end.kind !== "no-server" || end.begun;
  return outcomeOf(planned, elapsedMs() - started, isLogged ? { ...happened, logPath } : happened);
}

function whatHappened(end: EvaluationEnd, { timeoutMs }: ReplGate, place: string): Happened {
  switch (end.kind) {
    case "evaluated":
      return judgeEvaluation(end);
    case "timed-out":
      return { kind: "timed-out", afterMs: timeoutMs };
    case "cancelled":
      return { kind: "cancelled", detail: "interrupted before it was done" };
    case "no-server":
      return unavailable(
        end.begun
          ? `the nREPL server at ${place} was lost: ${end.detail}`
          : `nobody at ${place}: ${end.detail}`,
      );
  }
}

function judgeEvaluation(end: Extract<EvaluationEnd, { kind: "evaluated" }>): Happened {
  if (end.exception !== undefined) return { kind: "failed", detail: inOneLine(end.exception) };
  const red = findRedSummary(end.values, end.printed);
  if (red === undefined) return { kind: "passed" };
  return { kind: "failed", detail: `${red.failures} failures, ${red.errors} errors in the tests` };
}

function unavailable(detail: string): Happened {
  return { kind: "unavailable", detail, blocks: false };
}

/** JVM servers name a class, others print the whole exception as data. */
function inOneLine(exception: string): string {
  const message = /:message "((?:[^"\\]|\\.)*)"/.exec(exception)?.[1];
  return (message ?? exception.replace(/^class /, "")).replaceAll(/\s+/g, " ").slice(0, 200);
}
