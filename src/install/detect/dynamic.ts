import { parse } from "jsonc-parser";
import { type Detector, rows, type Project, type Row } from "./project.ts";

export const detectDeno: Detector = (project) => {
  const source = project.find("deno.json", "deno.jsonc");
  if (source === undefined) return [];
  const tasks = Object.keys((parse(project.text(source)) as { tasks?: object } | undefined)?.tasks ?? {}); // null and scalars have no tasks
  const own = (name: string, builtin: string): string =>
    tasks.includes(name) ? `deno task ${name}` : builtin;
  const hasTests = project.hasFile(/(?:^|[/_.])test\.[jt]sx?$/);
  return rows(
    { name: "format", command: own("fmt:check", "deno fmt --check"), source, when: true },
    { name: "lint", command: own("lint", "deno lint"), source, when: true },
    { name: "test", command: own("test", "deno test"), source, when: tasks.includes("test") || hasTests },
  );
};

export const detectClojure: Detector = (project) => {
  const tasks = uncommented(project.text("bb.edn"));
  const deps = uncommented(project.text("deps.edn"));
  const option = testOption(deps);
  const sources = ["src", "test"].filter((directory) =>
    project.hasFile(new RegExp(`^${directory}/.*\\.clj[cs]?$`)),
  );
  return rows(
    {
      name: "lint",
      command: `clj-kondo --lint ${sources.join(" ")}`,
      source: ".clj-kondo/config.edn",
      when: project.hasFile(/^\.clj-kondo\/config\.edn$/) && sources.length > 0,
    },
    { name: "test", command: "bb test", source: "bb.edn", when: /:tasks\s*\{[^]*(?:\s|^)test\s/.test(tasks) },
    { name: "test", command: `clojure ${option}`, source: "deps.edn", when: option !== undefined },
    { name: "test", command: "lein test", source: "project.clj", when: project.has("project.clj") },
  );
};

/** An alias that only adds paths would start a REPL, which exits with 0 where stdin is closed: a check that cannot fail. */
function testOption(deps: string): string | undefined {
  const alias = mapAfter(deps, /:test\s*\{/);
  if (alias === undefined) return undefined;
  if (alias.includes(":exec-fn")) return "-X:test";
  if (alias.includes(":main-opts")) return "-M:test";
  const runner = TEST_RUNNERS.find((name) =>
    mapAfter(deps, new RegExp(`:${name}\\s*\\{`))?.includes(":main-opts"),
  );
  return runner === undefined ? undefined : `-M:test:${runner}`;
}

const TEST_RUNNERS = ["runner", "test-runner", "run-tests", "kaocha"];

export const detectPhp: Detector = (project) => {
  const manifest = parse(project.text("composer.json")) as { scripts?: object } | undefined; // null and scalars have no scripts
  const scripts = Object.keys(manifest?.scripts ?? {});
  const phpunit = project.find("phpunit.xml", "phpunit.xml.dist");
  const phpstan = project.find("phpstan.neon", "phpstan.neon.dist");
  const source = "composer.json";
  const documented = project.documented(
    /\bcomposer(?: run(?:-script)?)? (check|ci|verify|before-[\w-]+|pre-?commit)\b/,
  );
  return rows(
    { name: "lint", command: "composer run-script lint", source, when: scripts.includes("lint") },
    {
      name: "analyse",
      command: "vendor/bin/phpstan analyse --no-progress",
      source: phpstan ?? source,
      when: phpstan !== undefined,
    },
    { name: "test", command: "composer run-script test", source, when: scripts.includes("test") },
    { name: "test", command: "vendor/bin/phpunit", source: phpunit ?? source, when: phpunit !== undefined },
    {
      name: "check",
      command: `composer run-script ${documented}`,
      source,
      when: documented !== undefined && scripts.includes(documented),
    },
  );
};

export const detectPerl: Detector = (project) => {
  const test = project.files.find((file) => /^t\/.*\.t$/.test(file));
  return rows({ name: "test", command: "prove -lr t", source: test ?? "", when: test !== undefined });
};

export const detectRuby: Detector = (project) => {
  const source = "Gemfile";
  const hasDefault = project.says(/^\s*task[ (]+(?::default\b|default:)/m, "Rakefile");
  if (!project.has(source))
    return rows({ name: "test", command: "rake", source: "Rakefile", when: hasDefault });
  return rows(
    {
      name: "lint",
      command: "bundle exec rubocop",
      source: ".rubocop.yml",
      when: project.has(".rubocop.yml"),
    },
    {
      name: "lint",
      command: "bundle exec standardrb",
      source: ".standard.yml",
      when: project.has(".standard.yml"),
    },
    { name: "test", command: specCommand(project), source, when: project.hasFile(/^spec\/.*_spec\.rb$/) },
    { name: "test", command: "bin/rails test", source, when: project.hasFile(/^bin\/rails$/) },
    {
      name: "test",
      command: "bundle exec rake test",
      source,
      when: project.hasFile(/^test\/.*_test\.rb$|^test\/test_.*\.rb$/),
    },
    {
      name: "test",
      command: "bundle exec rake",
      source: "Rakefile",
      when: hasDefault,
    },
  );
};

/** Minitest has specs too, which RSpec cannot run. */
function specCommand(project: Project): string {
  const manifests = project.files.filter((file) =>
    /^(?:Gemfile|[^/]+\.gemspec|spec\/spec_helper\.rb)$/.test(file),
  );
  const isRspec = project.has(".rspec") || project.says(/\brspec\b/i, ...manifests);
  if (isRspec || !project.says(/\bminitest\b/i, ...manifests)) return "bundle exec rspec";
  return project.says(/\btask\b[ (:"']*spec\b/, "Rakefile") ? "bundle exec rake spec" : "bundle exec rake";
}

export const detectElixir: Detector = (project) => {
  const source = "mix.exs";
  const isMix = project.has(source);
  return rows(
    {
      name: "format",
      command: "mix format --check-formatted",
      source,
      when: isMix && project.has(".formatter.exs"),
    },
    { name: "lint", command: "mix credo", source, when: project.says(/:credo\b/, source) },
    { name: "test", command: "mix test", source, when: isMix },
  );
};

export const detectDart: Detector = (project) => {
  const source = "pubspec.yaml";
  const tool = project.says(/^\s+sdk:\s*flutter\b/m, source) ? "flutter" : "dart";
  return rows(
    { name: "lint", command: `${tool} analyze`, source, when: project.has(source) },
    {
      name: "test",
      command: `${tool} test`,
      source,
      when: project.has(source) && project.hasFile(/^test\/.*_test\.dart$/),
    },
  );
};

/** EDN without its line comments, so that a commented-out alias is not found. */
function uncommented(edn: string): string {
  return edn.replaceAll(/;[^\n]*/g, "");
}

function mapAfter(edn: string, key: RegExp): string | undefined {
  const match = key.exec(edn);
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  let depth = 1;
  let end = start;
  for (; end < edn.length && depth > 0; end += 1) {
    if (edn[end] === "{") depth += 1;
    if (edn[end] === "}") depth -= 1;
  }
  return edn.slice(start, end);
}

const MANIFESTS = [
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "tox.ini",
  "requirements.txt",
  "requirements-dev.txt",
  "dev-requirements.txt",
  "Pipfile",
];

/** pytest, ruff, mypy and the like, each only where the project says that it uses it, run in its own environment. */
export const detectPython: Detector = (project) => {
  const inEnvironment = ENVIRONMENTS.find((bin) => project.isInstalled(`${bin}pytest`));
  const isElsewhere = project.hasFile(/\/(?:pyproject\.toml|setup\.py|requirements\.txt)$/);
  const undeclared = isElsewhere || inEnvironment === undefined ? undefined : `${inEnvironment}pytest`;
  const source = project.find(...MANIFESTS, "pytest.ini", ...LINT_FILES, "mypy.ini") ?? undeclared;
  if (source === undefined) return [];
  const run = (tool: string, rest = ""): string => commandFor(project, tool) + rest;
  const uses = (tool: string): boolean => project.says(new RegExp(`\\b${tool}\\b`), ...MANIFESTS);
  const formats = project.says(/^\[tool\.ruff\.format/m, "pyproject.toml");
  return rows(
    {
      name: "format",
      command: formats ? run("ruff", " format --check .") : run("black", " --check ."),
      source,
      when: formats || project.says(/^\[tool\.black/m, "pyproject.toml"),
    },
    {
      name: "lint",
      command: isFlake8(project) ? run("flake8") : run("ruff", ruffCheck(project)),
      source,
      when: uses("ruff") || project.has(...LINT_FILES) || saysFlake8(project),
    },
    {
      name: "typecheck",
      command: run("mypy", saysWhatToType(project) ? "" : " ."),
      source,
      when: uses("mypy") || project.has("mypy.ini", ".mypy.ini"),
    },
    {
      name: "types",
      command: run("pyright"),
      source,
      when: project.has("pyrightconfig.json") || uses("tool\\.pyright"),
    },
    ...testsOfPython(project, source, inEnvironment !== undefined || uses("pytest")),
  );
};

/** pytest runs the tests of unittest, too, and fails if it finds none, which unittest did not before Python 3.12. */
function testsOfPython(project: Project, source: string, usesPytest: boolean): readonly Row[] {
  if (!project.hasFile(/(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/)) return [];
  const runs = project.has("tox.ini", "tox.toml", "noxfile.py") || project.says(/\btox\b/, ...MANIFESTS);
  const pytest = usesPytest || project.hasFile(PYTEST_FILE);
  const own = project.isInstalled("pytest") ? "pytest" : unittest(project);
  return [
    { name: "test", command: commandFor(project, "pytest"), source, when: pytest },
    { name: "test", command: own, source, when: !pytest && !runs },
  ];
}

function unittest(project: Project): string {
  const python = project.isInstalled("python3") ? "python3" : "python";
  const directory = ["tests", "test"].find((name) =>
    project.hasFile(new RegExp(`^${name}/test_[^/]*\\.py$`)),
  );
  return `${commandFor(project, python)} -m unittest${directory === undefined ? "" : ` discover -s ${directory}`}`;
}

/** A check that edits files would judge other ones than the agent left. */
function ruffCheck(project: Project): string {
  const fixes = project.says(/^fix\s*=\s*true/m, "pyproject.toml", "ruff.toml", ".ruff.toml");
  return fixes ? " check --no-fix ." : " check .";
}

/** mypy reads a path instead of what the project has set, and would complain about files that nobody types. */
function saysWhatToType(project: Project): boolean {
  const section = /^\[(?:tool\.)?mypy\]\n(?:(?!\[).*\n)*?(?:files|packages|modules)\s*=/m;
  return project.says(section, "pyproject.toml", "mypy.ini", ".mypy.ini", "setup.cfg");
}

const LINT_FILES = ["ruff.toml", ".ruff.toml", ".flake8"];

const PYTEST_FILE = /(?:^|\/)(?:pytest\.ini|conftest\.py)$/;

function saysFlake8(project: Project): boolean {
  return project.has(".flake8") || project.says(/^\[flake8\]/m, "setup.cfg", "tox.ini");
}

function isFlake8(project: Project): boolean {
  return saysFlake8(project) && !project.says(/\bruff\b/, ...MANIFESTS);
}

/** With the lock file's tool, else from the project's own environment, else from the PATH. */
function commandFor(project: Project, tool: string): string {
  const runner = Object.entries(RUNNERS).find(([lockfile]) => project.has(lockfile))?.[1];
  const inEnvironment = ENVIRONMENTS.map((bin) => `${bin}${tool}`);
  if (runner !== undefined) return project.runnable(`${runner} run ${tool}`, ...inEnvironment, tool);
  return inEnvironment.find((program) => project.isInstalled(program)) ?? tool;
}

const RUNNERS = { "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv" };

const ENVIRONMENTS = [".venv/bin/", "venv/bin/", "../.venv/bin/", "../venv/bin/"];
