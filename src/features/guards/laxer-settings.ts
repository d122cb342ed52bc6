import { identify, type Finding } from "../../gates/review/finding.ts";
import { isForeign } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine } from "./patched-file.ts";
import { readSettings, type Said } from "./read-settings.ts";

/** Settings of test runners are for `weakened-tests`, those of other tools for `suppressions`. */
export type About = "tests" | "tools";

/** Settings with which a tool says less than before; each file whole, with all its lines. */
export function laxerSettings(files: readonly PatchedFile[], about: About): readonly Finding[] {
  const settings = files.filter(({ file }) => isSettingsFile(file) && !isForeign(file));
  const replaced = new Set(settings.filter(({ isDeleted }) => isDeleted).map(({ file }) => toolOf(file)));
  const moved = new Set(settings.filter(({ isNew }) => isNew).map(({ file }) => toolOf(file)));
  return settings
    .filter(({ file }) => !(replaced.has(toolOf(file)) && moved.has(toolOf(file)))) // its settings moved
    .flatMap((file) => [...changesIn(file), ...goneCommands(file, settings)])
    .filter((one) => one.about === about)
    .map(({ file, line, issue }) => identify({ file, line, issue, fix: FIX, priority: "high" }));
}

const FIX =
  'Restore it and mend what it hides. If the task itself calls for it, answer with "skipped" and the reason.';

interface Laxer {
  readonly file: PatchedFile["file"];
  readonly line: number | null;
  readonly issue: string;
  readonly about: About;
}

const TESTS =
  /(?:^|\/)(?:(?:vitest|vite|jest|playwright|karma|ava|cypress|web-test-runner)\.(?:config|workspace)\.[cm]?[jt]s(?:on)?|jest\.config\.json|karma\.conf\.[jt]s|\.mocharc(?:\.\w+)?|\.?pytest\.(?:ini|toml)|Cargo\.toml)$/;
const LINTERS =
  /(?:^|\/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s|\.oxlintrc\.json|oxlint\.config\.[jt]s|biome\.jsonc?|\.stylelintrc(?:\.\w+)?|stylelint\.config\.[cm]?js|\.flake8|\.?ruff\.toml|\.pylintrc|\.golangci\.ya?ml|\.rubocop\.yml|tslint\.json)$/;
const TYPES =
  /(?:^|\/)(?:[tj]sconfig(?:\.[\w-]+)*\.json|\.?mypy\.ini|pyrightconfig\.json|next\.config\.[cm]?[jt]s)$/;
const COVERAGE =
  /(?:^|\/)(?:\.(?:nycrc|c8rc)(?:\.\w+)?|\.coveragerc|\.?codecov\.ya?ml|sonar-project\.properties)$/;
const CI =
  /(?:^|\/)(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.ya?ml|\.pre-commit-config\.yaml|\.?lefthook\.ya?ml)$/;
const MIXED = /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini)$/;
const ALL = [TESTS, LINTERS, TYPES, COVERAGE, CI, MIXED];

export function isSettingsFile(file: string): boolean {
  return ALL.some((kind) => kind.test(file));
}

/** So that a file of the same tool can take over what one said: `.eslintrc` and `eslint.config.js`. */
function toolOf(file: string): string {
  const name = file.split("/").at(-1) ?? "";
  return name.replace(/^\./, "").replace(/(?:rc|\.config|\.workspace)?(?:\.\w+)*$/, "");
}

/** In files of many tools, names that begin so. */
const IN_MIXED: readonly (readonly [RegExp, About])[] = [
  [/^(?:jest|vitest|mocha|ava|tool\.pytest|tool:pytest|pytest)\b/, "tests"],
  [/^(?:eslintConfig|stylelint|tool\.(?:ruff|mypy|pylint|pyright|flake8)|mypy|flake8|pylint)\b/, "tools"],
  [/^(?:nyc|c8|tool\.coverage|coverage:)/, "tools"],
];

function changesIn(file: PatchedFile): readonly Laxer[] {
  if (file.isDeleted && MIXED.test(file.file)) return [];
  const texts = [textOf(file, "removed"), textOf(file, "added")] as const;
  const [before, after] = texts.map((text) => readSettings(file.file, text));
  if (before === undefined || after === undefined) return [];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name): readonly Laxer[] => {
    const about = aboutOf(file.file, name);
    const [was, is] = [before.get(name) ?? [], after.get(name) ?? []];
    if (about === undefined || same(was, is)) return [];
    const issue = laxerIn({ name, was, is, isNew: file.isNew, file: file.file, before, after });
    return issue === undefined ? [] : [{ file: file.file, line: lineOf(file, name), issue, about }];
  });
}

function textOf({ lines }: PatchedFile, side: "removed" | "added"): string {
  return lines
    .filter(({ kind }) => kind === side || kind === "kept")
    .map(({ text }) => text)
    .join("\n");
}

