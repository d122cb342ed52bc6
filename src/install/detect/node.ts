import { isRecord } from "../../json.ts";
import { parse } from "jsonc-parser";
import {
  type DetectedCheck,
  type Detector,
  GUIDES,
  judging,
  type Project,
  programOf,
  rows,
  STARTS_SERVERS,
} from "./project.ts";

export const detectNode: Detector = (project) => {
  if (!project.has("package.json")) return [];
  const manifest = readManifest(project);
  const own = ownManager(project, manifest);
  const manager = packageManager(project, manifest);
  const fromScripts = WANTED.flatMap(({ name, scripts }): readonly DetectedCheck[] => {
    const usable = scripts.filter(
      (candidate) => isCheck(manifest.scripts[candidate]) && !editsFiles(manifest.scripts[candidate]),
    );
    const fixing = scripts.find((candidate) => isCheck(manifest.scripts[candidate]));
    const script =
      usable.find((candidate) => isRunInCi(project, candidate)) ??
      usable.find((candidate) => !callsOthers(manifest, candidate)) ??
      usable[0];
    if (script === undefined)
      return fixing === undefined ? [] : withoutFix(name, fixing, { manifest, manager });
    return [checkOf(name, script, { manifest, own, manager })];
  });
  const types = typesCommand(project, manifest);
  const typecheck = { name: "typecheck", command: `${manager.exec} ${types}`, source: "tsconfig.json" };
  const isTypeScript = project.has("tsconfig.json") && manifest.dependencies.has("typescript");
  const documented = documentedScript(project, manifest);
  const named =
    documented === undefined
      ? []
      : [checkOf(documented.replaceAll(":", "-"), documented, { manifest, own, manager })];
  return [
    ...withBuild(onceEach([...fromScripts, ...named], manifest, project), { project, manifest, manager }),
    ...formatOf(manifest, manager),
    ...rows({ ...typecheck, when: isTypeScript }),
    ...testOfWorkspaces(project, manifest),
  ];
};

interface Managers {
  readonly manifest: Manifest;
  readonly own: PackageManager;
  readonly manager: PackageManager;
}

interface ScriptCheck extends DetectedCheck {
  readonly script?: string;
}

function checkOf(name: string, script: string, { manifest, own, manager }: Managers): ScriptCheck {
  const { test, run } = calls(manifest.scripts[script], own) ? own : manager;
  const command = script === "test" ? test : `${run} ${script}`;
  const env = needsCi(manifest.scripts[script]) ? { env: { CI: "true" } } : {};
  return { name, command, source: "package.json", script, ...env };
}

/** The script that pages for contributors and agents name as what to run before a change is done. */
function documentedScript(project: Project, { scripts }: Manifest): string | undefined {
  const found = project.documented(
    /\b(?:npm|pnpm|yarn|bun)(?: run)? ((?:verify|validate|check|ci|precommit|before)(?:[:-][\w:-]+)?)(?![\w:-])/,
    GUIDES,
  );
  const isWanted = found !== undefined && !WANTED.some((one) => one.scripts.includes(found));
  return isWanted && isCheck(scripts[found]) && !editsFiles(scripts[found]) ? found : undefined;
}

/** Which of these scripts a script starts, directly. */
function called(scripts: Manifest["scripts"], script: string | undefined): readonly string[] {
  const text = scripts[script ?? ""];
  if (typeof text !== "string") return [];
  const names = [...text.matchAll(/\b(?:npm|pnpm|yarn|bun)(?: run)? ([\w:-]+)/g)].map(
    ([, name = ""]) => name,
  );
  return names.filter((name) => name !== script); // `bun test` is its own runner
}

function callsOthers({ scripts }: Manifest, script: string): boolean {
  const others = WANTED.filter((one) => !one.scripts.includes(script)).flatMap((one) => one.scripts);
  return called(scripts, script).some((name) => others.includes(name));
}

/** What another check runs anyway is no check of its own: `test` is often `npm run lint && …`. */
function onceEach(
  checks: readonly ScriptCheck[],
  { scripts }: Manifest,
  project: Project,
): readonly ScriptCheck[] {
  const runnable = checks.filter(({ command }) => project.isInstalled(programOf(command)));
  const within = new Set(runnable.flatMap(({ script }) => called(scripts, script)));
  return checks.filter(({ script }) => script === undefined || !within.has(script));
}

