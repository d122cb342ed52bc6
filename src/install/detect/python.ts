import { type Detector, type Project, rows } from "./project.ts";

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
  const source = project.find(...MANIFESTS, "pytest.ini") ?? undeclared;
  if (source === undefined) return [];
  const run = (tool: string, rest = ""): string => commandFor(project, tool) + rest;
  const uses = (tool: string): boolean => project.says(new RegExp(`\\b${tool}\\b`), ...MANIFESTS);
  const hasTests = project.hasFile(/(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/);
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
      command: isFlake8(project) ? run("flake8") : run("ruff", " check ."),
      source,
      when: uses("ruff") || project.has(...LINT_FILES),
    },
    {
      name: "typecheck",
      command: run("mypy", " ."),
      source,
      when: uses("mypy") || project.has("mypy.ini", ".mypy.ini"),
    },
    {
      name: "types",
      command: run("pyright"),
      source,
      when: project.has("pyrightconfig.json") || uses("tool\\.pyright"),
    },
    {
      name: "test",
      command: run("pytest"),
      source,
      when: hasTests && (inEnvironment !== undefined || uses("pytest") || project.hasFile(PYTEST_FILE)),
    },
  );
};

const LINT_FILES = ["ruff.toml", ".ruff.toml", ".flake8"];

const PYTEST_FILE = /(?:^|\/)(?:pytest\.ini|conftest\.py)$/;

function isFlake8(project: Project): boolean {
  return project.has(".flake8") && !project.says(/\bruff\b/, ...MANIFESTS);
}

/** With the lock file's tool, else from the project's own environment, else from the PATH. */
function commandFor(project: Project, tool: string): string {
  const runner = Object.entries(RUNNERS).find(([lockfile]) => project.has(lockfile))?.[1];
  const inEnvironment = ENVIRONMENTS.map((bin) => `${bin}${tool}`);
  if (runner !== undefined) return project.runnable(`${runner} run ${tool}`, ...inEnvironment, tool);
  return inEnvironment.find((program) => project.isInstalled(program)) ?? tool;
}

const RUNNERS = { "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv" };

/** Where a virtual environment of the project, or of the repository around it, has its programs. */
const ENVIRONMENTS = [".venv/bin/", "venv/bin/", "../.venv/bin/", "../venv/bin/"];
