import { describe, expect, test } from "vitest";
import type { Findings } from "../../../src/features/baseline/compare-findings.ts";
import type { KnownProblem } from "../../../src/gates/outcome.ts";
import { lineOfEarlyEnd, mayHideFailures, whyEndsEarly } from "../../../src/features/baseline/early-end.ts";
import { stepsOf } from "../../../src/config/gauntlet/steps.ts";

type Files = Readonly<Record<string, string>>;

/** The chains of a command in a project with these files, in the order in which they are found. */
function chains(command: string, files: Files = {}, directory = "."): readonly (readonly string[])[] {
  return stepsOf(command, directory, (path) => files[path]).chains.map(({ commands }) => commands);
}

/** Why a command ends early. */
function why(command: string, files: Files = {}, more: { env?: Files; directory?: string } = {}) {
  const { env = {}, directory = "." } = more;
  return whyEndsEarly({ command, directory, env, read: (path) => files[path] });
}

function manifest(scripts: Files): string {
  return JSON.stringify({ scripts });
}

const PACKAGE = {
  "package.json": manifest({
    test: "pnpm lint && vitest run",
    lint: "eslint .",
    pretest: "tsc",
    all: "a; b",
  }),
  "web/package.json": manifest({ test: "playwright test" }),
};

describe("the commands of which each runs only if the one before it passed", () => {
  test.for<[line: string, found: readonly (readonly string[])[]]>([
    ["vitest run", [["vitest run"]]],
    ["cd web && CI=1 vitest run", [["CI=1 vitest run"]]],
    ["rm -rf dist && mkdir dist && tsc", [["tsc"]]],
    ["eslint . && vitest run", [["eslint .", "vitest run"]]],
    ["eslint . ; vitest run", [["eslint ."], ["vitest run"]]],
    ["eslint . 2>&1 | tee log && vitest run", [["eslint . 2>&1 | tee log", "vitest run"]]],
    ["echo 'a && b' | wc", []],
    ["a # && b", [["a"]]],
    ["sh -c 'a && b'", [["a", "b"]]],
    ["npm test", [["tsc", "eslint .", "vitest run"]]],
    ["npm run all", [["a"], ["b"]]],
    ["npm run all && c", [["a", "b", "c"]]],
    ["cd web && npm test", [["playwright test"]]],
    ["npm run nothing", [["npm run nothing"]]],
    ["if eslint .; then vitest run; fi", [["eslint .", "vitest run"]]],
    ["if [ -f a ]; then vitest run; fi", [["vitest run"]]],
    ["{ a; b; } && c", [["a"], ["b"], ["}", "c"]]],
    [
      "if a; then b; fi && c",
      [
        ["a", "b"],
        ["fi", "c"],
      ],
    ],
    ["eslint . || exit 1; vitest run", [["eslint . || exit 1", "vitest run"]]],
    ["[ -f skip ] || vitest run", [["[ -f skip ] || vitest run"]]],
    ["cd web || exit 1; vitest run", [["vitest run"]]],
    ["vitest run || failed=1; exit $failed", [["vitest run || failed=1"]]],
    [
      "for d in a b; do npm --prefix $d test || exit 1; done",
      [["npm --prefix $d test || exit 1", "npm --prefix $d test || exit 1"]],
    ],
    ["for d in a b; do a $d || failed=1; done; exit $failed", [["a $d || failed=1"]]],
    ["set -e; a; b", [["a", "b"]]],
    ["set +e; a; b", [["a"], ["b"]]],
  ])("%s", ([line, found]) => {
    expect(chains(line, PACKAGE)).toEqual(found);
  });

  test.each<[name: string, command: string, script: string]>([
    ["set -e", "sh check.sh", "set -e\neslint .\nvitest run\n"],
    ["set -euo pipefail", "./check.sh", "#!/bin/bash\nset -euo pipefail\ncd web\neslint .\nvitest run\n"],
    ["set -o errexit", "bash check.sh src", "set -o errexit\neslint .\nvitest run\n"],
    ["its first line", "./check.sh", "#!/bin/sh -e\neslint .\nvitest run\n"],
    ["how it is called", "bash -e check.sh", "eslint .\nvitest run\n"],
    ["how it is called, with more options", "bash -euo pipefail ./check.sh", "eslint .\nvitest run\n"],
    ["exit", "sh check.sh", "eslint . || exit 1\nvitest run\n"],
    ["a trap", "bash check.sh", "trap 'exit 1' ERR\neslint .\nvitest run\n"],
    ["a loop", "sh check.sh", "set -e\nfor f in *.sh; do\n  shellcheck $f\ndone\n"],
  ])("a script of the project that ends at its first failure: by %s", (_, command, text) => {
    expect(why(command, { "check.sh": text, "./check.sh": text })).toMatch(
      /^it ends at the first command that fails \(.+\), and/,
    );
  });

  test.each(["common.sh", '$(dirname "$0")/common.sh', '"${BASH_SOURCE%/*}/common.sh"'])(
    "so does one that reads `set -e` from another: %s",
    (path) => {
      const files = {
        "scripts/check.sh": `. ${path}\neslint .\nvitest run\n`,
        "scripts/common.sh": "set -eu\n",
        "common.sh": path === "common.sh" ? "set -eu\n" : "",
      };

      expect(why("sh scripts/check.sh", files)).toContain("(`set -e`)");
    },
  );

  test("scripts that name each other many times cost nothing", () => {
    const many = Array.from({ length: 60 }, (_, index) => `npm run s${index % 10}`).join(" && ");
    const scripts = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`s${index}`, many]));

    expect(why("npm run s1", { "package.json": manifest(scripts) })).toContain("may not have run");
  });

  test.each<[command: string, script: string]>([
    ["sh check.sh", "eslint .\nvitest run\n"],
    ["sh check.sh", "#!/bin/sh\nset -x\ncd web || exit 1\neslint .\n"],
    [
      "sh check.sh",
      'set -eu\ncd "$(dirname "$0")/.."\nroot=$(git rev-parse --show-toplevel)\nexport CI=1\nvitest run\n',
    ],
    ["sh check.sh", "failed=0\neslint . || failed=1\nvitest run || failed=1\nexit $failed\n"],
    ["node check.mjs", "set -e\neslint .\nvitest run\n"],
    ["bash -n check.sh", "set -e\neslint .\nvitest run\n"],
  ])("not so %s with %j", (command, text) => {
    expect(why(command, { "check.sh": text, "check.mjs": text })).toBeUndefined();
  });

  test("a script that names itself ends", () => {
    expect(chains("npm test", { "package.json": manifest({ test: "npm test" }) })).toHaveLength(1);
  });

  test("recipes of a Makefile: the lines of one, and what a target with a recipe needs", () => {
    const text =
      "PY = python3\n.PHONY: all\nall: lint test\nlint:\n\t@$(PY) -m ruff check\n\t-true\ntest: build\n\tvitest run\nbuild: ; tsc\n";

    expect(chains("make -k all", { Makefile: text })).toEqual([
      ["python3 -m ruff check"],
      ["tsc", "vitest run"],
    ]);
    expect(chains("make -k lint", { Makefile: text })).toEqual([["python3 -m ruff check"]]);
    expect(chains("make -k", { Makefile: text })).toHaveLength(2);
    expect(
      chains("just test lint", { justfile: "test arg='x': \n  vitest run\nlint:\n  eslint .\n" }),
    ).toEqual([["vitest run", "eslint ."]]);
  });
});

