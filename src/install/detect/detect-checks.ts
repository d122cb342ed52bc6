import type { Package } from "../../config/read-workspace.ts";
import { detectDotnet, detectGo, detectJvm, detectOtherCompiled, detectRust } from "./compiled.ts";
import {
  detectClojure,
  detectDart,
  detectDeno,
  detectElixir,
  detectPerl,
  detectPhp,
  detectRuby,
  detectPython,
} from "./dynamic.ts";
import { detectHookCommands, HOOK_FILES } from "./hook-managers.ts";
import { detectNode, packageManagerOf, packageScripts, WANTED } from "./node.ts";
import { withWhatCiStarts } from "./what-ci-starts.ts";
import { type DetectedCheck, type Detector, GUIDES, programOf, type Project, WORKFLOW } from "./project.ts";
import {
  detectJust,
  detectMake,
  detectPlainMake,
  detectShell,
  detectTask,
  detectTox,
} from "./task-runners.ts";

/** In this order: of two kinds that offer a check of the same name, a mixed project gets both, the later one under a longer name. */
const LANGUAGES: Readonly<Record<string, Detector>> = {
  node: detectNode,
  deno: detectDeno,
  python: detectPython,
  rust: detectRust,
  go: detectGo,
  jvm: detectJvm,
  dotnet: detectDotnet,
  ruby: detectRuby,
  php: detectPhp,
  perl: detectPerl,
  elixir: detectElixir,
  clojure: detectClojure,
  dart: detectDart,
  native: detectOtherCompiled,
};

/** They usually wrap the language's own commands, so they only fill gaps. */
const TASK_RUNNERS: readonly Detector[] = [detectMake, detectJust, detectTask];
const GAP_FILLERS: readonly Detector[] = [...TASK_RUNNERS, detectTox];

/** Where nothing else is known: that it builds, that its scripts are sound. */
const LAST_RESORTS: readonly Detector[] = [detectPlainMake, detectShell];

export function detectChecks(
  project: Project,
  languages: Readonly<Record<string, Detector>> = LANGUAGES,
): readonly DetectedCheck[] {
  const checks = new Map<string, DetectedCheck>();
  for (const [language, detect] of Object.entries(languages)) {
    for (const check of oneOfEachName(marked(detect(project), project))) {
      const name = checks.has(check.name) ? `${language}-${check.name}` : check.name;
      checks.set(name, { ...check, name });
    }
  }
  for (const check of GAP_FILLERS.flatMap((detect) => marked(detect(project), project))) {
    const known = checks.get(check.name);
    const isGap = known === undefined || (known.missing !== undefined && check.missing === undefined);
    if (isGap) checks.set(check.name, check);
  }
  const known = [...checks.values()];
  const found = [...known, ...marked(detectHookCommands(project, known), project)];
  return found.length > 0 ? found : LAST_RESORTS.flatMap((detect) => marked(detect(project), project));
}

export interface DetectedScope {
  readonly path: string;
  readonly checks: readonly DetectedCheck[];
  /** The directories of a workspace's packages, where each is gated by itself and by what it depends on. */
  readonly packages?: readonly string[];
}

/**
 * The checks of a repository, directory by directory: its own, and those of projects inside it that its own do not cover. A
 * workspace's root looks after its packages, and a task runner at the top after everything.
 */
export function detectScopes(project: Project, packages: readonly Package[] = []): readonly DetectedScope[] {
  const root: DetectedScope = { path: ".", checks: withWhatCiStarts(detectChecks(project), project) };
  const isRunFromTop = TASK_RUNNERS.some((detect) => detect(project).some(({ name }) => name !== "lint"));
  if (isRunFromTop) return [root];
  const ofPackages = checksOfPackages(project, packages);
  if (ofPackages !== undefined) {
    const checks = [...ofPackages, ...detectHookCommands(project, ofPackages)];
    return [
      { path: ".", checks: marked(checks, project), packages: packages.map(({ directory }) => directory) },
    ];
  }
  const uncovered = Object.fromEntries(
    Object.entries(LANGUAGES).filter(([, detect]) => !detect(project).some(isTest)),
  );
  const nested = nestedDirectories(project).map((path) => ({
    path,
    checks: detectChecks(project.below(path), uncovered).map((check) => inScope(check, path)),
  }));
  return [root, ...outermost(nested.filter(({ checks }) => checks.length > 0)).slice(0, MAX_NESTED)];
}

const MAX_NESTED = 12;

function isTest({ name }: DetectedCheck): boolean {
  return name === "test" || name === "check";
}

function nestedDirectories(project: Project): readonly string[] {
  const holders = project.files
    .filter((file) => NESTED.test(file))
    .map((file) => file.slice(0, file.lastIndexOf("/")))
    .filter((directory) => !directory.split("/").some((name) => NOT_PROJECTS.has(name)));
  return [...new Set(holders)].toSorted();
}

/** Such directories hold examples, fixtures or third-party code. */
const NOT_PROJECTS: ReadonlySet<string> = new Set([
  ..."examples example fixtures testdata tests test spec vendor third_party templates".split(" "),
  ..."docs doc node_modules .github .venv venv dist build target bench benchmarks".split(" "),
]);

