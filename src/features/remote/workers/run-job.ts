import { join, resolve } from "node:path";
import { once } from "../../../once.ts";
import { projectPath } from "../../../path.ts";
import { explain } from "../../../trouble.ts";
import { secretMasker } from "../../../system/logs/mask-secrets.ts";
import { checkEnv, freshReport, missingProgram, runCommands } from "../../../gates/check.ts";
import { now } from "../../../system/clock.ts";
import { freeBytes, readText, whyNotEnterable } from "../../../system/files/files.ts";
import { isWithin } from "../../../system/files/is-inside.ts";
import { inLatin1, MaskedOutput } from "../../../system/logs/masked-output.ts";
import { type Environment, withoutOwnCredentials } from "../../../system/process/environment.ts";
import { groupsWithEnvironment } from "../../../system/process/group.ts";
import { GATE_MARK } from "../../../system/process/leftovers.ts";
import { endGroup, HURRIED_GRACE_MS, type ProcessEnd } from "../../../system/process/run-process.ts";
import type { Checkout, Checkouts } from "./checkouts.ts";
import type { GateJob, JobEnd } from "./queue.ts";

interface JobPlace {
  readonly checkouts: Checkouts;
  readonly directory: string;
  readonly runId: string;
  readonly env: Environment;
  readonly onOutput: (chunk: Buffer) => void;
  readonly onGroup: (pid: number, since: number) => void;
  readonly isWanted: () => Promise<boolean>;
  readonly share?: ((job: GateJob, checkout: Checkout) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

export async function runJob(job: GateJob, place: JobPlace): Promise<JobEnd> {
  const wanted = place.isWanted();
  wanted.catch(() => {}); // not awaited where there is no checkout
  const checkout = await place.checkouts.take(job, place.signal);
  if (!checkout.ok) return trouble(explain(checkout.trouble), place.signal);
  using held = checkout.value;
  if (!(await wanted)) return ended({ kind: "cancelled" });
  const root = join(held.path, job.project);
  const cwd = resolve(root, job.workingDirectory);
  const obstacle = isWithin(held.path, cwd) ? whyNotEnterable(cwd) : "is outside of the checkout";
  if (obstacle !== undefined)
    return ended({ kind: "not-started", detail: `${job.workingDirectory} ${obstacle}` });
  const { runId, baseBranch } = { ...place, ...job };
  const env = checkEnv(job, { env: withoutOwnCredentials(place.env), runId, baseBranch });
  const startedAt = now();
  const end = await runMasked(job, { cwd, env, place });
  const isPass = end.kind === "exited" && end.exitCode === 0;
  if (isPass) await place.share?.(job, held);
  if (!isPass && freeBytes(place.directory) < FULL_BYTES) return trouble("its disk is full", place.signal);
  const report = freshReport(job.gate.report, root, startedAt);
  const text = report === undefined ? undefined : readText(join(root, report), MAX_REPORT_BYTES);
  return {
    ...ended(end),
    missing: missingProgram(job.gate.command, { end, env, cwd }),
    report: text?.ok ? text.value : undefined,
    isFresh: place.checkouts.areFresh,
  };
}

/** With less room than this, a gate may have failed because the disk is full. */
const FULL_BYTES = 1024 * 1024;
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

interface Around {
  readonly cwd: string;
  readonly env: Environment;
  readonly place: JobPlace;
}

/** Hides secrets of this machine. Kills daemons that a gate leaves: nobody here uses them. */
async function runMasked(job: GateJob, { cwd, env, place }: Around): Promise<ProcessEnd> {
  const masker = once(() => secretMasker(inLatin1(env)));
  const output = new MaskedOutput((text) => masker()(text), place.onOutput);
  let hasLeft = false;
  const onLeftRunning = (): void => void (hasLeft = true);
  const files = job.files.map((path) => ({ path: projectPath(path), change: "modified" as const }));
  const end = await runCommands(
    { gate: job.gate, files, workingDirectory: projectPath(job.workingDirectory) },
    { cwd, env, onOutput: (chunk) => output.push(chunk), onStarted: place.onGroup, onLeftRunning },
    place.signal,
  );
  output.end();
  const left = hasLeft ? groupsWithEnvironment(GATE_MARK, env[GATE_MARK] ?? "") : [];
  await Promise.all(left.map((group) => endGroup(group, HURRIED_GRACE_MS)));
  return end;
}

function ended(end: ProcessEnd): Extract<JobEnd, { kind: "ended" }> {
  return { kind: "ended", end };
}

function trouble(detail: string, { aborted }: AbortSignal): JobEnd {
  return aborted ? ended({ kind: "cancelled" }) : { kind: "trouble", detail };
}
