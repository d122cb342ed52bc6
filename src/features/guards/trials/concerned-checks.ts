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
  /** The same for the files as they are now; undefined if they are all gone. */
  readonly now: PlannedCheck | undefined;
  readonly files: readonly ChangedFile[];
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
    Object.entries(scripts).some(
      ([name, { gates }]) => name.startsWith(path) && gates.some((id) => id.endsWith(`:${gate.name}`)),
    );
  const passed = new Set(outcomes.filter(({ kind }) => kind === "passed").map(({ id }) => id));
  return plan.gates.flatMap(({ gate, ...place }): ConcernedCheck[] => {
    if (gate.kind !== "check" || !passed.has(place.id)) return [];
    const check = { ...place, gate };
    const calls = callsOf(check, read);
    const concerns = concernsOf(calls);
    const own = files.filter(({ path, file }) => {
      if (file.kind === "gate script") return runsScript(path, check);
      if (file.part?.format === "json" && !calls.some((call) => READS_MANIFEST.test(call)))
        return runsScript(`${path} script "`, check);
      const concern = concernOf(file);
      const isAbout = concern === undefined || concerns === undefined || concerns.has(concern);
      return isAbout && isNear(path, check.scope);
    });
    if (own.length === 0) return [];
    const planned = only(check, own, read);
    const left = own.filter(({ after }) => after !== undefined);
    return planned === undefined ? [] : [{ planned, now: only(check, left, read), files: own }];
  });
}

/** The check with a command that runs only these tests, if its tool can. */
function only(check: PlannedCheck, files: readonly ChangedFile[], read: ReadText): PlannedCheck | undefined {
  if (files.length === 0) return undefined;
  const tests = files.map(testOf);
  const names = tests.includes(undefined) ? [] : [...new Set(tests.flatMap((one) => one ?? []))];
  const command = narrowed(check, names, read);
  return command === undefined ? check : { ...check, gate: { ...check.gate, command } };
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

function callsOf({ gate, workingDirectory }: PlannedCheck, read: ReadText): readonly string[] {
  return stepsOf(gate.command, workingDirectory, read).steps.map(({ words }) => words.join(" "));
}

/** What a check is about, by the tools that its command runs; undefined if that is not known. */
function concernsOf(calls: readonly string[]): Set<Concern> | undefined {
  const found = TOOLS.filter(([, pattern]) => calls.some((call) => pattern.test(call)));
  return found.length === 0 ? undefined : new Set(found.map(([concern]) => concern));
}

/** They may have their settings in `package.json` and the like. */
const READS_MANIFEST =
  /\b(?:npm|npx|pnpm|yarn|bun|deno|vitest|jest|mocha|ava|tap|nyc|c8|eslint|prettier|stylelint|composer)\b/;

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
