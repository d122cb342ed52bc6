import { lastName } from "../../../feedback/find-problems.ts";
import { countEach } from "../../../feedback/known-problems.ts";
import { problemPlace } from "../../../feedback/problem.ts";
import { cutText } from "../../../feedback/text/cut-text.ts";
import type { GateOutcome } from "../../../gates/outcome.ts";
import { type Finding, identify } from "../../../gates/review/finding.ts";
import { explain } from "../../../trouble.ts";
import { counted } from "../../../words.ts";
import type { Found, GuardedRun } from "../guarded-run.ts";
import { type ConcernedCheck, concernedChecks } from "./concerned-checks.ts";
import { type Expectation, expectationOf, hunksOf, inWords } from "./expectations.ts";
import { type ChangedFile, type ProtectedChange, withOriginalFiles } from "./protected-change.ts";
import { type TrialProblem, Trials } from "./try-checks.ts";

/** What passes only with the changed tests and settings: the checks run again, elsewhere, with those the session began with. */
export async function originalTests(
  run: GuardedRun,
  change: ProtectedChange,
  { outcomes, signal }: { readonly outcomes: readonly GateOutcome[]; readonly signal: AbortSignal },
): Promise<Found> {
  const checks = concernedChecks(run, outcomes, change.files.filter(decidesAboutOld));
  if (checks.length === 0) return { findings: [] };
  const tree = await withOriginalFiles(change);
  if (!tree.ok) return { findings: [], gap: explain(tree.trouble) };
  const { project, context, tell } = run;
  const options = { project, repository: change.repository, context, log: "original-tests", signal } as const;
  await using trials = new Trials({ ...options, tree: tree.value });
  await using asItIs = new Trials({ ...options, tree: change.now });

  const found: FoundInCheck[] = [];
  for (const check of checks) {
    const { planned } = check;
    tell({ kind: "gate-progressed", planned, text: "runs again with the original tests and settings" });
    const problems = await problemsOf(check, trials, asItIs);
    found.push(
      typeof problems === "string"
        ? { findings: [], unbuilt: [], gap: `check "${planned.gate.name}": ${problems}` }
        : await findingsOf(check, problems, change),
    );
  }
  const unbuilt = [...new Set(found.flatMap((one) => one.unbuilt))];
  const gaps = [
    ...(unbuilt.length === 0 ? [] : [unbuiltInWords(unbuilt)]),
    ...found.flatMap(({ gap }) => gap ?? []),
  ];
  return { findings: found.flatMap(({ findings }) => findings), gap: gaps.join("; ") || undefined };
}

/** What appears with the original tests and settings; or why that is not known. The files as they are must pass there, too. */
async function problemsOf(
  { planned, now: left }: ConcernedCheck,
  trials: Trials,
  asItIs: Trials,
): Promise<readonly TrialProblem[] | string> {
  const result = await trials.result(planned);
  if (typeof result === "string") return result;
  if (result.kind === "passed") return [];
  const now = left === undefined ? PASSED : await asItIs.result(left);
  if (typeof now === "string") return now;
  if (now.kind === "passed") return result.problems.length === 0 ? [UNREAD] : result.problems;
  const fresh = without(result.problems, now.problems);
  return fresh.length === 0 ? "it fails in a checkout of the same files, too" : fresh;
}

const PASSED = { kind: "passed" } as const;

const UNREAD: TrialProblem = {
  message: "",
  severity: "error",
  key: "",
  isBuild: false,
};

