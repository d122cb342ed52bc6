import { isRecord, parseJson } from "../../json.ts";
import { commandsIn, SHELLS } from "../../system/process/shell-text.ts";

export interface NamedScript {
  readonly kind: "script" | "file";
  readonly directory: string;
  readonly name: string;
  readonly manifest?: "package.json" | "composer.json" | "deno.json";
  readonly args?: readonly string[];
}

/**
 * The package scripts and files that a shell line runs: `npm test`, `sh scripts/check.sh`, `make`. A name may turn out to be nothing
 * of the project; the caller finds out when it reads it.
 */
export function scriptsNamedIn(line: string): readonly NamedScript[] {
  const found: NamedScript[] = [];
  let directory = ".";
  for (const { words } of commandsIn(line)) {
    const [program = "", ...args] = words;
    if (program === "cd") directory = below(directory, args[0] ?? ".");
    else found.push(...namedBy(program, args).map((one) => inDirectory(one, directory)));
  }
  return found;
}

function inDirectory(one: NamedScript, directory: string): NamedScript {
  return { ...one, directory: below(directory, one.directory) };
}

const INTERPRETERS = new Set(
  "node deno python python3 ruby perl php tsx ts-node source . clojure clj bb lua Rscript pwsh elixir".split(
    " ",
  ),
);
const PACKAGE_RUNNERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const SCRIPT_LISTS = new Set(["npm-run-all", "npm-run-all2", "run-s", "run-p"]);

const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
};

/** What decides, beside the command, what such a program does. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  cargo: [".cargo/config.toml", ".cargo/config"],
  "pre-commit": [".pre-commit-config.yaml"],
  lefthook: ["lefthook.yml", ".lefthook.yml", "lefthook.yaml"],
  turbo: ["turbo.json"],
  nx: ["nx.json", "project.json"],
  mvn: ["pom.xml"],
  mvnw: ["pom.xml"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
  gradlew: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
  pytest: ["pytest.ini", "setup.cfg"],
};

function namedBy(program: string, args: readonly string[]): readonly NamedScript[] {
  const name = program.split("/").at(-1) ?? program;
  const listed = args.flatMap((arg) => [...arg.matchAll(/\bnpm:([\w:.-]+)/g)].map(([, one = ""]) => one));
  const quoted = listed.map((one) => packageScript(one));
  const inline = inlineText(program, args);
  if (inline !== undefined) return scriptsNamedIn(inline);
  if (PACKAGE_RUNNERS.has(program)) return packageRunner(program, args);
  if (program === "composer") return composerScript(args);
  if (program === "deno" && args[0] === "task") return denoTask(args.slice(1));
  if (SCRIPT_LISTS.has(program))
    return args.filter((arg) => !arg.startsWith("-")).map((arg) => packageScript(arg));
  if (Object.hasOwn(TASK_FILES, name)) return taskFiles(TASK_FILES[name] ?? [], args);
  if (/^python[\d.]*$/.test(name) && args[0] === "-m" && args[1] !== undefined)
    return namedBy(args[1], args.slice(2));
  const files = [...(program.includes("/") ? [program] : []), ...filesGivenTo(name, args)];
  return [...quoted, ...[...files, ...(SETTINGS[name] ?? [])].map((one) => file(one))];
}

export function inlineText(program: string, args: readonly string[]): string | undefined {
  const at = isShell(program) ? args.findIndex((arg) => /^-\w*c$/.test(arg)) : -1;
  return at === -1 ? undefined : args[at + 1];
}

export function isShell(program: string): boolean {
  return SHELLS.has(program.split("/").at(-1) ?? "");
}

export function isShellScript(name: string, text: string): boolean {
  return /\.(?:ba|z)?sh$/.test(name) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text);
}

/** The files an interpreter is given to run: no module, expression, test, or file it only reads. */
function filesGivenTo(name: string, args: readonly string[]): readonly string[] {
  if (!SHELLS.has(name) && !INTERPRETERS.has(name)) return [];
  const runsNone = SHELLS.has(name) ? /^-n$/ : /^(?:-[mcen]|--test|--check)$/;
  if (args.some((arg) => runsNone.test(arg))) return [];
  const isOption = (arg: string, at: number): boolean =>
    arg.startsWith("-") || (SHELLS.has(name) && /^-\w*o$/.test(args[at - 1] ?? "")); // `-o pipefail`
  return args.filter((arg, at) => !isOption(arg, at));
}

function packageRunner(program: string, args: readonly string[]): readonly NamedScript[] {
  const { directory, words } = changedDirectory(args);
  const [first = "", ...rest] = words;
  if (["exec", "x", "dlx"].includes(first))
    return scriptsNamedIn(rest.join(" ")).map((one) => inDirectory(one, directory));
  const isRun = /^run(?:-script)?$/.test(first);
  const name = isRun ? (rest[0] ?? "") : (SHORT_FORMS[first] ?? first);
  const isKnown = isRun || program !== "npm" || Object.values(SHORT_FORMS).includes(name);
  if (!isKnown || name === "") return [];
  const given = args.slice(args.indexOf(isRun ? name : first) + 1).filter((arg) => arg !== "--");
  const scripts = [
    packageScript(`pre${name}`, directory),
    { ...packageScript(name, directory), args: given },
    packageScript(`post${name}`, directory),
  ];
  const run = program === "bun" ? [file(name, directory)] : [];
  return [...scripts, ...run, ...RUNNER_SETTINGS.map((one) => file(one, directory))];
}

