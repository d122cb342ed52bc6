import { join } from "node:path";
import type { PlannedGate } from "../../gates/gate.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import type { FinishedRun } from "../../run/conclude.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";
import type { RunRequest } from "../../run/request.ts";
import { coversKey } from "../../stop/pass-key.ts";
import { now } from "../../system/clock.ts";
import { isFile } from "../../system/files/files.ts";
import type { Snapshot } from "../../system/git/snapshot.ts";
import { WorkTree } from "../../system/git/work-tree.ts";
import { lockReleased } from "../../system/state/lock.ts";
import { endAhead } from "./end-ahead.ts";
import { readNote, readRecord, readRunning, writeRecord } from "./store.ts";

export { endAhead } from "./end-ahead.ts";

/**
 * Lets somebody else run the gates: a stop waits for a run ahead of exactly its files, anything else ends it. False if it did not end in
 * time, or is not ours to end.
 */
export async function makeWay(project: Project, request: RunRequest): Promise<boolean> {
  const { stateDir, logDir, signal } = project;
  if (!request.isStop || !(await isOnSameFiles(project))) endAhead(stateDir);
  return lockReleased(logDir.lockFile, signal);
}

async function isOnSameFiles({ stateDir, query, env }: Project): Promise<boolean> {
  const running = readRunning(stateDir);
  if (running === undefined) return false;
  await using tree = await WorkTree.open({ query, env });
  return (await tree.fingerprint()) === running.tree;
}

/** Keeps what a run ahead found, if the files stood still. */
export async function keepOutcomes(run: FinishedRun): Promise<void> {
  const { project, planned, outcomes, passKey } = run;
  if (project.signal.aborted || !(await run.stillness()).isStill) return;
  const files = await exactFiles(planned.snapshot);
  if (files === undefined) return;
  const given = new Map(planned.plan.gates.map((gate) => [gate.id, givenTo(gate)]));
  const gates = outcomes
    .filter(isCertain)
    .map((outcome) => ({ given: given.get(outcome.id) ?? [], outcome }));
  const { runNumber } = planned;
  const longest = Math.max(0, ...outcomes.map(({ startedMs = 0, durationMs }) => startedMs + durationMs));
  const base = planned.detected.changes.baseCommit;
  writeRecord(project.stateDir, { runNumber, startedAt: now() - longest, files, base, key: passKey, gates });
}

/** What holds for a gate whoever asks: not what was killed, excused, repeated or not run. */
function isCertain(outcome: GateOutcome): boolean {
  if (outcome.kind === "failed") return outcome.missing === undefined && outcome.baseline === undefined;
  return outcome.kind === "passed" && outcome.rests === undefined && outcome.warning === undefined;
}

function givenTo({ files }: PlannedGate): readonly string[] {
  return files.map(({ path }) => path);
}

/** The tree, and what it does not tell of its files. */
async function exactFiles(snapshot: Snapshot): Promise<string | undefined> {
  const [state, bytes] = await Promise.all([snapshot.state(), snapshot.bytesUnlikeGit()]);
  return state === undefined || bytes === undefined ? undefined : `${state} ${bytes}`;
}

interface KnownOutcomes {
  readonly runNumber: number;
  /** Why a gate that passed ahead is not run again. */
  readonly passed: (planned: PlannedGate) => string | undefined;
  readonly failed: readonly GateOutcome[];
}

/** What a run ahead found on exactly the files of this stop. */
export async function outcomesAhead(
  { stateDir, settings, passKey }: Project,
  { snapshot, plan, detected }: PlannedRun,
): Promise<KnownOutcomes | undefined> {
  const record = readRecord(stateDir);
  if (record === undefined || record.base !== detected.changes.baseCommit) return undefined;
  if (!coversKey(record.key, passKey()) || record.files !== (await exactFiles(snapshot))) return undefined;
  const { shellAt = 0 } = readNote(stateDir) ?? {};
  const wasDisturbed = shellAt >= record.startedAt; // its own `npm test` may have used the same port
  const known = (planned: PlannedGate, kind: GateOutcome["kind"]): readonly GateOutcome[] =>
    record.gates
      .filter(
        ({ outcome, given }) =>
          outcome.id === planned.id && outcome.kind === kind && isSame(given, givenTo(planned)),
      )
      .map(({ outcome }) => outcome);
  const isReadable = ({ logPath }: GateOutcome): boolean =>
    logPath !== undefined && isFile(join(settings.root, logPath));
  return {
    runNumber: record.runNumber,
    passed: (planned) =>
      known(planned, "passed").length === 0
        ? undefined
        : `it passed on exactly these files in run ${record.runNumber}, ahead of this stop`,
    failed: wasDisturbed ? [] : plan.gates.flatMap((planned) => known(planned, "failed")).filter(isReadable),
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, at) => path === other[at]);
}