function without(problems: readonly TrialProblem[], known: readonly TrialProblem[]): readonly TrialProblem[] {
  const left = countEach(known.map(({ key }) => key));
  return problems.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

interface FoundInCheck {
  readonly findings: readonly Finding[];
  readonly unbuilt: readonly string[];
  readonly gap?: string;
}

async function findingsOf(
  check: ConcernedCheck,
  problems: readonly TrialProblem[],
  change: ProtectedChange,
): Promise<FoundInCheck> {
  const tests = new Map<string, ChangedTest>();
  for (const file of check.files) if (isTest(file)) tests.set(file.path, await readTest(file, change));
  const unbuiltFiles = new Set(problems.flatMap(({ isBuild, file }) => (isBuild ? (file ?? []) : [])));
  const isUnbuilt = ({ isBuild, file = "", test }: TrialProblem): boolean =>
    tests.size > 0 && (isBuild || (test === undefined && unbuiltFiles.has(file)));
  const [built, unbuilt] = [problems.filter((one) => !isUnbuilt(one)), problems.filter(isUnbuilt)];
  const own = built.filter(({ file }) => tests.has(file ?? ""));
  const others = built.filter(({ file }) => !tests.has(file ?? ""));
  return {
    findings: [
      ...own.flatMap((problem) => findingOf(problem, tests.get(problem.file ?? "")) ?? []),
      ...(others.length === 0 ? [] : [await findingOfCheck(check, others, change)]),
    ],
    unbuilt: unbuilt.flatMap(({ file, test }) => {
      const named = tests.get(file ?? "");
      if (named === undefined)
        return [...tests.values()].filter(({ now }) => now !== "").map(({ path }) => path);
      return isGone(named, test) ? [] : [named.path];
    }),
  };
}

interface ChangedTest {
  readonly path: ChangedFile["path"];
  readonly old: string;
  /** Empty if it was deleted. */
  readonly now: string;
  readonly patch: string;
}

function isTest({ file: { kind }, before }: ChangedFile): boolean {
  return before !== undefined && (kind === "test" || kind === "test support");
}

async function readTest(
  { path, before, after }: ChangedFile,
  { trees }: ProtectedChange,
): Promise<ChangedTest> {
  const [old, now, patch] = await Promise.all([
    before === undefined ? undefined : trees.text(before),
    after === undefined ? undefined : trees.text(after),
    before === undefined || after === undefined ? undefined : trees.patch(before, after),
  ]);
  return {
    path,
    old: old?.ok === true ? old.value : "",
    now: now?.ok === true ? now.value : "",
    patch: patch?.ok === true ? patch.value.toString() : "",
  };
}

/** A test that went together with what it tested is not missed. */
function isGone({ now }: ChangedTest, test: string | undefined): boolean {
  return now === "" || (test !== undefined && !now.includes(lastName(test)));
}

const LONGEST = 160;
const FIX =
  'Restore the original test and fix the code instead. If its expectation is wrong, say so to the user and answer with "skipped" and the reason.';

function findingOf(
  { test, line, message }: TrialProblem,
  changed: ChangedTest | undefined,
): Finding | undefined {
  if (changed === undefined) return undefined;
  const { path, old, patch } = changed;
  const name = test === undefined ? "a test" : `"${cutText(test, LONGEST)}"`;
  if (isGone(changed, test)) {
    const issue = `passes only without the test ${name}, which is gone: ${cutText(message, LONGEST)}`;
    return identify({ file: path, line: null, issue, fix: FIX, priority: "high" });
  }
  const expected = expectationOf({ file: path, test, line, oldText: old }, hunksOf(patch));
  const words = expected === undefined ? cutText(message, LONGEST) : describe(expected);
  const issue = `passes only with the changed tests: ${name}: ${words}`;
  return identify({ file: path, line: expected?.line ?? null, issue, fix: FIX, priority: "high" });
}

function describe(expected: Expectation): string {
  return `${expected.was === undefined ? "it" : "the original"} ${inWords(expected)}`;
}

/** Of what no changed test says by itself: settings, helpers, snapshots. */
async function findingOfCheck(
  { planned, files }: ConcernedCheck,
  problems: readonly TrialProblem[],
  change: ProtectedChange,
): Promise<Finding> {
  const causes = files.filter((file) => !isTest(file) || file.file.kind !== "test");
  const [cause] = causes.length === 0 ? files : causes;
  const read = cause && (await readTest(cause, change));
  const expected = read && expectationOf({ file: read.path, oldText: "" }, hunksOf(read.patch));
  const named = causes.slice(0, MOST_NAMED).map(({ path }) => path);
  const what = causes.length === 0 ? "tests" : `${kindsOf(causes)} (${named.join(", ")})`;
  const words = expected === undefined ? "" : `, which ${inWords(expected)}`;
  const [first] = problems;
  const place = first === undefined ? "" : [problemPlace(first), first.test].filter(Boolean).join(" ");
  const shown = cutText([place, first?.message].filter(Boolean).join(": "), LONGEST);
  const issue = `check "${planned.gate.name}" passes only with the changed ${what}${words}; ${first === UNREAD ? "else it fails" : `else ${counted(problems.length, "problem")}: ${shown}`}`;
  const where = { file: cause?.path ?? planned.scope, line: expected?.line ?? null };
  return identify({ ...where, issue, fix: FIX_SETTINGS, priority: "high" });
}

const MOST_NAMED = 3;
const FIX_SETTINGS =
  'Restore it and fix the code instead. If the original is wrong, say so to the user and answer with "skipped" and the reason.';

function kindsOf(files: readonly ChangedFile[]): string {
  const words = files.map(({ file: { kind } }) => (kind.endsWith("settings") ? "settings" : PLURALS[kind]));
  return [...new Set(words)].join(" and ");
}

const PLURALS: Readonly<Record<string, string>> = {
  test: "tests",
  snapshot: "snapshots",
  "test support": "helpers of tests",
  "gate script": "scripts",
  added: "files",
};

function unbuiltInWords(files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).join(", ");
  const more = files.length > MOST_NAMED ? ", …" : "";
  return `old tests no longer build: ${counted(files.length, "file")} (${named}${more})`;
}

/** A new test decides nothing about what was tested before; new files that runners load by themselves do. */
function decidesAboutOld({ path, before, file: { kind } }: ChangedFile): boolean {
  if (before !== undefined) return true;
  if (kind === "test support") return LOADED.test(path);
  return kind !== "test" && kind !== "snapshot";
}

const LOADED =
  /(?:^|\/)(?:__mocks__\/|__init__\.py$|sitecustomize\.py$|[^/]*(?:setup|global|preload)[^/]*$)/i;