function outermost(scopes: readonly DetectedScope[]): readonly DetectedScope[] {
  return scopes.filter(({ path }) => !scopes.some((other) => path.startsWith(`${other.path}/`)));
}

function inScope(check: DetectedCheck, path: string): DetectedCheck {
  const name = `${path.replaceAll("/", "-")}-${check.name}`;
  return { ...check, name, source: `${path}/${check.source}` };
}

/** Whether detectors want to read this file: at the top of a project, or of one inside it. */
export function isManifest(path: string): boolean {
  const [name = "", ...directories] = path.split("/").toReversed();
  if (WORKFLOW.test(path) || HOOK_FILES.includes(path) || GUIDES.includes(path)) return true;
  return directories.length <= 2 && MANIFEST.test(name);
}

const MANIFEST =
  /^(?:package\.json|tsconfig\.json|\.gitignore|deno\.jsonc?|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|\.?mypy\.ini|\.?ruff\.toml|(?:dev-)?requirements(?:-dev)?\.txt|Pipfile|Cargo\.toml|Gemfile|[\w.-]+\.gemspec|Rakefile|spec_helper\.rb|composer\.json|mix\.exs|(?:deps|bb)\.edn|pubspec\.yaml|(?:GNU)?[Mm]akefile|CMakeLists\.txt|CMakePresets\.json|pnpm-workspace\.yaml|lerna\.json|nx\.json|project\.json|go\.(?:mod|work)|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml)$/;

const NESTED =
  /^[^/]+\/(?:[^/]+\/)?(?:package\.json|deno\.jsonc?|pyproject\.toml|setup\.py|requirements\.txt|pytest\.ini|Pipfile|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|[^/]+\.slnx?|Gemfile|composer\.json|mix\.exs|(?:deps|bb)\.edn|project\.clj|pubspec\.yaml|Package\.swift|build\.zig|stack\.yaml|(?:GNU)?[Mm]akefile|[Jj]ustfile)$/;

function marked(checks: readonly DetectedCheck[], project: Project): readonly DetectedCheck[] {
  return checks.map((check) => {
    const program = programOf(check.command);
    return project.isInstalled(program) ? check : { ...check, missing: program };
  });
}

/** The first of each name that can be run here; the first of all where none can. */
function oneOfEachName(checks: readonly DetectedCheck[]): readonly DetectedCheck[] {
  const names = [...new Set(checks.map(({ name }) => name))];
  return names.flatMap((wanted) => {
    const offered = checks.filter(({ name }) => name === wanted);
    return offered.find(({ missing }) => missing === undefined) ?? offered.slice(0, 1);
  });
}

/** A root script that only passes on to the packages. */
const FAN_OUT =
  /\b(?:turbo|nx|lerna) |\b(?:pnpm|npm|yarn|bun)\b.*(?: -r\b| --recursive\b| -ws\b| --workspaces?\b| --filter\b| workspaces )/;

/**
 * The checks of a workspace that can be run in each package alone, as `entry_points: auto` does: undefined where the root has one of its
 * own, or a package manager cannot skip the packages that lack it.
 */
function checksOfPackages(
  project: Project,
  packages: readonly Package[],
): readonly DetectedCheck[] | undefined {
  if (packages.length < 2) return undefined;
  const kinds = [nodeChecks, cargoChecks, goChecks].map((checks) => checks(project, packages));
  const [found, ...others] = kinds.filter((checks) => checks !== undefined);
  return others.length === 0 ? found : undefined; // of two kinds of workspaces, no command fits every package
}

type OfPackages = (project: Project, packages: readonly Package[]) => readonly DetectedCheck[] | undefined;

const nodeChecks: OfPackages = (project, packages) => {
  if (!packages.every(({ manifest }) => manifest.endsWith("package.json"))) return undefined;
  const run = programOf(packageManagerOf(project).test);
  if (run === "yarn") return undefined; // it cannot leave out a script that is not there
  const own = packageScripts(project, "package.json");
  const each = packages.map(({ manifest }) => packageScripts(project, manifest));
  const checks = WANTED.flatMap(({ name, scripts }): readonly (DetectedCheck | "root only")[] => {
    const script = scripts.find((one) => each.some((those) => one in those));
    const ofRoot = scripts.map((one) => own[one]).find((text) => text !== undefined);
    if (script === undefined) return ofRoot === undefined || FAN_OUT.test(ofRoot) ? [] : ["root only"];
    if (ofRoot !== undefined && !FAN_OUT.test(ofRoot)) return ["root only"];
    const source = packages.find((_, index) => script in (each[index] ?? {}))?.manifest ?? "package.json";
    return [{ name, command: `${run} run --if-present ${script}`, source }];
  });
  return checks.includes("root only") || checks.length === 0
    ? undefined
    : checks.filter((check) => check !== "root only");
};

const cargoChecks: OfPackages = (project, packages) =>
  packages.every(({ manifest }) => manifest.endsWith("Cargo.toml"))
    ? detectRust(project).map((check) => ({ ...check, command: check.command.replace(" --workspace", "") }))
    : undefined;

const goChecks: OfPackages = (_, packages) => {
  if (!packages.every(({ manifest }) => manifest.endsWith("go.mod"))) return undefined;
  const source = "go.work";
  return [
    { name: "vet", command: "go vet ./...", source },
    { name: "test", command: "go test ./...", source },
  ];
};
