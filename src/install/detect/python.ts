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
  const source = project.find(...MANIFESTS, "pytest.ini");
  if (source === undefined) return [];
  const run = runner(project);
  const uses = (tool: string): boolean => project.says(new RegExp(`\\b${tool}\\b`), ...MANIFESTS);
  const hasTests = project.hasFile(/(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/);
  const formats = project.says(/^\[tool\.ruff\.format/m, "pyproject.toml");
  return rows(
    {
      name: "format",
      command: formats ? `${run}ruff format --check .` : `${run}black --check .`,
      source,
      when: formats || project.says(/^\[tool\.black/m, "pyproject.toml"),
    },
    {
      name: "lint",
      command: lintCommand(project, run),
      source,
      when: uses("ruff") || project.has(...LINT_FILES),
    },
    {
      name: "typecheck",
      command: `${run}mypy .`,
      source,
      when: uses("mypy") || project.has("mypy.ini", ".mypy.ini"),
    },
    {
      name: "types",
      command: `${run}pyright`,
      source,
      when: project.has("pyrightconfig.json") || uses("tool\\.pyright"),
    },
    {
      name: "test",
      command: `${run}pytest`,
      source,
      when: hasTests && (uses("pytest") || project.hasFile(/(?:^|\/)(?:pytest\.ini|conftest\.py)$/)),
    },
  );
};

const LINT_FILES = ["ruff.toml", ".ruff.toml", ".flake8"];

function lintCommand(project: Project, run: string): string {
  const isFlake8 = project.has(".flake8") && !project.says(/\bruff\b/, ...MANIFESTS);
  return isFlake8 ? `${run}flake8` : `${run}ruff check .`;
}

function runner(project: Project): string {
  const found = Object.entries(RUNNERS).find(([lockfile]) => project.has(lockfile));
  return found === undefined ? "" : `${found[1]} run `;
}

const RUNNERS = { "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv" };