/** Tests that the workflows run after a build read what it made. */
function withBuild(
  checks: readonly ScriptCheck[],
  { project, manifest, manager }: Omit<Managers, "own"> & { readonly project: Project },
): readonly DetectedCheck[] {
  const { scripts } = manifest;
  const test = checks.find(({ name }) => name === "test");
  const isBuilt =
    test?.script !== undefined &&
    isCheck(scripts["build"]) &&
    project.jobs.some(({ text }) => {
      const at = text.search(runOf("build"));
      return at !== -1 && at < text.search(runOf(test.script ?? ""));
    });
  if (!isBuilt) return checks.map(({ script: _script, ...check }) => check);
  const build = { name: "build", command: `${manager.run} build`, source: "package.json" };
  return [build, ...checks].map(({ script: _script, ...check }: ScriptCheck) =>
    check.name === "test" ? { ...check, needs: ["build"] } : check,
  );
}

/** A script as a line of a workflow runs it. */
export function runOf(script: string): RegExp {
  const name = script.replaceAll(/[^\w:-]/g, ".");
  return new RegExp(`\\b(?:npm|pnpm|yarn|bun)(?: run)? ${name}(?![\\w:-])`);
}

/** The script that the project's own workflows run decides between two of the same purpose. */
function isRunInCi(project: Project, script: string): boolean {
  return project.workflowWith(runOf(script)) !== undefined;
}