describe("mayHideFailures", () => {
  const complaint = { severity: "error", message: "no" } as const;
  const failure = { ...complaint, test: "adds" };

  test.for<[string, string[], KnownProblem[], boolean]>([
    ["a single command", ["vitest run"], [complaint], false],
    ["tests behind a linter that complains", ["eslint .", "vitest run"], [complaint], true],
    ["tests behind a linter, and they failed", ["eslint .", "vitest run"], [failure], false],
    ["a linter behind tests that failed", ["vitest run", "eslint ."], [failure], true],
    ["a linter behind tests that complain without a name", ["vitest run", "eslint ."], [complaint], true],
    ["the second of two linters", ["tsc", "eslint ."], [complaint], true],
    ["tests behind other tests", ["node --test", "playwright test"], [failure], true],
  ])("%s", ([, commands, problems, isHidden]) => {
    expect(mayHideFailures({ commands, by: "&&" }, problems)).toBe(isHidden);
  });
});

describe("a runner that may end at its first failure", () => {
  test.for<[command: string, files: Files, cause: string]>([
    ["pytest -x", {}, "`-x`"],
    ["python -m pytest -qx tests", {}, "`-qx`"],
    ["poetry run pytest --maxfail 2", {}, "`--maxfail 2`"],
    ["uv run python -m pytest --exitfirst", {}, "`--exitfirst`"],
    ["coverage run -m pytest --sw", {}, "`--sw`"],
    ["PYTEST_ADDOPTS='-q -x' pytest", {}, "`-x`"],
    ["export PYTEST_ADDOPTS=-x; pytest", {}, "`-x`"],
    ["pytest", { "pytest.ini": "[pytest]\naddopts = -ra -x\n" }, "`-x` in pytest.ini"],
    [
      "pytest",
      { "pytest.ini": "[pytest]\naddopts =\n    -ra\n    --maxfail=1\ntestpaths = a\n" },
      "`--maxfail=1` in pytest.ini",
    ],
    [
      "pytest",
      { "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-ra", "-x"]\n' },
      "`-x` in pyproject.toml",
    ],
    [
      "pytest",
      { "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-ra --maxfail=1"\n' },
      "`--maxfail=1` in pyproject.toml",
    ],
    ["pytest", { "setup.cfg": "[tool:pytest]\naddopts = --exitfirst\n" }, "`--exitfirst` in setup.cfg"],
    ["pytest", { "tox.ini": "[pytest]\naddopts=-x\n" }, "`-x` in tox.ini"],
    ["pytest -c ci.ini", { "ci.ini": "[pytest]\naddopts = -x\n" }, "`-x` in ci.ini"],
    ["cd api && pytest", { "pytest.ini": "[pytest]\naddopts = -x\n" }, "`-x` in pytest.ini"],
    ["vitest run --bail 1", {}, "`--bail 1`"],
    [
      "vitest run",
      { "vitest.config.ts": "export default { test: { bail: 1 } }" },
      "`bail` in vitest.config.ts",
    ],
    [
      "vitest run",
      { "vite.config.mts": "test: {\n  bail: process.env.CI ? 1 : 0,\n}" },
      "`bail` in vite.config.mts",
    ],
    [
      "npx vitest --coverage",
      { "vitest.config.ts": "coverage: { thresholds: { lines: 9 } }" },
      "`thresholds` in vitest.config.ts",
    ],
    [
      "vitest run",
      { "vitest.config.ts": "coverage: { enabled: true, thresholds: { lines: 9 } }" },
      "`thresholds` in vitest.config.ts",
    ],
    ["jest --bail", {}, "`--bail`"],
    ["node node_modules/jest/bin/jest.js -b", {}, "`-b`"],
    ["yarn jest --bail=3", {}, "`--bail`"],
    ["jest", { "package.json": '{"jest":{"bail":true}}' }, "`bail` in package.json"],
    ["jest", { "jest.config.js": "module.exports = { bail: 1 }" }, "`bail` in jest.config.js"],
    ["mocha -b", {}, "`-b`"],
    ["mocha", { ".mocharc.yml": "bail: true\n" }, "`bail` in .mocharc.yml"],
    ["mocha", { ".mocharc.json": '{"bail": true}' }, "`bail` in .mocharc.json"],
    ["npx playwright test -x", {}, "`-x`"],
    [
      "playwright test",
      { "playwright.config.ts": "maxFailures: process.env.CI ? 10 : 0," },
      "`maxFailures` in playwright.config.ts",
    ],
    ["bundle exec rspec --fail-fast", {}, "`--fail-fast`"],
    ["rspec", { ".rspec": "--color\n--fail-fast\n" }, "`--fail-fast` in .rspec"],
    ["rspec", { "spec/spec_helper.rb": "config.fail_fast = 3" }, "`fail_fast` in spec/spec_helper.rb"],
    ["go test -failfast ./...", {}, "`-failfast`"],
    ["cargo test", {}, "without `--no-fail-fast`"],
    ["cargo +nightly test --workspace", {}, "without `--no-fail-fast`"],
    ["cargo nextest run", {}, "without `--no-fail-fast`"],
    ["cargo clippy -- -D warnings", {}, "without `--keep-going`"],
    ["make one two", {}, "without `-k`"],
    ["make -C sub -j4 check", {}, "without `-k`"],
    ["vendor/bin/phpunit --stop-on-defect", {}, "`--stop-on-defect`"],
    [
      "php vendor/bin/phpunit",
      { "phpunit.xml.dist": '<phpunit stopOnFailure="true">' },
      "`stopOnFailure` in phpunit.xml.dist",
    ],
    ["./gradlew check", { "./gradlew": "#!/bin/sh\nset -e\na\nb\n" }, "without `--continue`"],
    ["./mvnw -B verify", {}, "without `-fae`"],
    [
      "mvn -fae verify",
      { "pom.xml": "<skipAfterFailureCount>1</skipAfterFailureCount>" },
      "`skipAfterFailureCount` in pom.xml",
    ],
    ["python -m unittest -f", {}, "`-f`"],
    ["run-s lint test", {}, "without `--continue-on-error`"],
    ["pnpm -r test", {}, "without `--no-bail`"],
    ["npx turbo run test", {}, "without `--continue`"],
    ["tox", { "tox.ini": "[testenv]\ncommands =\n    ruff check\n    pytest\n" }, "`commands` in tox.ini"],
    [
      "nox",
      { "noxfile.py": "def a(session):\n    session.run('a')\n    session.run('b')\n" },
      "`session.run` in noxfile.py",
    ],
    ["npm test", { "package.json": manifest({ test: "jest --bail" }) }, "`--bail`"],
    ["npm test -- --bail", { "package.json": manifest({ test: "jest" }) }, "`--bail`"],
    ["pnpm unit", { "package.json": manifest({ unit: "cross-env CI=1 vitest run --bail=1" }) }, "`--bail=1`"],
    ["npm test", { "package.json": manifest({ test: "npm run unit", unit: "mocha --bail" }) }, "`--bail`"],
    ["make -k test", { Makefile: "test:\n\tpytest -x\n" }, "`-x`"],
    ["sh check.sh", { "check.sh": "pytest -x\n" }, "`-x`"],
    ["bash -c 'pytest -x'", {}, "`-x`"],
  ])("%s with %j", ([command, files, cause]) => {
    expect(why(command, files)).toContain(`(${cause})`);
  });

  test.for<[command: string, files: Files]>([
    ["pytest -q -rx tests", {}],
    ["pytest", { "pytest.ini": "[pytest]\naddopts = -ra\n# addopts = -x\nmarkers =\n    x: -x\n" }],
    ["pytest --maxfail=0", { "pytest.ini": "[pytest]\naddopts = -x\n" }],
    ["vitest run --bail=0", { "vitest.config.ts": "bail: 1" }],
    [
      "vitest run",
      { "vitest.config.ts": "export default { test: { bail: 0, coverage: { thresholds: { lines: 9 } } } }" },
    ],
    [
      "vitest run --coverage",
      { "vitest.config.ts": "coverage: { reportOnFailure: true, thresholds: { lines: 9 } }" },
    ],
    ["vitest run", { "vitest.config.ts": "// bail: 1,\n" }],
    ["jest --no-bail", { "jest.config.js": "bail: 1" }],
    ["jest", { "package.json": '{"jest":{"bail":false}}' }],
    ["mocha --no-bail", { ".mocharc.yml": "bail: true\n" }],
    ["mocha", { "jest.config.js": "bail: 1" }],
    ["playwright test --max-failures=0", { "playwright.config.ts": "maxFailures: 1," }],
    ["rspec --no-fail-fast", { ".rspec": "--fail-fast\n" }],
    ["go test ./...", {}],
    ["go vet ./...", {}],
    ["cargo test --no-fail-fast", {}],
    ["cargo nextest run", { ".config/nextest.toml": "[profile.default]\nretries = 2\nfail-fast = false\n" }],
    ["cargo fmt --check", {}],
    ["make -k one two", {}],
    ["make -sk check", {}],
    ["make --keep-going check", {}],
    ["MAKEFLAGS=-k make check", {}],
    ["gradle --console=plain --continue check", {}],
    ["mvn -B -q -fae test", {}],
    ["mvn test", { ".mvn/maven.config": "-T1C\n--fail-at-end\n" }],
    ["vendor/bin/phpunit", { "phpunit.xml": '<phpunit stopOnFailure="false">' }],
    ["run-s -c lint test", { "package.json": manifest({ lint: "a", test: "b" }) }],
    ["pnpm -r --no-bail test", {}],
    ["pnpm test", {}],
    ["tox", { "tox.ini": "[testenv]\ncommands = pytest \\\n    {posargs}\n" }],
    ["python check.py -x", {}],
    ["eslint . --max-warnings 0", {}],
  ])("not so %s with %j", ([command, files]) => {
    expect(why(command, files)).toBeUndefined();
  });

  test("takes its options from the environment, too", () => {
    expect(why("pytest", {}, { env: { PYTEST_ADDOPTS: "-x" } })).toContain("(`-x`)");
  });

  test("reads its settings where it runs, and above", () => {
    const files = { "packages/a/jest.config.js": "bail: 1" };

    expect(why("jest", files, { directory: "packages/a" })).toContain("`bail` in jest.config.js");
    expect(why("jest", files, { directory: "packages/b" })).toBeUndefined();
  });

  test("says what to type instead", () => {
    expect(why("make one two")).toBe(
      "`make` ends at its first failure (without `-k`), and what it would have found after that is not known: add `-k`",
    );
  });
});

describe("what a check printed tells that it ended early", () => {
  const FOUND: Findings = { problems: [], isAllRead: true, unread: [] };

  test.for<[string, string | undefined]>([
    ["!!!!!!!!!! stopping after 1 failures !!!!!!!!!!", "!!!!!!!!!! stopping after 1 failures !!!!!!!!!!"],
    [
      "!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!",
      "!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!",
    ],
    [
      "0 examples, 0 failures, 1 error occurred outside of examples",
      "0 examples, 0 failures, 1 error occurred outside of examples",
    ],
    [
      "  Testing stopped early after 1 maximum allowed failures.",
      "Testing stopped early after 1 maximum allowed failures.",
    ],
    ["  3 did not run", "3 did not run"],
    ["panic: runtime error: index out of range", "panic: runtime error: index out of range"],
    [
      "Found 1 error in 1 file (errors prevented further checking)",
      "Found 1 error in 1 file (errors prevented further checking)",
    ],
    ["[INFO] web ................ SKIPPED", "[INFO] web ................ SKIPPED"],
    [
      "  Cancelling due to test failure: 3 tests still running",
      "Cancelling due to test failure: 3 tests still running",
    ],
    ["FAIL\texample.com/shop/price [build failed]", "FAIL\texample.com/shop/price [build failed]"],
    ["FAIL\texample.com/shop/price\t0.004s", undefined],
    ["we are stopping after lunch", undefined],
    ["1 failed, 2 passed in 0.1s", undefined],
  ])("%s", ([line, said]) => {
    expect(lineOfEarlyEnd(["a", line, "b"])).toBe(said);
  });

  test("a runner that counts and counted nothing has run nothing", () => {
    const check = { command: "cargo test --no-fail-fast", directory: ".", env: {}, read: () => undefined };

    expect(whyEndsEarly(check, FOUND)).toBe("`cargo test` says of no test that it ran");
    expect(whyEndsEarly(check, { ...FOUND, ran: 3 })).toBeUndefined();
  });
});
