import { relative } from "node:path/posix";
import { describeOutcome, type GateOutcome } from "../gates/outcome.ts";
import { projectPath } from "../path.ts";
import { cutText } from "../feedback/text/cut-text.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { type Problem, problemPlace } from "../feedback/problem.ts";
import { runCheck } from "../gates/check.ts";
import type { GateContext, PlannedCheck } from "../gates/gate-context.ts";
import { isFile } from "../system/files/files.ts";
import { readOutcome } from "./read-outcome.ts";

type FailedCheck = Extract<GateOutcome, { kind: "failed" }>;

interface RunAround {
  readonly context: GateContext;
  readonly signal: AbortSignal;
}

/**
 * Repeats a failed check as often as it allows. One pass is a pass with a warning; a rerun that does not come to an end leaves the
 * failure as it was. Each rerun has the check's own time limit, and all of them that of the run.
 */
export async function rerunFailed(
  planned: PlannedCheck,
  failed: FailedCheck,
  { context, signal }: RunAround,
): Promise<GateOutcome> {
  const { reruns = 0 } = planned.gate;
  const flaky = new Set<string>();
  let last = failed;
  let { durationMs } = failed;
  if (failed.missing !== undefined) return failed;
  for (let count = 1; count <= reruns && !signal.aborted; count++) {
    const { problems } = await readOutcome(last, context.root); // before a rerun writes its report over this one
    for (const name of namesOf(problems, context)) flaky.add(name);
    context.review?.onProgress(planned, `failed; running it again (${count} of ${reruns})`);
    const again = await runCheck(await rerunOf(planned, last, { count, context }), context, signal);
    durationMs += again.durationMs;
    if (again.kind === "passed")
      return { ...again, id: planned.id, durationMs, ...flickered(failed, [...flaky], count) };
    const isFailure = again.kind === "failed" && again.missing === undefined;
    if (!isFailure) return { ...last, durationMs, detail: `${last.detail}; rerun ${describeOutcome(again)}` };
    last = { ...again, id: planned.id };
  }
  return { ...last, durationMs, detail: `${last.detail}, also when repeated` };
}

function flickered(failed: FailedCheck, flaky: readonly string[], count: number) {
  const what = flaky.length === 0 ? "" : `: ${flaky.slice(0, MOST_SAID).join(", ")}`;
  const more = flaky.length > MOST_SAID ? ` and ${flaky.length - MOST_SAID} more` : "";
  const log = failed.logPath === undefined ? "" : ` (${failed.logPath})`;
  const warning = `failed, and passed when it was repeated${count === 1 ? "" : ` ${count} times`}${what}${more}${log}`;
  return { rests: "rerun" as const, flaky: flaky.slice(0, MOST_KEPT), warning };
}

const MOST_SAID = 3;
const MOST_KEPT = 20;
const LONGEST_NAME = 200;

/** The tests that failed; for a tool without tests, the places of its problems. */
function namesOf(problems: readonly Problem[], { env }: GateContext): readonly string[] {
  const mask = secretMasker(env);
  return problems.map((problem) => {
    const { test, file, message } = problem;
    const name =
      test === undefined ? problemPlace(problem) || message : [file, test].filter(Boolean).join(" > ");
    return cutText(mask(name), LONGEST_NAME);
  });
}

/** What is run: the command for reruns, where it is known which files failed; the log is named for the rerun. */
async function rerunOf(
  planned: PlannedCheck,
  failed: FailedCheck,
  { count, context }: { readonly count: number; readonly context: GateContext },
): Promise<PlannedCheck> {
  const { gate, id } = planned;
  const again = { ...planned, id: `${id}.rerun-${count}` };
  const { rerunCommand } = gate;
  if (rerunCommand === undefined) return again;
  if (!rerunCommand.includes(FAILED_FILES)) return { ...again, gate: { ...gate, command: rerunCommand } };
  const files = await failedFiles(failed, context);
  if (files === undefined) return again;
  const command = rerunCommand.replaceAll(FAILED_FILES, "{files}");
  return {
    ...again,
    gate: { ...gate, command },
    files: files.map((path) => ({ path, change: "modified" as const })),
  };
}

const FAILED_FILES = "{failed_files}";

/** Undefined where one failure may be in a file that is not known: then everything is repeated. */
async function failedFiles(failed: FailedCheck, { root }: GateContext) {
  const { problems, isComplete } = await readOutcome(failed, root);
  const files = problems.flatMap(({ file }) => (file !== undefined && isFileOf(root, file) ? [file] : []));
  if (!mayShareOneTool(problems)) return undefined;
  if (problems.length === 0 || files.length < problems.length || !isComplete()) return undefined;
  return [...new Set(files)].map(projectPath);
}

/** What runs tests again finds neither what a linter beside them found nor coverage that is missed by all of them. */
function mayShareOneTool(problems: readonly Problem[]): boolean {
  const tests = problems.filter(({ test }) => test !== undefined).length;
  const isMixed = tests > 0 && tests < problems.length;
  return !isMixed && problems.every(({ code }) => code !== "coverage");
}

function isFileOf(root: string, file: string): boolean {
  return !file.startsWith("/") && !relative("", file).startsWith("..") && isFile(`${root}/${file}`);
}
