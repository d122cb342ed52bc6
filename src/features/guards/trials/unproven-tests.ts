import { lastName } from "../../../feedback/find-problems.ts";
import { cutText } from "../../../feedback/text/cut-text.ts";
import type { GateOutcome } from "../../../gates/outcome.ts";
import { type Finding, identify } from "../../../gates/review/finding.ts";
import { explain } from "../../../trouble.ts";
import type { Found, GuardedRun } from "../guarded-run.ts";
import { languageOf } from "../languages.ts";
import { Tally } from "../patched-file.ts";
import { type ConcernedCheck, concernedChecks } from "./concerned-checks.ts";
import { type ChangedFile, type ProtectedChange, withNewFiles } from "./protected-change.ts";
import { type TrialResult, Trials } from "./try-checks.ts";

/** New tests that pass without the change, too: they run on the files as they were when the session began. */
export async function unprovenTests(
  run: GuardedRun,
  change: ProtectedChange,
  { outcomes, signal }: { readonly outcomes: readonly GateOutcome[]; readonly signal: AbortSignal },
): Promise<Found> {
  const isAboutCode = change.others.some((path) => languageOf(path) !== undefined);
  const files = isAboutCode ? await filesWithNewTests(change) : [];
  const checks = concernedChecks(
    run,
    outcomes,
    files.map(({ file }) => file),
  );
  if (checks.length === 0) return { findings: [] };
  const tree = await withNewFiles(change);
  if (!tree.ok) return { findings: [], gap: explain(tree.trouble) };
  const { project, context, tell } = run;
  const options = { project, repository: change.repository, context, log: "unproven-tests", signal } as const;
  await using trials = new Trials({ ...options, tree: tree.value });

  const unproven = new Set(checks.flatMap((check) => check.files.map(({ path }) => path)));
  const gaps: string[] = [];
  for (const check of checks) {
    const { planned } = check;
    tell({ kind: "gate-progressed", planned, text: "runs the new tests without the change" });
    const result = await trials.result(planned);
    if (typeof result === "string") gaps.push(`check "${planned.gate.name}": ${result}`);
    for (const file of files)
      if (typeof result === "string" || isProven(file, check, result)) unproven.delete(file.file.path);
  }
  const findings = files.filter(({ file }) => unproven.has(file.path)).flatMap(findingsOf);
  return { findings, gap: gaps.join("; ") || undefined };
}

interface FileWithNewTests {
  readonly file: ChangedFile;
  /** All of its tests. */
  readonly names: ReadonlySet<string>;
  readonly fresh: readonly DeclaredTest[];
}

interface DeclaredTest {
  readonly name: string;
  readonly line: number;
}

async function filesWithNewTests({ files, trees }: ProtectedChange): Promise<readonly FileWithNewTests[]> {
  const found: FileWithNewTests[] = [];
  for (const file of files) {
    const { before, after, path } = file;
    if (file.file.kind !== "test" || after === undefined) continue;
    const [now, old] = [await trees.text(after), before && (await trees.text(before))];
    const tests = now.ok ? declaredIn(now.value, path) : [];
    const known = new Tally(old?.ok === true ? declaredIn(old.value, path).map(({ name }) => name) : []);
    const fresh = tests.filter(({ name }) => !known.take(name));
    if (fresh.length > 0) found.push({ file, fresh, names: new Set(tests.map(({ name }) => name)) });
  }
  return found;
}

/** With an annotation, a test has its name within so many lines. */
const NAME_WITHIN = 6;

function declaredIn(text: string, path: string): readonly DeclaredTest[] {
  const language = languageOf(path);
  if (language === undefined) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at): DeclaredTest[] => {
    const { groups } = (language.comment.test(line) ? null : language.test.exec(line)) ?? {};
    if (groups === undefined && !language.test.test(line)) return [];
    const later = lines
      .slice(at, at + NAME_WITHIN)
      .map((one) => language.nameAfter?.exec(one)?.groups?.["name"]);
    const name = groups?.["name"] ?? groups?.["title"] ?? later.find((one) => one !== undefined);
    return name === undefined ? [] : [{ name, line: at + 1 }];
  });
}

/** One test that fails without the change proves the others of its file, too: they are its boundary cases. */
function isProven({ file, names }: FileWithNewTests, check: ConcernedCheck, result: TrialResult): boolean {
  if (result.kind === "passed" || !check.files.includes(file)) return false;
  const { problems, isAllRead } = result;
  const isElsewhere = (problem: (typeof problems)[number]): boolean =>
    check.files.some(({ path }) => path === problem.file && path !== file.path) &&
    (problem.test === undefined || !names.has(lastName(problem.test)));
  return !isAllRead || problems.length === 0 || !problems.every(isElsewhere);
}

const LONGEST = 160;
const FIX =
  'Make it fail without the change, or remove it. If it is there for another reason, answer with "skipped" and the reason.';

function findingsOf({ file: { path }, fresh }: FileWithNewTests): readonly Finding[] {
  return fresh.map(({ name, line }) => {
    const issue = `new test "${cutText(name, LONGEST)}" passes without the change, too: it proves nothing about it`;
    return identify({ file: path, line, issue, fix: FIX, priority: "medium" });
  });
}