function aboutOf(file: string, name: string): About | undefined {
  if (MIXED.test(file)) return IN_MIXED.find(([names]) => names.test(name))?.[1];
  if (!TESTS.test(file)) return "tools";
  return THRESHOLD.test(name) || /(?:^|\.)(?:coverage|lints)\b/.test(name) ? "tools" : "tests";
}

interface Setting {
  readonly name: string;
  readonly was: readonly string[];
  readonly is: readonly string[];
  readonly isNew: boolean;
  readonly file: string;
  readonly before: Said;
  readonly after: Said;
}

type Reading = (setting: Setting) => string | undefined;

/** The first that has something to say. */
const READINGS: readonly Reading[] = [
  severity,
  threshold,
  mode,
  switchedOff,
  switchedOn,
  excluded,
  included,
  narrowed,
  loaded,
];

function laxerIn(setting: Setting): string | undefined {
  for (const read of READINGS) {
    const said = read(setting);
    if (said !== undefined) return said;
  }
  return undefined;
}

function ranks(values: readonly string[]): readonly number[] {
  return values.flatMap((one) => SEVERITIES.get(one) ?? []);
}

/** A rule of a linter, or a lint of Rust. */
function severity({ name, was, is, isNew, file }: Setting): string | undefined {
  const [, own, nested] = RULE.exec(name) ?? [];
  const rule = own ?? nested;
  if (rule === undefined || (!LINTERS.test(file) && !MIXED.test(file) && !CARGO.test(file)) || isNew)
    return undefined;
  const [old, now] = [ranks(was), ranks(is)];
  if (is.length > 0 && now.length === 0) return undefined;
  const isLaxer = now.some((rank, at) => rank < (old[at] ?? (rank === 0 ? 1 : 0)));
  if (isLaxer) return `rule ${quoted(rule)} ${was.length === 0 ? "" : `was ${list(was)}, `}is ${list(is)}`;
  return is.length === 0 && old.some((rank) => rank > 1)
    ? `rule ${quoted(rule)} removed, was ${list(was)}`
    : undefined;
}

const RULE = /(?:^|\.)rules\.([^.]+)$|(?:^|\.)(?:linter\.rules|categories|lints)\.(.+?)(?:\.level)?$/;
const CARGO = /(?:^|\/)Cargo\.toml$/;
const SEVERITIES: ReadonlyMap<string, number> = new Map([
  ...["off", "0", "allow", "false"].map((one) => [one, 0] as const),
  ...["warn", "1", "info"].map((one) => [one, 1] as const),
  ...["error", "2", "deny", "forbid", "on", "true"].map((one) => [one, 2] as const),
]);

function threshold({ name, was, is }: Setting): string | undefined {
  const [old, now] = [Number.parseFloat(was[0] ?? ""), Number.parseFloat(is[0] ?? "")];
  const [, key = ""] = /([\w-]+)$/.exec(name) ?? [];
  if (CEILING.test(key)) return old < now ? `${quoted(name)} raised from ${old} to ${now}` : undefined;
  if (!THRESHOLD.test(name) || Number.isNaN(old)) return undefined;
  if (is.length === 0) return `threshold ${quoted(name)} removed, was ${old}`;
  return now < old ? `threshold ${quoted(name)} lowered from ${old} to ${now}` : undefined;
}

const THRESHOLD =
  /(?:^|\.)(?:thresholds?|coverageThreshold)\.(?:.*\.)?(?:branches|lines|functions|statements|perFile|\d+)$|^(?:nyc\.|c8\.)?(?:branches|lines|functions|statements)$|(?:^|\.)(?:fail_under|fail-under|minimum_coverage|target)$/;
const CEILING =
  /^(?:threshold|max-complexity|max-warnings|maxWarnings|max_complexity|max-args|max-statements|max-branches)$/;

function switchedOff({ name, was, is }: Setting): string | undefined {
  const [, key = ""] = /([\w-]+)$/.exec(name) ?? [];
  const [old, now] = [was.at(-1), is.at(-1)];
  if (!ON.test(key) || !isTrue(old ?? "true")) return undefined;
  if (now === undefined) return old === undefined ? undefined : `${quoted(name)} removed, was ${old}`;
  return /^(?:false|no|off|0|none)$/i.test(now) ? `${quoted(name)} switched off` : undefined;
}

/** How much a type checker says, in words. */
function mode({ name, was, is }: Setting): string | undefined {
  const [old, now] = [was.at(-1) ?? "", is.at(-1) ?? ""];
  const isLaxer = name.endsWith("typeCheckingMode") && MODES.indexOf(now) < MODES.indexOf(old);
  return isLaxer ? `${quoted(name)} was ${old}, is ${now}` : undefined;
}

