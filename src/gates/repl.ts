import { counted } from "../words.ts";
import { elapsedMs } from "../system/clock.ts";
import { join } from "node:path";
import type { ReplGate, PlannedGate } from "./gate.ts";
import type { GateOutcome } from "./outcome.ts";
import { projectPath } from "../path.ts";
import { CappedLog } from "../system/logs/capped-log.ts";
import { takeGateLog } from "../system/logs/log-dir.ts";
import { evaluate, type EvaluationEnd } from "../system/nrepl/evaluate.ts";
import { findServer } from "../system/nrepl/find-server.ts";
import { type GateContext, type Happened, outcomeOf } from "./gate-context.ts";

export type PlannedRepl = PlannedGate & { readonly gate: ReplGate };

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
          : `no nREPL server at ${place}: ${end.detail}`,
      );
  }
}

function judgeEvaluation(end: Extract<EvaluationEnd, { kind: "evaluated" }>): Happened {
  if (end.exception !== undefined) return { kind: "failed", detail: inOneLine(end.exception) };
  const red = findRedSummary(end.values, end.printed);
  if (red === undefined) return { kind: "passed" };
  return {
    kind: "failed",
    detail: `${counted(red.failures, "failure")}, ${counted(red.errors, "error")} in the tests`,
  };
}

function unavailable(detail: string): Happened {
  return { kind: "unavailable", detail, blocks: false };
}

/** JVM servers name a class, others print the whole exception as data. */
function inOneLine(exception: string): string {
  const message = /:message "((?:[^"\\]|\\.)*)"/.exec(exception)?.[1];
  return (message ?? exception.replace(/^class /, "")).replaceAll(/\s+/g, " ").slice(0, 200);
}

export interface RedSummary {
  readonly failures: number;
  readonly errors: number;
}

/**
 * Finds a failing `clojure.test` summary. `run-tests` never throws: it returns `{:test 3, :pass 2, :fail 1, :error 0, :type
 * :summary}`; in ClojureScript it prints the same and returns `nil`.
 */
export function findRedSummary(values: readonly string[], printed: string): RedSummary | undefined {
  const red = values.map(redSummaryIn).find((summary) => summary !== undefined);
  if (red) return red;
  return values.at(-1) === "nil" ? redReport(printed) : undefined;
}

const LONGEST_VALUE = 64 * 1024;
const STRING = /"(?:[^"\\]|\\.)*"/gs;
const INNERMOST_MAP = /\{[^{}]*\}/g;
const REPORT = /Ran \d+ tests? containing \d+ assertions?\.\s+(\d+) failures?, (\d+) errors?\.\s*$/;

function redSummaryIn(value: string): RedSummary | undefined {
  let rest = value.slice(0, LONGEST_VALUE).replace(STRING, '""');
  for (let maps = rest.match(INNERMOST_MAP); maps; maps = rest.match(INNERMOST_MAP)) {
    const red = maps.map(redMap).find((summary) => summary !== undefined);
    if (red) return red;
    rest = rest.replace(INNERMOST_MAP, "_");
  }
  return undefined;
}

/** A map with these three counts is a summary; other runners put the keys into a namespace. */
function redMap(map: string): RedSummary | undefined {
  const [passes, failures, errors] = ["pass", "fail", "error"].map((key) => countOf(map, key));
  if (passes === undefined || failures === undefined || errors === undefined) return undefined;
  return failures + errors > 0 ? { failures, errors } : undefined;
}

function countOf(map: string, key: string): number | undefined {
  const digits = new RegExp(`:(?:[\\w.-]+/)?${key}\\s+(\\d+)`).exec(map)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function redReport(printed: string): RedSummary | undefined {
  const match = REPORT.exec(printed);
  const [failures, errors] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  return failures + errors > 0 ? { failures, errors } : undefined;
}
