import { elapsedMs, now } from "../system/clock.ts";
import { findProject } from "../system/files/find-project.ts";
import { currentDirectory, type Environment } from "../system/process/environment.ts";
import { ok, type Result } from "../trouble.ts";
import type { Door } from "./early-exits.ts";
import type { AnsweredStop, Stop } from "./handle-stop.ts";
import type { Verdict } from "./verdict.ts";

/** The answer as it was written to the host, and when the question came, on the clock of `elapsedMs`. */
export interface GivenAnswer {
  readonly door: Door;
  readonly stdout: string;
  readonly exitCode: number;
  readonly since: number;
}

/** Hashes and locks, which stops outside of projects do without. */
const loadLedger = () => import("../ledger/record-verdict.ts");

/** What was no stop, or broke before its session was known, is in no session; the agent stopped all the same. */
export async function recordOutsideSession(env: Environment, verdict: Verdict): Promise<Result<void>> {
  const root = findProject(currentDirectory());
  if (root === undefined) return ok(undefined);
  const { recordVerdict } = await loadLedger();
  const { status, decision } = verdict;
  return recordVerdict({ root, env }, { door: "stop-hook", ms: 0, status, decision, outcomes: [] });
}

/** Keeps what `explain`, `doctor` and the session's next stop need to know, and the verdict in the ledger of its project. */
export async function recordStop(
  { event, env }: Pick<Stop, "event" | "env">,
  { verdict, session, root: known, run, facts }: AnsweredStop,
  { door, stdout, exitCode, since }: GivenAnswer,
): Promise<Result<void>> {
  const { lastMessage: _private, ...asked } = event;
  const at = now(); // by which `explain` finds the details of a line in the ledger
  const lastStop = { at, door, event: asked, verdict, run, answer: { stdout, exitCode } };
  session.change((stored) => ({ ...stored, lastStop }));
  session.save(); // if it cannot be written, later stops know less

  const isOutside = verdict.status === "no_config" && door !== "brepl";
  const root = known ?? (isOutside ? undefined : findProject(event.cwd));
  if (root === undefined) return ok(undefined);
  const { recordVerdict } = await loadLedger();
  const { status, decision } = verdict;
  const ms = Math.round(elapsedMs() - since);
  return recordVerdict({ root, env, event }, { outcomes: [], ...facts, at, door, ms, status, decision });
}
