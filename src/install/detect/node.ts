import { isRecord } from "../../json.ts";
import { parse } from "jsonc-parser";
import { judging, rows, type DetectedCheck, type Detector, type Project, programOf } from "./project.ts";

export const detectNode: Detector = (project) => {
  if (!project.has("package.json")) return [];
  const manifest = readManifest(project);
  const own = ownManager(project, manifest);
  const manager = packageManager(project, manifest);
  const fromScripts = WANTED.flatMap(({ name, scripts }): readonly DetectedCheck[] => {
    const script = scripts.find((candidate) => isCheck(manifest.scripts[candidate]));
    if (script === undefined) return [];
    const { test, run } = calls(manifest.scripts[script], own) ? own : manager;
    const command = script === "test" ? test : `${run} ${script}`;
    const env = needsCi(manifest.scripts[script]) ? { env: { CI: "true" } } : {};
    return [{ name, command, source: "package.json", ...env }];
  });
  const typecheck = { name: "typecheck", command: `${manager.exec} tsc --noEmit`, source: "tsconfig.json" };
  const isTypeScript = project.has("tsconfig.json") && manifest.dependencies.has("typescript");
  return [
    ...fromScripts,
    ...formatOf(manifest, manager),
    ...rows({ ...typecheck, when: isTypeScript }),
    ...testOfWorkspaces(project, manifest),
  ];
};

/** Where only a script that formats exists, the same tool judges. */
function formatOf({ scripts }: Manifest, { exec, run }: PackageManager): readonly DetectedCheck[] {
  return ["format", "fmt", "prettier"].flatMap((name) => {
    const script = scripts[name];
    const judged = typeof script === "string" && isSimple(script) ? judging(script) : undefined;
    if (judged?.fix === undefined) return [];
    const command = `${exec} ${judged.command}`;
    return [{ name: "format", command, source: "package.json", fix: `${run} ${name}` }];
  });
}

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
  { name: "lint", scripts: ["lint:check", "check:lint", "lint:ci", "lint"] },
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
    ],
  },
  { name: "test", scripts: ["test", "test:ci", "test:unit", "test:run"] },
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

/** npm's placeholder is not a test, and a watcher never ends. */
function isCheck(script: unknown): boolean {
  return (
    typeof script === "string" && !/no test specified/.test(script) && !/--watch(?!All=false)/.test(script)
  );
}

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