function editsFiles(script: unknown): boolean {
  return typeof script === "string" && / (?:--fix|--write)(?= |$|["'])/.test(script);
}

/** A script that edits files, as the same commands without the flag; nothing if it does more than call tools. */
function withoutFix(
  name: string,
  script: string,
  { manifest, manager }: { readonly manifest: Manifest; readonly manager: PackageManager },
): readonly DetectedCheck[] {
  const parts = String(manifest.scripts[script]).split(" && ");
  if (!parts.every(isSimple)) return [];
  const judged = parts.map((part) => judging(part));
  if (judged.some(({ command }) => editsFiles(command))) return [];
  const command = judged.map((one) => `${manager.exec} ${one.command}`).join(" && ");
  return [{ name, command, source: "package.json", fix: `${manager.run} ${script}` }];
}

/**
 * `tsc --noEmit` checks nothing where `tsconfig.json` only refers to others (`files: []`): it passes whatever is wrong. There the
 * build of these projects is the check, as the project itself writes it.
 */
function typesCommand(project: Project, { scripts, dependencies }: Manifest): string {
  const tsc = dependencies.has("vue-tsc") ? "vue-tsc" : "tsc";
  const config: unknown = parse(project.text("tsconfig.json"));
  const { files, include, references } = isRecord(config) ? config : {};
  const isEmpty = Array.isArray(files) && files.length === 0 && include === undefined;
  if (!isEmpty || !Array.isArray(references) || references.length === 0) return `${tsc} --noEmit`;
  const written = Object.values(scripts).flatMap((script) =>
    typeof script === "string" ? (/\b(?:vue-)?tsc (?:-b|--build)\b/.exec(script)?.[0] ?? []) : [],
  );
  return written[0] ?? `${tsc} -b --noEmit`;
}

/** Where only a script that formats exists, the same tool judges. */
function formatOf({ scripts }: Manifest, { exec, run }: PackageManager): readonly DetectedCheck[] {
  return ["format", "fmt", "prettier"].flatMap((name) => {
    const script = scripts[name];
    if (typeof script === "string" && CHECKS_FORMAT.test(script))
      return [{ name: "format", command: `${run} ${name}`, source: "package.json" }];
    const judged = typeof script === "string" && isSimple(script) ? judging(script) : undefined;
    if (judged?.fix === undefined) return [];
    const command = `${exec} ${judged.command}`;
    return [{ name: "format", command, source: "package.json", fix: `${run} ${name}` }];
  });
}

const CHECKS_FORMAT = /^(?:prettier|oxfmt|biome format)\b.* (?:--check|-c|--list-different|-l)\b/;

/** One command, not a pipeline or a list of them. */
function isSimple(script: string): boolean {
  return !/[&|;<>$`\n]|^(?:npm|npx|pnpm|yarn|bun|bunx) /.test(script);
}

export function packageScripts(project: Project, manifest: string): Readonly<Record<string, string>> {
  const json: unknown = parse(project.text(manifest));
  const scripts = isRecord(json) && isRecord(json["scripts"]) ? json["scripts"] : {};
  const texts = Object.entries(scripts).filter((entry): entry is [string, string] => isCheck(entry[1]));
  return Object.fromEntries(texts);
}

export function packageManagerOf(project: Project): PackageManager {
  return packageManager(project, readManifest(project));
}

/** A monorepo without a test at the root: those of its packages. The first check of a name counts. */
function testOfWorkspaces(project: Project, manifest: Manifest): readonly DetectedCheck[] {
  const command = ownManager(project, manifest).testEach;
  const source = project.has("pnpm-workspace.yaml") ? "pnpm-workspace.yaml" : "package.json";
  const isMonorepo = manifest.hasWorkspaces || source === "pnpm-workspace.yaml";
  return isMonorepo && command !== undefined && project.hasFile(TEST_FILE)
    ? [{ name: "test", command, source }]
    : [];
}

const TEST_FILE = /\/(?:tests?|__tests__)\/|[._-](?:test|spec)\.[cm]?[jt]sx?$/;

export const WANTED: readonly { readonly name: string; readonly scripts: readonly string[] }[] = [
  { name: "format", scripts: ["format:check", "check:format", "fmt:check", "prettier:check"] },
  { name: "lint", scripts: ["lint:check", "check:lint", "lint:ci", "lint", "lint:ws"] },
  {
    name: "typecheck",
    scripts: [
      "typecheck",
      "type-check",
      "check-types",
      "check:types",
      "check:type",
      "types:check",
      "types",
      "tsc",
      "check",
    ],
  },
  { name: "test", scripts: ["test", "test:ci", "test:unit", "test-unit", "test:run", "unit"] },
];

interface Manifest {
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly dependencies: ReadonlySet<string>;
  readonly packageManager: string;
  readonly hasWorkspaces: boolean;
}

function readManifest(project: Project): Manifest {
  const json: unknown = parse(project.text("package.json"));
  const fields = isRecord(json) ? json : {};
  const names = [fields["dependencies"], fields["devDependencies"]].flatMap((map) =>
    isRecord(map) ? Object.keys(map) : [],
  );
  const declared = fields["packageManager"];
  return {
    scripts: isRecord(fields["scripts"]) ? fields["scripts"] : {},
    dependencies: new Set(names),
    packageManager: typeof declared === "string" ? declared : "",
    hasWorkspaces: fields["workspaces"] !== undefined,
  };
}

/** npm's placeholder is not a test, and a watcher, a server or a window never ends. */
function isCheck(script: unknown): boolean {
  return (
    typeof script === "string" &&
    !/no test specified/.test(script) &&
    !NEVER_ENDS.test(script) &&
    !STARTS_SERVERS.test(script)
  );
}

const NEVER_ENDS =
  /--watch(?!All=false|=false)|\bcypress open\b|\bplaywright test\b.* --ui\b|\bnodemon\b|\b(?:ng|vite|webpack|next|nuxt|astro) (?:serve|dev)\b|\bstart-server-and-test\b/;

/** Create React App's test runner watches unless `CI` is set. */
function needsCi(script: unknown): boolean {
  return typeof script === "string" && /\b(?:react-scripts|craco) test\b/.test(script);
}

interface PackageManager {
  readonly lockfiles: readonly string[];
  readonly test: string;
  /** The tests of all packages of a monorepo, where one command has them in every version of the tool. */
  readonly testEach?: string;
  readonly run: string;
  readonly exec: string;
}

const NPM: PackageManager = {
  lockfiles: ["package-lock.json", "npm-shrinkwrap.json"],
  test: "npm test",
  testEach: "npm test --workspaces --if-present",
  run: "npm run",
  exec: "npx",
};

const MANAGERS: Readonly<Record<string, PackageManager>> = {
  pnpm: {
    lockfiles: ["pnpm-lock.yaml"],
    test: "pnpm test",
    testEach: "pnpm --recursive --no-bail --if-present run test",
    run: "pnpm run",
    exec: "pnpm exec",
  },
  yarn: { lockfiles: ["yarn.lock"], test: "yarn test", run: "yarn run", exec: "yarn run" },
  bun: { lockfiles: ["bun.lock", "bun.lockb"], test: "bun run test", run: "bun run", exec: "bunx" },
  npm: NPM,
};

/** npm runs the scripts of every other package manager too, where that one is not installed. */
function packageManager(project: Project, manifest: Manifest): PackageManager {
  const own = ownManager(project, manifest);
  return project.isInstalled(programOf(own.test)) || !project.isInstalled("npm") ? own : NPM;
}

export function absentManager(project: Project): string | undefined {
  const own = programOf(ownManager(project, readManifest(project)).test);
  return programOf(packageManagerOf(project).test) === own ? undefined : own;
}

/** Whether a script starts the package manager itself, which npm cannot do in its place. */
function calls(script: unknown, { test }: PackageManager): boolean {
  return typeof script === "string" && new RegExp(`(?:^|[\\s;&|(])${programOf(test)}\\s`).test(script);
}

function ownManager(project: Project, manifest: Manifest): PackageManager {
  const declared = MANAGERS[manifest.packageManager.split("@")[0] ?? ""];
  const locked = Object.values(MANAGERS).find(({ lockfiles }) => project.has(...lockfiles));
  return declared ?? locked ?? NPM;
}
