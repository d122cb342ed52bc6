import type { GuardName } from "../../../config/settings.ts";
import type { GateOutcome } from "../../../gates/outcome.ts";
import { elapsedMs } from "../../../system/clock.ts";
import { isAsStamped, stampOf } from "../../../system/files/file-stamp.ts";
import { onAbort, timeLimit } from "../../../system/process/time-limit.ts";
import type { Found, GuardedRun } from "../guarded-run.ts";
import { originalTests } from "./original-tests.ts";
import { type ChangedFile, type ProtectedChange, protectedChange } from "./protected-change.ts";
import { unprovenTests } from "./unproven-tests.ts";

type TrialName = Extract<GuardName, "original-tests" | "unproven-tests">;

/** Runs checks again on trees that were put together of what was and what is, side by side. None of them touches the work tree. */
export async function runTrials(
  run: GuardedRun,
  names: readonly TrialName[],
  { outcomes, untilMs }: { readonly outcomes: readonly GateOutcome[]; readonly untilMs: number },
): Promise<ReadonlyMap<TrialName, Found>> {
  const began = elapsedMs();
  const change = await protectedChange(run);
  if (typeof change === "string")
    return new Map(names.map((name) => [name, { findings: [], gap: `nothing: ${change}` }]));
  using held = change;
  using watch = watchFiles(run, held, untilMs);
  const { signal } = watch;
  const found = await Promise.all(
    names.map(async (name): Promise<[TrialName, Found]> => {
      const said =
        name === "original-tests"
          ? await originalTests(run, withoutAccepted(run, held), { outcomes, signal })
          : await unprovenTests(run, held, { outcomes, signal });
      const whole = signal.aborted ? { findings: [], gap: whyEnded(signal) } : said;
      return [name, { ...whole, durationMs: Math.round(elapsedMs() - began) }];
    }),
  );
  return new Map(found);
}

/** What the user accepted once stays accepted, until it changes again. */
function withoutAccepted({ project: { session } }: GuardedRun, change: ProtectedChange): ProtectedChange {
  if (session.value.acceptsTests === true) {
    const all = [...(session.value.acceptedFiles ?? []), ...change.files.map(keyOf)];
    session.change((stored) => ({ ...stored, acceptedFiles: [...new Set(all)].slice(-MOST_ACCEPTED) }));
  }
  const accepted = new Set(session.value.acceptedFiles);
  return { ...change, files: change.files.filter((file) => !accepted.has(keyOf(file))) };
}

function keyOf({ path, after }: ChangedFile): string {
  return `${after?.id ?? "gone"} ${path}`;
}

const MOST_ACCEPTED = 1_000;

function whyEnded({ reason }: AbortSignal): string {
  if (reason === MOVED) return "nothing, not finished: files changed meanwhile";
  const isTimeUp = reason instanceof DOMException && reason.name === "TimeoutError";
  return isTimeUp
    ? "nothing, not finished: no time was left (a longer `stop_hook.timeout` gives more)"
    : "nothing, not finished: the run was interrupted";
}

const MOVED = new Error("files changed");
const EVERY_MS = 1_000;
const MOST_WATCHED = 500;

/** Aborts when one of the changed files changes again: what is found then is about files that are gone. */
function watchFiles(
  { project }: GuardedRun,
  { files, others }: ProtectedChange,
  untilMs: number,
): Disposable & { readonly signal: AbortSignal } {
  const paths = [...files.map(({ path }) => path), ...others].slice(0, MOST_WATCHED);
  const stamps = paths.map((path) => stampOf(`${project.settings.root}/${path}`));
  const end = new AbortController();
  const limit = timeLimit(Math.max(1, untilMs - elapsedMs()), project.signal);
  const forget = onAbort(limit, () => end.abort(limit.reason));
  if (limit.aborted) end.abort(limit.reason);
  const timer = setInterval(() => {
    if (!stamps.every(isAsStamped)) end.abort(MOVED);
  }, EVERY_MS).unref();
  return {
    signal: end.signal,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      forget();
    },
  };
}