const MODES = ["off", "basic", "standard", "recommended", "strict"];
const ON =
  /^(?:strict\w*|alwaysStrict|noImplicit\w+|noUnused\w+|noUncheckedIndexedAccess|noFallthroughCasesInSwitch|noPropertyAccessFromIndexSignature|exactOptionalPropertyTypes|useUnknownInCatchVariables|checkJs|disallow_\w+|warn_(?:return_any|unreachable|unused_ignores|redundant_casts)|check_untyped_defs|no_implicit_\w+|xfail_strict|forbidOnly|forbid-only|forbid-pending|check-coverage|checkCoverage|autotests|test|tests|Enabled|enabled|recommended)$/;

function isTrue(value: string): boolean {
  return /^(?:true|yes|on|1)$/i.test(value);
}

function switchedOn({ name, was, is }: Setting): string | undefined {
  const [, key = ""] = /([\w-]+)$/.exec(name) ?? [];
  const [old, now] = [was.at(-1), is.at(-1)];
  if (now === undefined) return undefined;
  if (key === "ignore_missing_imports" && /overrides|mypy-/.test(name)) return undefined; // of others' packages
  if (OFF.test(key)) return isTrue(now) && !isTrue(old ?? "") ? `${quoted(name)} switched on` : undefined;
  if (NARROWS.test(key)) return `${quoted(name)} is now ${list(is)}`;
  if (!OPTIONS.test(key)) return undefined;
  const fresh = is.filter((one) => LAX_OPTION.test(one) && !was.includes(one));
  return fresh.length === 0 ? undefined : `${quoted(name)} has ${list(fresh)}`;
}

const OFF =
  /^(?:noCheck|passWithNoTests|ignore_errors|ignore_missing_imports|allowUnreachableCode|allowUnusedLabels|dangerouslyIgnoreUnhandledErrors|allowOnly|allow-uncaught|ignoreBuildErrors|ignoreDuringBuilds|disable-all|skip_covered)$/;
const NARROWS = /^(?:testNamePattern|grep|fgrep)$/;
const OPTIONS = /^(?:addopts|args|options)$/;
const LAX_OPTION =
  /^(?:-k|-m|-p|--deselect\b.*|--ignore\b.*|--no-cov|--lf|--last-failed|--passWithNoTests|--collect-only|--co)$|(?:^|\s)(?:-k\s|--deselect\b|--ignore\b)/;

/** Lists of what is left out: longer is laxer. */
function excluded({ name, was, is }: Setting): string | undefined {
  if (!name.split(".").some((key) => EXCLUDES.test(key))) return undefined;
  const fresh = is.filter((one) => !was.includes(one) && !NEVER_CHECKED.test(one));
  return fresh.length === 0 ? undefined : `${quoted(name)} leaves out ${list(fresh)}`;
}

const EXCLUDES =
  /^(?:(?:extend-|extend_)?(?:exclude|excludes|exclude[-_]\w+|Exclude|ignore|ignores|ignored|per-file-ignores|ignore-patterns)|ignorePatterns|testPathIgnorePatterns|coveragePathIgnorePatterns|testIgnore|ignore_paths|collect_ignore|collect_ignore_glob|norecursedirs|omit|exclusions|disable|disabled|disable_error_code|disableErrorCodes|deselect)$/;
const NEVER_CHECKED =
  /node_modules|(?:^|\/)(?:dist|build|out|target|coverage|venv|vendor|tmp|generated|__pycache__|\.[\w-]+)(?:\/|$)|\.min\.|^\.\.\.|configDefaults|^true$|^false$/;

/** Lists of what is checked: shorter is laxer. */
function included({ name, was, is, file }: Setting): string | undefined {
  const isPreset = LINTERS.test(file) && (name === "" || name === "extends");
  const key = name.split(".").at(-1) ?? "";
  const gone = was.filter((one) => !is.includes(one));
  const fresh = is.filter((one) => !was.includes(one));
  if (gone.length === 0 || !(isPreset || INCLUDES.test(key))) return undefined;
  const isDefaultAgain = is.length === 0 && NARROWS_DEFAULT.test(key);
  const isOther = gone.length <= fresh.length && (isPreset || isAsWide(fresh, gone));
  return isDefaultAgain || isOther ? undefined : `${quoted(name || "presets")} no longer has ${list(gone)}`;
}

/** Without such a list, a test runner finds all tests. */
function narrowed({ name, was, is, isNew, file }: Setting): string | undefined {
  const isNarrower = was.length === 0 && !isNew && TESTS.test(file);
  return isNarrower && NARROWS_DEFAULT.test(name.split(".").at(-1) ?? "")
    ? `${quoted(name)} is now only ${list(is)}`
    : undefined;
}

