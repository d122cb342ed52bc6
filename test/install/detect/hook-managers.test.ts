import { describe, expect, test } from "vitest";
import { detectChecks, detectScopes } from "../../../src/install/detect/detect-checks.ts";
import { judging, type DetectedCheck, Project } from "../../../src/install/detect/project.ts";
import { readWorkspace } from "../../../src/config/read-workspace.ts";

type Files = Readonly<Record<string, string>>;

const NOT_INSTALLED = new Set(["pre-commit", "prek"]);

function project(files: Files): Project {
  const texts = new Map(Object.entries(files));
  return new Project(Object.keys(files), texts, (program) => !NOT_INSTALLED.has(program));
}

function found(files: Files): Readonly<Record<string, Partial<DetectedCheck>>> {
  const checks = detectChecks(project(files));
  return Object.fromEntries(checks.map(({ name, source: _where, ...check }) => [name, check]));
}

describe("lefthook", () => {
  const config = `
pre-commit:
  parallel: true
  commands:
    eslint:
      glob: "*.{js,ts}"
      exclude: ["*.d.ts"]
      run: npx eslint --fix "{staged_files}" && git add {staged_files}
      stage_fixed: true
    message: { run: "echo {1}" }
    off: { run: "false", skip: true }
  jobs:
    - name: group
      group:
        jobs:
          - { name: "Ruby style", run: "bundle exec rubocop {staged_files}", root: "api/", glob: "*.rb" }
    - run: ./scripts/licences.sh {all_files}
pre-push:
  commands:
    unit: { run: make test }
commit-msg:
  commands:
    lint: { run: "npx commitlint --edit" }
`;

  test("its commands are checks on the changed files, without what edits them or the index", () => {
    expect(found({ "lefthook.yml": config })).toEqual({
      eslint: {
        command: "npx eslint {files}",
        fix: "npx eslint --fix {files}",
        files: ["*.{js,ts}", "!*.d.ts"],
      },
      "Ruby-style": {
        command: "bundle exec rubocop {files}",
        files: ["*.rb"],
        workingDirectory: "api",
      },
      "scripts-licences.sh": { command: "./scripts/licences.sh $(git ls-files)" },
      unit: { command: "make test" },
    });
  });

  test("what another check does already is not proposed twice", () => {
    const scripts = JSON.stringify({ scripts: { lint: "eslint .", test: "vitest run" } });
    const hooks =
      "pre-commit:\n  commands:\n    style: { run: 'yarn eslint {staged_files}' }\n    a: { run: npm test }\n    typos: { run: typos }\n";

    expect(Object.keys(found({ "package.json": scripts, "lefthook.yml": hooks }))).toEqual([
      "lint",
      "test",
      "typos",
    ]);
  });

  test("nor the same command without the option that keeps it going", () => {
    const hooks = "pre-push:\n  commands:\n    all: { run: make lint }\n    unit: { run: make test }\n";
    const files = { Makefile: "lint:\n\tx\ntest:\n\tx\n", "lefthook.yml": hooks };

    expect(Object.keys(found(files))).toEqual(["lint", "test"]);
  });

  test.for(["pre-commit: [", "42", "pre-commit:\n  commands: [1, null]\n  jobs: 7\n", ""])(
    "%j proposes nothing and breaks nothing",
    (text) => {
      expect(found({ "lefthook.yml": text })).toEqual({});
    },
  );
});

describe("lint-staged", () => {
  test.for<[file: string, wrap: (config: object) => string]>([
    ["package.json", (config) => JSON.stringify({ "lint-staged": config })],
    [".lintstagedrc", (config) => JSON.stringify(config)],
    [".lintstagedrc.yml", () => '"*.ts": [eslint --fix, prettier --write]\n"*.md": prettier --write\n'],
  ])("the commands of %s get the changed files of their globs", ([file, wrap]) => {
    const text = wrap({
      "*.ts": ["eslint --fix", "prettier --write", "git add"],
      "*.md": "prettier --write",
    });

    expect(found({ [file]: text })).toEqual({
      eslint: { command: "npx eslint {files}", fix: "npx eslint --fix {files}", files: ["*.ts"] },
      prettier: {
        command: "npx prettier --check {files}",
        fix: "npx prettier --write {files}",
        files: ["*.ts", "*.md"],
      },
    });
  });

  test.for([
    ["pnpm-lock.yaml", "pnpm exec eslint {files}"],
    ["yarn.lock", "yarn run eslint {files}"],
    ["bun.lock", "bunx eslint {files}"],
    ["package-lock.json", "npx eslint {files}"],
  ] as const)("beside %s it is %s", ([lockfile, command]) => {
    const files = { "package.json": "{}", [lockfile]: "", ".lintstagedrc": '{ "*.ts": "eslint" }' };

    expect(found(files)).toMatchObject({ eslint: { command } });
  });

  test("programs that are not of node_modules are run as they are", () => {
    const rc = { "*.py": ["ruff check --fix", "./bin/check"], "*.go": "gofmt -w" };

    expect(found({ ".lintstagedrc.json": JSON.stringify(rc) })).toMatchObject({
      ruff: { command: "ruff check {files}" },
      "bin-check": { command: "./bin/check {files}" },
      gofmt: { command: 'test -z "$(gofmt -l {files})"' },
    });
  });
});