function composerScript(args: readonly string[]): readonly NamedScript[] {
  const { directory, words } = changedDirectory(args);
  const name = /^run(?:-script)?$/.test(words[0] ?? "") ? words[1] : words[0];
  return name === undefined ? [] : [{ kind: "script", directory, name, manifest: "composer.json" }];
}

/** Tasks may be in either file; a file with comments counts as a whole. */
function denoTask(args: readonly string[]): readonly NamedScript[] {
  const { directory, words } = changedDirectory(args);
  const [name] = words;
  if (name === undefined) return [];
  const task: NamedScript = { kind: "script", directory, name, manifest: "deno.json" };
  return [task, packageScript(name, directory), file("deno.jsonc", directory)];
}

const SHORT_FORMS: Readonly<Record<string, string>> = {
  t: "test",
  tst: "test",
  test: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};

/** They may name another shell, which then runs every script, or none. */
const RUNNER_SETTINGS = [".npmrc", "pnpm-workspace.yaml", ".yarnrc.yml", ".yarnrc", "bunfig.toml"];

const DIRECTORY_OPTIONS = new Set(["--prefix", "-C", "--dir", "--cwd", "--working-dir"]);

function changedDirectory(args: readonly string[]): {
  readonly directory: string;
  readonly words: readonly string[];
} {
  const at = args.findIndex((arg) => DIRECTORY_OPTIONS.has(arg.split("=")[0] ?? ""));
  const directory = args[at]?.split("=")[1] ?? args[at + 1] ?? ".";
  const isApart = at !== -1 && args[at]?.includes("=") === false;
  const words = args.filter((arg, index) => !arg.startsWith("-") && !(isApart && index === at + 1));
  return { directory: at === -1 ? "." : directory, words };
}

function taskFiles(names: readonly string[], args: readonly string[]): readonly NamedScript[] {
  const { directory, words } = changedDirectory(args);
  const given = args[args.findIndex((arg) => arg === "-f" || arg === "--file") + 1];
  const isGiven = args.some((arg) => arg === "-f" || arg === "--file") && given !== undefined;
  return (isGiven ? [given] : names).map((name) => ({ ...file(name, directory), args: words }));
}

function packageScript(name: string, directory = "."): NamedScript {
  return { kind: "script", directory, name, manifest: "package.json" };
}

function file(name: string, directory = "."): NamedScript {
  return { kind: "file", directory, name };
}

/** The modules beside a script of the project's tools that it loads: `scripts/check.mjs` does what `scripts/lib/rules.mjs` says. */
export function modulesLoadedBy(name: string, text: string): readonly string[] {
  const directory = name.slice(0, name.lastIndexOf("/") + 1);
  if (!OF_TOOLS.test(directory)) return [];
  const isPython = name.endsWith(".py");
  if (!isPython && !/\.[cm]?[jt]s$/.test(name)) return [];
  const found = [...text.matchAll(isPython ? PYTHON_IMPORT : MODULE_IMPORT)].map(([, one = ""]) => one);
  const paths = isPython
    ? found.map((one) => `${one.replaceAll(".", "/")}.py`)
    : found.flatMap(withExtensions);
  return paths.filter((path) => !path.startsWith("..")).map((path) => below(directory.slice(0, -1), path));
}

/** What lies elsewhere, as tests and the source, is the work itself. */
const OF_TOOLS = /(?:^|\/)(?:scripts?|tools?|tooling|ci|build|hack|bin|dev|\.[\w-]+)\//;
const MODULE_IMPORT = /(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.\.?\/[^"'\n]+)["']/g;
const PYTHON_IMPORT = /^\s*(?:from|import)\s+\.?(\w[\w.]*)/gm;

function withExtensions(path: string): readonly string[] {
  const plain = path.replace(/^\.\//, "");
  if (/\.[cm]?[jt]sx?$/.test(plain)) return [plain];
  return ["js", "mjs", "cjs", "ts"].map((extension) => `${plain}.${extension}`).concat(`${plain}/index.js`);
}

export function below(directory: string, path: string): string {
  if (path.startsWith("/") || directory === ".") return path;
  return path === "." ? directory : `${directory}/${path}`;
}

/** The script as shell lines. A file that cannot be read has none: the program that runs it reports that. */
export function scriptIn(text: string, { name, manifest }: NamedScript): string | undefined {
  const value = parseJson(text);
  const scripts = isRecord(value) ? value[manifest === "deno.json" ? "tasks" : "scripts"] : undefined;
  const script = isRecord(scripts) && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (manifest === "composer.json") return composerLines(script);
  return manifest === "deno.json" && isRecord(script) ? taskLines(script) : ifText(script);
}

function ifText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** One line or several, each of which needs the one before it to pass; `@lint` is another script, `@php x` a program. */
function composerLines(script: unknown): string | undefined {
  const lines: readonly unknown[] = Array.isArray(script) ? script : [script];
  const texts = lines.filter((line) => typeof line === "string");
  if (texts.length === 0) return undefined;
  return texts
    .map((line) => line.replace(/^@(?!php |composer )/, "composer run-script ").replace(/^@/, ""))
    .join(" && ");
}

function taskLines({ command, dependencies }: Readonly<Record<string, unknown>>): string {
  const needed: readonly unknown[] = Array.isArray(dependencies) ? dependencies : [];
  const lines = [...needed.map((name) => `deno task ${String(name)}`), ifText(command)];
  return lines.filter(Boolean).join(" && ");
}
