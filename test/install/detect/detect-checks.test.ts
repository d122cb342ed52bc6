import { describe, expect, test } from "vitest";
import { detectChecks, detectScopes, isManifest } from "../../../src/install/detect/detect-checks.ts";
import { Project } from "../../../src/install/detect/project.ts";
import { PROJECTS } from "./projects.ts";

test.each(PROJECTS)("finds the checks of $kind", ({ files, checks }) => {
  const texts = Object.entries(files).filter(([name]) => isManifest(name));

  const detected = detectChecks(new Project(Object.keys(files), new Map(texts)));

  expect(Object.fromEntries(detected.map(({ name, command }) => [name, command]))).toEqual(checks);
});

test("every check names the file it was detected from", () => {
  for (const { files } of PROJECTS) {
    const detected = detectChecks(new Project(Object.keys(files), new Map(Object.entries(files))));

    expect(detected.map(({ source }) => source).filter((source) => !(source in files))).toEqual([]);
  }
});

test("runs Create React App's tests without watching", () => {
  const manifest = '{ "scripts": { "test": "react-scripts test" } }';

  expect(detectChecks(new Project(["package.json"], new Map([["package.json", manifest]])))).toEqual([
    { name: "test", command: "npm test", source: "package.json", env: { CI: "true" } },
  ]);
});

test.each([
  [
    "a script for which a workflow starts a database",
    { "package.json": '{ "scripts": { "test": "jest" } }' },
    "npm test",
  ],
  ["pytest", { "pyproject.toml": "pytest", "tests/test_a.py": "" }, "pytest -q"],
])("%s waits as a comment, with the reason", (_, files, command) => {
  const workflow = `jobs:\n  unit:\n    services:\n      db:\n        image: postgres:17\n    steps:\n      - run: ${command}\n`;
  const all = { ...files, ".github/workflows/ci.yml": workflow };

  const [root] = detectScopes(new Project(Object.keys(all), new Map(Object.entries(all))));

  expect(root?.checks).toMatchObject([{ doubt: ".github/workflows/ci.yml starts postgres for it" }]);
});

test("a target of make that starts servers waits as a comment", () => {
  const files = { Makefile: "test: up\n\tgo test ./...\nup:\n\tdocker compose up -d\n" };

  expect(detectChecks(new Project(Object.keys(files), new Map(Object.entries(files))))).toMatchObject([
    { name: "test", doubt: "it starts servers" },
  ]);
});

describe("what is installed decides which command is proposed", () => {
  const python = { "requirements.txt": "pytest\nruff\n", "tests/test_app.py": "" };

  test.for<[what: string, installed: readonly string[], files: object, command: string]>([
    ["the project's own environment before the PATH", [".venv/bin/pytest", "pytest"], {}, ".venv/bin/pytest"],
    ["an environment called venv", ["venv/bin/pytest"], {}, "venv/bin/pytest"],
    [
      "the lock file's tool where it is there",
      ["uv", ".venv/bin/pytest"],
      { "uv.lock": "" },
      "uv run pytest",
    ],
    ["the environment where that tool is not", [".venv/bin/pytest"], { "uv.lock": "" }, ".venv/bin/pytest"],
    ["the PATH otherwise", ["pytest"], {}, "pytest"],
  ])("pytest: %s", ([, installed, files, command]) => {
    expect(commandOf("test", { ...python, ...files }, installed)).toBe(command);
  });

  test("pytest in the environment is enough where nothing declares it", () => {
    expect(commandOf("test", { "test_app.py": "" }, [".venv/bin/pytest"])).toBe(".venv/bin/pytest");
  });

  test("npm runs the scripts where the package manager of the lock file is missing", () => {
    const files = { "package.json": '{ "scripts": { "test": "vitest run" } }', "pnpm-lock.yaml": "" };

    expect(commandOf("test", files, ["npm"])).toBe("npm test");
    expect(commandOf("test", files, ["npm", "pnpm"])).toBe("pnpm test");
  });

  test("of several tools the one that is there", () => {
    const files = { "bb.edn": "{:tasks {test (y)}}", "project.clj": "" };

    expect(commandOf("test", files, ["lein"])).toBe("lein test");
  });

  test("go vet stands in for a linter that is configured but missing", () => {
    expect(detected({ "go.mod": "", ".golangci.yml": "" }, ["go"]).map(({ command }) => command)).toEqual([
      "go vet ./...",
      "go test ./...",
    ]);
  });

  test("a Makefile stands in for a missing tool", () => {
    expect(commandOf("test", { "go.mod": "", Makefile: "test:\n\tx\n" }, ["make"])).toBe("make -k test");
  });

  test("bash reads the scripts where shellcheck is missing", () => {
    expect(commandOf("lint", { "deploy.sh": "" }, ["bash", "git"])).toBe(
      "git grep -lz --untracked '' -- '*.sh' '*.bash' | xargs -0 -n 1 bash -n",
    );
  });

  test("npm runs the scripts where the package manager is missing, except those that call it themselves", () => {
    const scripts = { lint: "eslint .", test: "pnpm lint && vitest run" };
    const files = { "package.json": JSON.stringify({ packageManager: "pnpm@10.28.0", scripts }) };

    expect(detected(files, ["npm"])).toMatchObject([
      { name: "lint", command: "npm run lint" },
      { name: "test", command: "pnpm test", missing: "pnpm" },
    ]);
  });

  test("a program that is nowhere is named", () => {
    expect(detected(python, ["pytest"])).toMatchObject([
      { name: "lint", command: "ruff check .", missing: "ruff" },
      { name: "test", command: "pytest" },
    ]);
    expect(detected(python, ["pytest"])[1]).not.toHaveProperty("missing");
  });
});

