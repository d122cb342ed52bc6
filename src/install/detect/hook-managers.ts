import { parse as parseYaml } from "yaml";
import { judging, purposeOf, type DetectedCheck, type Detector, type Project, programOf } from "./project.ts";
import { packageManagerOf } from "./node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where lefthook looks, as far as the format is YAML or JSON. */
const LEFTHOOK = [
  "lefthook.yml",
  ".lefthook.yml",
  ".config/lefthook.yml",
  "lefthook.yaml",
  ".lefthook.yaml",
  "lefthook.json",
];
const LINT_STAGED = [
  ".lintstagedrc",
  ".lintstagedrc.json",
  ".lintstagedrc.yaml",
  ".lintstagedrc.yml",
  "package.json",
];

export const HOOK_FILES: readonly string[] = [...LEFTHOOK, ...LINT_STAGED, ".pre-commit-config.yaml"];

export function detectHookCommands(
  project: Project,
  known: readonly DetectedCheck[],
): readonly DetectedCheck[] {
  const covered = new Set(known.flatMap(({ name, command }) => [name, purposeOf(command)]));
  const commands = new Set(known.map(({ command }) => withoutGoingOn(command)));
  const offered = [detectLefthook, detectLintStaged, detectPreCommit].flatMap((detect) => detect(project));
  const wanted = merged(offered).filter(
    ({ command, name }) =>
      !commands.has(withoutGoingOn(command)) &&
      !covered.has(purposeOf(command) ?? name) &&
      !covered.has(name),
  );
  return withOwnNames(wanted);
}

/** The command without the option that keeps it going after a failure: what is found here has one, and few hooks do. */
function withoutGoingOn(command: string): string {
  return command.replace(/ (?:-k|-fae|--continue|--no-fail-fast|--keep-going|--no-bail)(?= |$)/, "");
}

function merged(checks: readonly DetectedCheck[]): readonly DetectedCheck[] {
  const byCommand = new Map<string, DetectedCheck>();
  for (const check of checks) {
    const before = byCommand.get(check.command);
    const files = [...new Set([...(before?.files ?? []), ...(check.files ?? [])])];
    const isNarrow = before === undefined || (before.files !== undefined && check.files !== undefined);
    const { files: _each, ...rest } = before ?? check;
    byCommand.set(check.command, isNarrow && files.length > 0 ? { ...rest, files } : rest);
  }
  return [...byCommand.values()];
}

function withOwnNames(checks: readonly DetectedCheck[]): readonly DetectedCheck[] {
  return checks.map((check, index) => {
    const earlier = checks.slice(0, index).filter(({ name }) => name === check.name).length;
    return earlier === 0 ? check : { ...check, name: `${check.name}-${earlier + 1}` };
  });
}

const detectLefthook: Detector = (project) => {
  const source = project.find(...LEFTHOOK);
  const config = fieldsOf(readYaml(project.text(source ?? "")));
  return ["pre-commit", "pre-push"].flatMap((hook) =>
    lefthookJobs(fieldsOf(config[hook])).flatMap((job) => lefthookCheck(job, source ?? "")),
  );
};

/** `commands` by name, `jobs` as a list, and groups of jobs. */
function lefthookJobs(hook: Fields): readonly Fields[] {
  const commands = Object.entries(fieldsOf(hook["commands"])).map(([name, job]) => ({
    name,
    ...fieldsOf(job),
  }));
  const jobs = listOf(hook["jobs"]).map(fieldsOf);
  return [
    ...commands,
    ...jobs.flatMap((job) => ("group" in job ? lefthookJobs(fieldsOf(job["group"])) : [job])),
  ];
}

