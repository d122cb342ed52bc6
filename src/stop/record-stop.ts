import { elapsedMs, now } from "../system/clock.ts";
import { findProject } from "../system/files/find-project.ts";
import { ok, type Result } from "../trouble.ts";
import type { Door } from "./early-exits.ts";
import type { AnsweredStop, Stop } from "./handle-stop.ts";

/** The answer as it was written to the host, and when the question came, on the clock of `elapsedMs`. */
export interface GivenAnswer {
  readonly door: Door;
  readonly stdout: string;
  readonly exitCode: number;
  readonly since: number;
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
  const { recordVerdict } = await import("../ledger/record-verdict.ts"); // hashes and locks, which stops outside of projects do without
  const { status, decision } = verdict;
  const ms = Math.round(elapsedMs() - since);
  return recordVerdict({ root, env, event }, { outcomes: [], ...facts, at, door, ms, status, decision });
}