describe("projects inside a repository", () => {
  const npm = '{ "scripts": { "test": "vitest run" } }';

  test("a back end and a front end have entry points of their own", () => {
    const files = {
      "backend/pyproject.toml": "pytest",
      "backend/tests/test_a.py": "",
      "frontend/package.json": npm,
    };

    expect(scopesOf(files)).toEqual({
      backend: { "backend-test": "pytest" },
      frontend: { "frontend-test": "npm test" },
    });
  });

  test("one in another language stands beside the repository's own checks", () => {
    expect(scopesOf({ "go.mod": "", "web/package.json": npm })).toEqual({
      ".": { vet: "go vet ./...", test: "go test ./..." },
      web: { "web-test": "npm test" },
    });
  });

  test.each<[what: string, files: Readonly<Record<string, string>>]>([
    ["packages of a workspace with a test", { "package.json": npm, "packages/a/package.json": npm }],
    ["modules of a Gradle build", { "build.gradle": "", "app/build.gradle": "" }],
    ["what a Makefile at the top tests", { Makefile: "test:\n\tx\n", "web/package.json": npm }],
    [
      "examples and fixtures",
      { "go.mod": "", "examples/web/package.json": npm, "x/testdata/package.json": npm },
    ],
    ["what lies deeper than two directories", { "go.mod": "", "a/b/c/package.json": npm }],
  ])("%s get none", (_, files) => {
    expect(Object.keys(scopesOf(files))).toEqual(["."]);
  });

  test("the environment of the repository serves a project inside it", () => {
    const files = { "backend/setup.py": "", "backend/test_a.py": "" };

    const scopes = detectScopes(projectOf(files, [".venv/bin/pytest"]));

    expect(scopes[1]?.checks).toMatchObject([{ name: "backend-test", command: "../.venv/bin/pytest" }]);
  });
});

function scopesOf(files: Readonly<Record<string, string>>): object {
  const scopes = detectScopes(projectOf(files)).filter(({ checks }) => checks.length > 0);
  return Object.fromEntries(
    scopes.map(({ path, checks }) => [
      path,
      Object.fromEntries(checks.map(({ name, command }) => [name, command])),
    ]),
  );
}

function commandOf(name: string, files: Readonly<Record<string, string>>, installed: readonly string[]) {
  return detected(files, installed).find((check) => check.name === name)?.command;
}

function detected(files: Readonly<Record<string, string>>, installed: readonly string[]) {
  return detectChecks(projectOf(files, installed));
}

function projectOf(files: Readonly<Record<string, string>>, installed?: readonly string[]): Project {
  const texts = Object.entries(files).filter(([name]) => isManifest(name));
  return new Project(Object.keys(files), new Map(texts), installed && ((name) => installed.includes(name)));
}