function lefthookCheck(job: Fields, source: string): readonly DetectedCheck[] {
  const { run, root, skip, interactive } = job;
  if (typeof run !== "string" || skip === true || interactive === true) return [];
  const command = withoutStaging(run)
    .replaceAll(/(['"]?)\{(?:staged_files|push_files|files)\}\1/g, "{files}")
    .replaceAll("{all_files}", "$(git ls-files)");
  if (/\{(?:\d|cmd|lefthook_job_name)\}/.test(command) || command === "") return [];
  const without = Array.isArray(job["exclude"]) ? textsOf(job["exclude"]) : []; // alone, it is a regular expression
  const globs = textsOf(job["glob"]);
  const name = nameFrom(typeof job["name"] === "string" ? job["name"] : programOf(command));
  const files = globs.length === 0 ? {} : { files: [...globs, ...without.map((glob) => `!${glob}`)] };
  const place = typeof root === "string" ? { workingDirectory: root.replace(/\/+$/, "") } : {};
  return [{ name, source, ...judging(command), ...(command.includes("{files}") ? files : {}), ...place }];
}

/** lint-staged gives each command the staged files that its glob matches, as last arguments. */
const detectLintStaged: Detector = (project) =>
  LINT_STAGED.filter((file) => project.has(file)).flatMap((source) => {
    const text = project.text(source);
    const config = source === "package.json" ? fieldsOf(readYaml(text))["lint-staged"] : readYaml(text);
    return Object.entries(fieldsOf(config)).flatMap(([glob, commands]) =>
      textsOf(commands)
        .map(withoutStaging)
        .filter((command) => command !== "")
        .map((command): DetectedCheck => {
          const judged = judging(`${programPrefix(project, command)}${command} {files}`);
          return { name: nameFrom(programOf(command)), source, files: [glob], ...judged };
        }),
    );
  });

/** lint-staged finds the programs of `node_modules`; a shell needs help with that. */
function programPrefix(project: Project, command: string): string {
  const program = programOf(command);
  if (program.includes("/") || ELSEWHERE.has(program)) return "";
  return `${packageManagerOf(project).exec} `;
}

const ELSEWHERE: ReadonlySet<string> = new Set(
  "npm npx pnpm yarn bun bunx node deno git bash sh make just task cargo rustfmt go gofmt goimports python python3 uv ruff black mypy poetry bundle rubocop php composer terraform shellcheck shfmt clang-format".split(
    " ",
  ),
);

/** The hooks of pre-commit on the changed files, with prek where that is what is installed; without either, its local commands. */
const detectPreCommit: Detector = (project) => {
  const source = project.find(".pre-commit-config.yaml", ".pre-commit-config.yml", "prek.toml");
  if (source === undefined) return [];
  const whole = {
    name: "pre-commit",
    command: project.runnable("pre-commit run --files {files}", "prek run --files {files}"),
    source,
  };
  if (project.isInstalled(programOf(whole.command))) return [whole];
  const repos = listOf(fieldsOf(readYaml(project.text(source)))["repos"]).map(fieldsOf);
  const hooks = repos
    .filter(({ repo }) => repo === "local")
    .flatMap(({ hooks: own }) => listOf(own).map(fieldsOf));
  const local = hooks.flatMap((hook) => localHook(hook, source));
  return local.length > 0 ? local : [whole];
};

function localHook(hook: Fields, source: string): readonly DetectedCheck[] {
  const { id, entry } = hook;
  if (typeof id !== "string" || typeof entry !== "string" || !checksOnCommit(hook, entry)) return [];
  const takesFiles = hook["pass_filenames"] !== false;
  const words = [entry, ...textsOf(hook["args"])];
  if (takesFiles) words.push("{files}");
  const check = { name: nameFrom(id), source, ...judging(words.join(" ")) };
  if (!takesFiles) return [check];
  const files = filesOf(hook);
  if (files === undefined) return [{ ...check, doubt: NO_GLOBS }];
  return [files.length === 0 ? check : { ...check, files }];
}

function checksOnCommit({ id, language, stages }: Fields, entry: string): boolean {
  const isPlain = typeof language === "string" && ["system", "unsupported", "script"].includes(language);
  const isOnCommit =
    stages === undefined || textsOf(stages).some((stage) => /^(?:pre-)?(?:commit|push)$/.test(stage));
  return isPlain && isOnCommit && !GENERATES.test(`${String(id)} ${entry}`);
}

/** As globs, none for every file; undefined if its patterns have no globs. */
function filesOf(hook: Fields): readonly string[] | undefined {
  const types = [...textsOf(hook["types"]), ...textsOf(hook["types_or"])];
  const endings = types.flatMap((type) => TYPES[type] ?? []);
  const wanted = typeof hook["files"] === "string" ? globsOf(hook["files"]) : endings;
  const unwanted = typeof hook["exclude"] === "string" ? globsOf(hook["exclude"]) : [];
  if (wanted === undefined || unwanted === undefined) return undefined;
  const all = wanted.length === 0 && unwanted.length > 0 ? ["**"] : wanted;
  return [...all, ...unwanted.map((glob) => `!${glob}`)];
}

const NO_GLOBS = "its `files` or `exclude` is a pattern that `files` needs as globs";

/** What makes files, or a release, checks nothing. */
const GENERATES = /\b(?:generate|gen|codegen|changelog|release|bump|publish|install|sync|update)\b/i;

/** `^src/` and `^src/.*\\.(py|pyi)$` as globs; undefined for what is not of these shapes. */
function globsOf(pattern: string): readonly string[] | undefined {
  const directory = /^\^([\w/-]+\/)(?:\.\*)?$/.exec(pattern)?.[1];
  if (directory !== undefined) return [`${directory}**`];
  const [, under, one, several] =
    /^(?:\^([\w/-]+\/))?(?:\.\*)?\\\.(?:(\w+)|\(([\w|]+)\))\$$/.exec(pattern) ?? [];
  const endings = one ?? several;
  if (endings === undefined) return undefined;
  return endings.split("|").map((ending) => (under === undefined ? `*.${ending}` : `${under}**/*.${ending}`));
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  python: ["*.py"],
  pyi: ["*.pyi"],
  javascript: ["*.js", "*.mjs", "*.cjs"],
  jsx: ["*.jsx"],
  ts: ["*.ts", "*.mts", "*.cts"],
  tsx: ["*.tsx"],
  rust: ["*.rs"],
  go: ["*.go"],
  shell: ["*.sh", "*.bash"],
  ruby: ["*.rb"],
  yaml: ["*.yml", "*.yaml"],
  json: ["*.json"],
  markdown: ["*.md"],
  c: ["*.c", "*.h"],
  "c++": ["*.cpp", "*.cc", "*.hpp"],
};

/** A gate never changes the index. */
function withoutStaging(command: string): string {
  return command.replaceAll(/(?:^|\s*(?:&&|;)\s*)git add\b[^&;|]*/g, "").trim();
}

function nameFrom(text: string): string {
  const name = text.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|-+$/g, "");
  return name === "" ? "hook" : name;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one): one is string => typeof one === "string");
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}; // of any names
}

/** JSON is YAML. A file that cannot be read proposes nothing: its own tool says what is wrong. */
function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { logLevel: "silent" });
  } catch {
    return undefined;
  }
}