const INCLUDES =
  /^(?:include|includes|testMatch|testRegex|testpaths|python_files|python_functions|python_classes|select|extend-select|enable|spec|roots|collectCoverageFrom|inclusions)$/;
const NARROWS_DEFAULT =
  /^(?:include|testMatch|testRegex|testpaths|python_files|python_functions|python_classes|spec)$/;

/** The less of a pattern is fixed, the more it takes in. */
function isAsWide(globs: readonly string[], others: readonly string[]): boolean {
  return mostFixed(globs) <= mostFixed(others);
}

function mostFixed(globs: readonly string[]): number {
  return Math.max(0, ...globs.map((one) => one.replaceAll(/\{[^}]*\}|[*?]/g, "").length));
}

/** A file of the project that a test runner has begun to load: it may do anything to the results. */
function loaded({ name, was, is, file }: Setting): string | undefined {
  const keys = name.split(".");
  const fresh = is.filter((one) => !was.includes(one));
  if (!TESTS.test(file) && !MIXED.test(file)) return undefined;
  const own = fresh.filter((one) => /^(?:\.{1,2}\/|<rootDir>)/.test(one));
  if (keys.some((key) => LOADS.test(key)) && own.length > 0) return `${quoted(name)} loads ${list(own)}`;
  const target = keys.some((key) => /^(?:alias|moduleNameMapper)$/.test(key));
  const stubs = fresh.filter((one) => /stub|mock|fake|dummy/i.test(one));
  return target && stubs.length > 0 ? `${quoted(name)} puts ${list(stubs)} in place of a module` : undefined;
}

const LOADS =
  /^(?:globalSetup|globalTeardown|setupFiles|setupFilesAfterEnv|reporters?|require|runner|testRunner|resolver)$/;

/** A command of a pipeline, or a hook, that is gone; or a step that never runs. */
function goneCommands(
  { file, lines, isDeleted }: PatchedFile,
  all: readonly PatchedFile[],
): readonly Laxer[] {
  if (!CI.test(file)) return [];
  const kept = all
    .filter((one) => CI.test(one.file))
    .flatMap((one) => one.lines.filter(({ kind }) => kind !== "removed"));
  const stays = new Set(kept.map(({ text }) => commandIn(text)));
  const removed = isDeleted ? [] : lines.filter(({ kind }) => kind === "removed");
  const gone = removed.filter(
    ({ text }) => RUNS.test(text) && !stays.has(commandIn(text)) && !isReworded(text, kept),
  );
  const never = lines.filter(({ kind, text }) => kind === "added" && NEVER.test(text));
  return [
    ...gone.map((line) => ({
      file,
      line: line.line,
      issue: `no longer run: ${quoted(normal(line.text))}`,
      about: "tools" as const,
    })),
    ...never.map((line) => ({
      file,
      line: line.line,
      issue: `never run: ${quoted(normal(line.text))}`,
      about: "tools" as const,
    })),
  ];
}

/** A changed line with the same program is another way to run it. */
function isReworded(text: string, kept: readonly PatchLine[]): boolean {
  const [program = ""] = RUNS.exec(text) ?? [];
  return kept.some((line) => line.kind === "added" && line.text.includes(program.trim()));
}

function commandIn(text: string): string {
  return normal(text).replace(/^-?\s*(?:name:.*|run:\s*|script:\s*|id:\s*)?(?:-\s*)?/, "");
}

const RUNS =
  /(?<![\w./-])(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|t|lint|check|typecheck|coverage)\b\S*|npx (?:vitest|jest|eslint|tsc|mocha|oxlint|biome)|(?:vitest|jest|eslint|oxlint|tsc|pytest|tox|nox|mypy|ruff|flake8|pylint|phpunit|phpstan|rubocop|rspec|golangci-lint)(?=\s|$|["'])|go (?:test|vet)|cargo (?:test|clippy|fmt)|make (?:test|lint|check)\b|mvn \S*(?:test|verify)|gradlew? \S*(?:test|check)|dotnet test|mix test|agent-gauntlet \w+)|^\s*-\s*id:\s*\S+/;
const NEVER = /^\s*-?\s*if:\s*(?:\$\{\{\s*)?false\b|^\s*(?:-\s*)?when:\s*never\b|^\s*skip:\s*true\b/;

function lineOf({ lines }: PatchedFile, name: string): number | null {
  const key = name.split(".").at(-1) ?? name;
  const changed = lines.filter(({ kind }) => kind !== "kept");
  const found = changed.findLast(({ text }) => key !== "" && text.includes(key)) ?? changed.at(-1);
  return found?.line ?? null;
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

const LONGEST = 80;

function list(values: readonly string[]): string {
  return quoted(values.join(", "));
}

function quoted(text: string): string {
  const plain = text.replaceAll("`", "'");
  return `\`${plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain}\``;
}
