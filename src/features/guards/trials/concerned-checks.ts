import { join, posix } from "node:path";
import { isGlob } from "../../../config/entry-point.ts";
import { stepsOf } from "../../../config/gauntlet/steps.ts";
import { type Concern, concernOf } from "../../../config/protected-files.ts";
import type { PlannedCheck } from "../../../gates/gate-context.ts";
import type { GateOutcome } from "../../../gates/outcome.ts";
import { readText } from "../../../system/files/files.ts";
import type { GuardedRun } from "../guarded-run.ts";
import { narrowed } from "./narrow-command.ts";
import type { ChangedFile } from "./protected-change.ts";

export interface ConcernedCheck {
  /** With a command that runs only `files`, if its tool can. */
  readonly planned: PlannedCheck;
  readonly files: readonly ChangedFile[];
  readonly isNarrowed: boolean;
}

/** The checks of a run that passed and that some of these files decide about. */
export function concernedChecks(
  { project, planned: { plan } }: GuardedRun,
  outcomes: readonly GateOutcome[],
  files: readonly ChangedFile[],
): readonly ConcernedCheck[] {
  const { root, scripts } = project.settings;
  const read = textReader(root);
  const runsScript = (path: string, { gate }: PlannedCheck): boolean =>
    scripts[path]?.gates.some((id) => id.endsWith(`:${gate.name}`)) === true;
  const passed = new Set(outcomes.filter(({ kind }) => kind === "passed").map(({ id }) => id));
  return plan.gates.flatMap(({ gate, ...planned }): ConcernedCheck[] => {
    if (gate.kind !== "check" || !passed.has(planned.id)) return [];
    const check = { ...planned, gate };
    const concerns = concernsOf(check, read);
    const own = files.filter(({ path, file }) => {
      if (file.kind === "gate script") return runsScript(path, check);
      const concern = concernOf(file);
      const isAbout = concern === undefined || concerns === undefined || concerns.has(concern);
      return isAbout && isNear(path, check.scope);
    });
    if (own.length === 0) return [];
    const tests = own.map(testOf);
    const command = tests.includes(undefined)
      ? undefined
      : narrowed(check, [...new Set(tests.flatMap((one) => one ?? []))], read);
    const one = command === undefined ? check : { ...check, gate: { ...gate, command } };
    return [{ planned: one, files: own, isNarrowed: command !== undefined }];
  });
}

type ReadText = (path: string) => string | undefined;

function textReader(root: string): ReadText {
  return (path) => {
    const text = readText(join(root, path));
    return text.ok ? text.value : undefined;
  };
}

/** A file can decide about a package if it is in it, or in a directory above it. */
function isNear(path: string, scope: string): boolean {
  if (scope === "." || isGlob(scope) || path.startsWith(`${scope}/`)) return true;
  const directory = posix.dirname(path);
  return directory === "." || scope.startsWith(`${directory}/`);
}

/** The test file that runs it; undefined if that may be any. */
function testOf({ path, file }: ChangedFile): string | undefined {
  if (file.kind === "test") return path;
  const [, directory, name] = /^(?:(.*)\/)?__snapshots__\/([^/]+)\.snap$/.exec(path) ?? [];
  if (file.kind !== "snapshot" || name === undefined) return undefined;
  return directory === undefined ? name : `${directory}/${name}`;
}

/** What a check is about, by the tools that its command runs; undefined if that is not known. */
function concernsOf({ gate, workingDirectory }: PlannedCheck, read: ReadText): Set<Concern> | undefined {
  const { steps } = stepsOf(gate.command, workingDirectory, read);
  const calls = steps.map(({ words }) => words.join(" "));
  const found = TOOLS.filter(([, pattern]) => calls.some((call) => pattern.test(call)));
  return found.length === 0 ? undefined : new Set(found.map(([concern]) => concern));
}

const TOOLS: readonly (readonly [Concern, RegExp])[] = [
  [
    "tests",
    /\b(?:vitest|jest|mocha|ava|tap|uvu|jasmine|karma|cypress|playwright|wdio|cucumber\S*|pytest|py\.test|unittest|nose2?|tox|nox|behave|robot|gotestsum|nextest|rspec|phpunit|pest|paratest|bats|ctest|kaocha|busted|prove|test)\b|\b(?:go|cargo|rails|rake|dotnet|mix|deno|bun|swift|flutter|dart|bazel|lein|artisan)\s+(?:\S+\s+)*(?:test|t|check)\b|\bnode\b.*\s--test\b|\b(?:mvnw?|gradlew?|sbt)\b/,
  ],
  [
    "lint",
    /\b(?:\w*lint\w*|prettier|biome|ruff|black|isort|flake8|clippy|fmt|\w*format\w*|rubocop|standardrb|phpcs|php-cs-fixer|phpstan|psalm|credo|clj-kondo|shellcheck|knip|checkstyle|detekt|spotbugs|mvnw?|gradlew?|pre-commit)\b/,
  ],
  ["types", /\b(?:tsc|vue-tsc|tsgo|mypy|pyright|basedpyright|dialyzer|type-?check\w*)\b/],
];