test("without pre-commit, the local commands of its configuration", () => {
  const config = `
repos:
  - repo: https://example.com/remote
    hooks: [{ id: trailing-whitespace }]
  - repo: local
    hooks:
      - { id: mypy, entry: uv run mypy, language: system, types: [python], args: [--strict] }
      - { id: docs, entry: make docs, language: system, pass_filenames: false }
      - { id: image, entry: scan, language: docker_image }
`;

  expect(found({ ".pre-commit-config.yaml": config })).toEqual({
    mypy: { command: "uv run mypy --strict {files}", files: ["*.py"] },
    docs: { command: "make docs" },
  });
});

test.for<[hook: string, check: string]>([
  ["prettier --write {files}", "prettier --check {files}"],
  [
    "npx biome check --write --no-errors-on-unmatched {files}",
    "npx biome check --no-errors-on-unmatched {files}",
  ],
  [
    "pnpm exec oxfmt --write --no-error-on-unmatched-pattern {files}",
    "pnpm exec oxfmt --check --no-error-on-unmatched-pattern {files}",
  ],
  ["oxfmt {files}", "oxfmt --check {files}"],
  ["uv run ruff format {files}", "uv run ruff format --check {files}"],
  ["black .", "black . --check"],
  ["bundle exec rubocop -A {files}", "bundle exec rubocop {files}"],
  ["cargo fmt", "cargo fmt --check"],
  ["dprint fmt", "dprint check"],
  ["clang-format -i {files}", "clang-format --dry-run --Werror {files}"],
  ["stylelint --fix {files}", "stylelint {files}"],
])("%s judges as %s", ([hook, check]) => {
  expect(judging(hook)).toEqual({ command: check, fix: hook });
});

test.for(["eslint {files}", "oxfmt --list-different", "cargo fmt --check", "black --check .", "make lint"])(
  "%s judges already",
  (command) => {
    expect(judging(command)).toEqual({ command });
  },
);

describe("a workspace", () => {
  function scopes(files: Files) {
    const paths = Object.keys(files);
    return detectScopes(project(files), readWorkspace({ paths, read: (path) => files[path] }));
  }
  const workspace = { workspaces: ["packages/*"] };

  test("checks that the packages have run in each of them", () => {
    expect(
      scopes({
        "package.json": JSON.stringify({ ...workspace, scripts: { test: "turbo run test" } }),
        "packages/a/package.json": JSON.stringify({ name: "a", scripts: { test: "vitest run" } }),
        "packages/b/package.json": JSON.stringify({ name: "b", scripts: { lint: "eslint ." } }),
      }),
    ).toEqual([
      {
        path: ".",
        packages: ["packages/a", "packages/b"],
        checks: [
          { name: "lint", command: "npm run --if-present lint", source: "packages/b/package.json" },
          { name: "test", command: "npm run --if-present test", source: "packages/a/package.json" },
        ],
      },
    ]);
  });

  test("a check of the root alone keeps all checks at the root", () => {
    const [root] = scopes({
      "package.json": JSON.stringify({ ...workspace, scripts: { lint: "eslint ." } }),
      "packages/a/package.json": JSON.stringify({ name: "a", scripts: { test: "vitest run" } }),
      "packages/b/package.json": JSON.stringify({ name: "b" }),
    });

    expect(root?.packages).toBeUndefined();
    expect(root?.checks.map(({ command }) => command)).toEqual(["npm run lint"]);
  });

  test.for<[kind: string, files: Files, commands: readonly string[]]>([
    [
      "Cargo",
      {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
        "rustfmt.toml": "",
        "a/Cargo.toml": '[package]\nname = "a"\n',
        "b/Cargo.toml": '[package]\nname = "b"\n',
      },
      ["cargo fmt --check", "cargo test --no-fail-fast"],
    ],
    [
      "Go",
      { "go.work": "use (\n\t./a\n\t./b\n)\n", "a/go.mod": "module x/a\n", "b/go.mod": "module x/b\n" },
      ["go vet ./...", "go test ./..."],
    ],
  ])("%s", ([, files, commands]) => {
    const [root] = scopes(files);

    expect(root?.packages).toEqual(["a", "b"]);
    expect(root?.checks.map(({ command }) => command)).toEqual(commands);
  });
});

test("local hooks of pre-commit keep their files; what makes files or runs on a message is no check", () => {
  const config = `
repos:
  - repo: local
    hooks:
      - { id: one, entry: ./one.sh, language: system, files: '^src/.*\\.(py|pyi)$', exclude: '^src/gen/' }
      - { id: two, entry: ./two.sh, language: system, files: '(?x)^a|b$' }
      - { id: gen-docs, entry: make docs, language: system, pass_filenames: false }
      - { id: message, entry: ./message.sh, language: system, stages: [commit-msg] }
`;

  expect(found({ ".pre-commit-config.yaml": config, "one.sh": "", "two.sh": "" })).toEqual({
    one: { command: "./one.sh {files}", files: ["src/**/*.py", "src/**/*.pyi", "!src/gen/**"] },
    two: {
      command: "./two.sh {files}",
      doubt: "its `files` or `exclude` is a pattern that `files` needs as globs",
    },
  });
});
