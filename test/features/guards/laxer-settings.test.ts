import { describe, expect, test } from "vitest";
import { type About, laxerSettings } from "../../../src/features/guards/laxer-settings.ts";
import { patchedFile } from "../../../src/features/guards/patched-file.ts";
import { parsePatch } from "../../../src/system/git/parse-patch.ts";

/** Every line of both, as git shows a file with enough context. */
function laxer(file: string, before: string, after: string, about: About = "tools"): readonly string[] {
  return laxerSettings([changed(file, before, after)], about).map(({ issue }) => issue);
}

function marked(text: string, mark: string): string {
  const lines = text === "" ? [] : text.split("\n");
  return lines.map((line) => `${mark}${line}\n`).join("");
}

function changed(file: string, before: string, after: string) {
  const mode = before === "" ? "new file mode 100644\n" : after === "" ? "deleted file mode 100644\n" : "";
  const text = `diff --git a/${file} b/${file}\n${mode}--- a/${file}\n+++ b/${file}\n@@ -1,9 +1,9 @@\n${marked(before, "-")}${marked(after, "+")}`;
  const [patch] = parsePatch(text).map(patchedFile);
  if (patch === undefined) throw new Error("no patch");
  return patch;
}

describe("settings of test runners", () => {
  test.each([
    [
      "vitest.config.ts",
      "export default defineConfig({ test: { globals: true } });",
      "export default defineConfig({ test: { globals: true, exclude: ['src/sum.test.ts'] } });",
      "`test.exclude` leaves out `src/sum.test.ts`",
    ],
    [
      "vitest.config.ts",
      "",
      "export default { test: { exclude: ['src/sum.test.ts'] } };",
      "`test.exclude` leaves out `src/sum.test.ts`",
    ],
    [
      "vitest.config.ts",
      "export default { test: {} };",
      "export default { test: { include: ['src/other.test.ts'] } };",
      "`test.include` is now only `src/other.test.ts`",
    ],
    [
      "vitest.config.ts",
      "export default { test: { include: ['src/**/*.test.ts'] } };",
      "export default { test: { include: ['src/other.test.ts'] } };",
      "`test.include` no longer has `src/**/*.test.ts`",
    ],
    [
      "vitest.config.ts",
      "export default { test: {} };",
      "export default { test: { testNamePattern: 'adds' } };",
      "`test.testNamePattern` is now `adds`",
    ],
    [
      "vitest.config.mts",
      "export default { test: {} };",
      "export default { test: { passWithNoTests: true } };",
      "`test.passWithNoTests` switched on",
    ],
    [
      "vitest.config.ts",
      "export default { test: {} };",
      "export default { test: { globalSetup: './quiet.ts' } };",
      "`test.globalSetup` loads `./quiet.ts`",
    ],
    [
      "vitest.config.ts",
      "export default { test: {} };",
      "export default { test: { alias: { './sum': './test/stub-sum.ts' } } };",
      "`test.alias../sum` puts `./test/stub-sum.ts` in place of a module",
    ],
    [
      "jest.config.js",
      "module.exports = {};",
      "module.exports = { testPathIgnorePatterns: ['/sum/'] };",
      "`testPathIgnorePatterns` leaves out `/sum/`",
    ],
    [
      "jest.config.js",
      "module.exports = {};",
      "module.exports = { testMatch: ['**/other.test.js'] };",
      "`testMatch` is now only `**/other.test.js`",
    ],
    [
      "package.json",
      '{ "jest": {} }',
      '{ "jest": { "testPathIgnorePatterns": ["sum"] } }',
      "`jest.testPathIgnorePatterns` leaves out `sum`",
    ],
    [
      ".mocharc.json",
      '{ "spec": "test/**/*.js" }',
      '{ "spec": "test/other.js" }',
      "`spec` no longer has `test/**/*.js`",
    ],
    [
      ".mocharc.yml",
      "spec: test/**/*.js",
      "spec: test/**/*.js\nignore:\n  - test/sum.js",
      "`ignore` leaves out `test/sum.js`",
    ],
    ["pytest.ini", "[pytest]\naddopts = -q", "[pytest]\naddopts = -q -k other", "`pytest.addopts` has `-k`"],
    [
      "pyproject.toml",
      '[tool.pytest.ini_options]\naddopts = "-q"',
      '[tool.pytest.ini_options]\naddopts = "-q --deselect tests/test_a.py::test_x"',
      "`tool.pytest.ini_options.addopts` has",
    ],
    [
      "setup.cfg",
      "[tool:pytest]\ntestpaths = tests",
      "[tool:pytest]\ntestpaths = tests/other",
      "`tool:pytest.testpaths` no longer has `tests`",
    ],
    [
      "Cargo.toml",
      '[package]\nname = "a"',
      '[package]\nname = "a"\n[lib]\ntest = false',
      "`lib.test` switched off",
    ],
  ])("%s: %s → %s", (file, before, after, what) => {
    const said = laxer(file, before, after, "tests");

    expect(said).toEqual([expect.stringContaining(what)]);
  });
});

describe("settings of linters, type checkers, coverage and pipelines", () => {
  test.each([
    [
      ".eslintrc.json",
      '{ "rules": { "no-undef": "error" } }',
      '{ "rules": { "no-undef": "off" } }',
      "rule `no-undef` was `error`, is `off`",
    ],
    [
      "eslint.config.js",
      'export default [{ rules: { eqeqeq: ["error", "always"] } }];',
      'export default [{ rules: { eqeqeq: ["warn", "always"] } }];',
      "rule `eqeqeq` was",
    ],
    [
      "eslint.config.mjs",
      "export default [js.configs.recommended];",
      'export default [js.configs.recommended, { rules: { "no-undef": 0 } }];',
      "rule `no-undef` is `0`",
    ],
    [
      "eslint.config.js",
      "export default [];",
      'export default [{ ignores: ["src/sum.js"] }];',
      "`ignores` leaves out `src/sum.js`",
    ],
    [".oxlintrc.json", '{ "rules": { "no-debugger": "error" } }', "{ }", "rule `no-debugger` removed"],
    [
      "biome.json",
      '{ "linter": { "enabled": true } }',
      '{ "linter": { "enabled": false } }',
      "`linter.enabled` switched off",
    ],
    [
      "tsconfig.json",
      '{ "compilerOptions": { "strict": true } }',
      '{ "compilerOptions": { "strict": false } }',
      "`compilerOptions.strict` switched off",
    ],
    [
      "tsconfig.json",
      '{ "compilerOptions": { "strict": true } }',
      '{ "compilerOptions": { "strict": true, "noCheck": true } }',
      "`compilerOptions.noCheck` switched on",
    ],
    ["tsconfig.json", "{ // all\n}", '{ "exclude": ["src/sum.ts"] }', "`exclude` leaves out `src/sum.ts`"],
    [
      "tsconfig.json",
      '{ "compilerOptions": { "strict": true, } }',
      '{ "compilerOptions": { "strict": true, "strictNullChecks": false } }',
      "`compilerOptions.strictNullChecks` switched off",
    ],
    [
      "mypy.ini",
      "[mypy]\nstrict = True",
      "[mypy]\nstrict = True\nignore_errors = True",
      "`mypy.ignore_errors` switched on",
    ],
    [
      "pyproject.toml",
      "[tool.mypy]\ndisallow_untyped_defs = true",
      "[tool.mypy]\ndisallow_untyped_defs = false",
      "`tool.mypy.disallow_untyped_defs` switched off",
    ],
    [
      "pyproject.toml",
      '[tool.ruff.lint]\nselect = ["E", "F"]',
      '[tool.ruff.lint]\nselect = ["E"]',
      "`tool.ruff.lint.select` no longer has `F`",
    ],
    [
      "ruff.toml",
      'lint.ignore = ["E501"]',
      'lint.ignore = ["E501", "F401"]',
      "`lint.ignore` leaves out `F401`",
    ],
    [
      ".flake8",
      "[flake8]\nmax-complexity = 10",
      "[flake8]\nmax-complexity = 40",
      "`flake8.max-complexity` raised from 10 to 40",
    ],
    [
      ".flake8",
      "[flake8]\nextend-ignore = E203",
      "[flake8]\nextend-ignore = E203, F821",
      "`flake8.extend-ignore` leaves out `F821`",
    ],
    [
      ".golangci.yml",
      "linters:\n  enable: [errcheck, govet]",
      "linters:\n  enable: [govet]",
      "`linters.enable` no longer has `errcheck`",
    ],
    [
      ".golangci.yml",
      "linters: {}",
      "linters:\n  disable: [errcheck]",
      "`linters.disable` leaves out `errcheck`",
    ],
    [
      "Cargo.toml",
      '[lints.clippy]\nunwrap_used = "deny"',
      '[lints.clippy]\nunwrap_used = "allow"',
      "rule `clippy.unwrap_used` was `deny`, is `allow`",
    ],
    [
      "jest.config.js",
      "module.exports = { coverageThreshold: { global: { lines: 90 } } };",
      "module.exports = { coverageThreshold: { global: { lines: 50 } } };",
      "threshold `coverageThreshold.global.lines` lowered from 90 to 50",
    ],
    [
      "vitest.config.ts",
      "export default { test: { coverage: { thresholds: { lines: 90 } } } };",
      "export default { test: { coverage: {} } };",
      "threshold `test.coverage.thresholds.lines` removed, was 90",
    ],
    [
      "package.json",
      '{ "nyc": { "lines": 90, "check-coverage": true } }',
      '{ "nyc": { "lines": 90, "check-coverage": false } }',
      "`nyc.check-coverage` switched off",
    ],
    [
      ".coveragerc",
      "[report]\nfail_under = 90",
      "[report]\nfail_under = 40",
      "threshold `report.fail_under` lowered from 90 to 40",
    ],
    [
      "codecov.yml",
      "coverage:\n  status:\n    project:\n      default:\n        target: 80%",
      "coverage:\n  status:\n    project:\n      default:\n        target: 20%",
      "lowered from 80 to 20",
    ],
    [
      "sonar-project.properties",
      "sonar.sources=src",
      "sonar.sources=src\nsonar.exclusions=src/sum.ts",
      "`sonar.exclusions` leaves out `src/sum.ts`",
    ],
    [
      ".pre-commit-config.yaml",
      "repos:\n- repo: x\n  hooks:\n  - id: mypy",
      "exclude: ^src/\nrepos:\n- repo: x\n  hooks:\n  - id: mypy",
      "`exclude` leaves out `^src/`",
    ],
    [
      ".github/workflows/ci.yml",
      "jobs:\n  a:\n    steps:\n      - run: npm ci\n      - run: npm test",
      "jobs:\n  a:\n    steps:\n      - run: npm ci",
      "no longer run: `- run: npm test`",
    ],
    [
      ".github/workflows/ci.yml",
      "jobs:\n  a:\n    steps: []",
      "jobs:\n  a:\n    if: false\n    steps: []",
      "never run: `if: false`",
    ],
  ])("%s: %s → %s", (file, before, after, what) => {
    const said = laxer(file, before, after);

    expect(said).toEqual([expect.stringContaining(what)]);
  });
});

describe("what is no laxer", () => {
  test.each([
    [
      "vitest.config.ts",
      "export default { test: { include: ['src/**/*.test.ts'] } };",
      "export default { test: { include: ['src/**/*.test.ts', 'test/**/*.ts'] } };",
    ],
    [
      "vitest.config.ts",
      "export default { test: { include: ['src/**/*.test.ts'] } };",
      "export default { test: { include: ['src/**/*.{test,spec}.ts'] } };",
    ],
    [
      "vitest.config.ts",
      "export default { test: {} };",
      "export default { test: { exclude: [...configDefaults.exclude, 'dist/**'], setupFiles: ['vitest-dom'], alias: { '@': './src' } } };",
    ],
    [
      "tsconfig.json",
      "",
      '{ "compilerOptions": { "strict": true, "target": "es2022" }, "include": ["src"], "exclude": ["node_modules"] }',
    ],
    [
      "tsconfig.json",
      '{ "compilerOptions": { "target": "es2022" } }',
      '{ "compilerOptions": { "target": "es2020", "strict": true } }',
    ],
    [
      ".eslintrc.json",
      '{ "rules": { "no-undef": "warn", "max-len": ["error", 80] } }',
      '{ "rules": { "no-undef": "error", "max-len": ["error", 100] } }',
    ],
    [
      "package.json",
      '{ "version": "1.0.0", "scripts": { "test": "vitest" } }',
      '{ "version": "1.1.0", "scripts": { "test": "vitest run" } }',
    ],
    ["pyproject.toml", "[tool.coverage.report]\nfail_under = 80", "[tool.coverage.report]\nfail_under = 85"],
    ["mypy.ini", "[mypy]", "[mypy]\n[mypy-other.*]\nignore_missing_imports = True"],
    [
      ".github/workflows/ci.yml",
      "    steps:\n      - run: npm test",
      "    steps:\n      - run: npm test -- --coverage",
    ],
    [
      ".github/workflows/ci.yml",
      "    steps:\n      - uses: actions/checkout@v3\n      - run: npm test",
      "    steps:\n      - uses: actions/checkout@v4\n      - name: Tests\n        run: npm test",
    ],
    ["pytest.ini", "[pytest]\naddopts = -q", "[pytest]\naddopts = -q --strict-markers"],
    ["vendor/eslint.config.js", "export default [];", 'export default [{ ignores: ["src"] }];'],
  ])("%s: %s → %s", (file, before, after) => {
    const said = [...laxer(file, before, after), ...laxer(file, before, after, "tests")];

    expect(said).toEqual([]);
  });

  test("settings that moved into another file of the same tool", () => {
    const files = [
      changed(".eslintrc.json", '{ "rules": { "no-undef": "error" } }', ""),
      changed("eslint.config.js", "", 'export default [{ rules: { "no-undef": "error" } }];'),
    ];

    expect(laxerSettings(files, "tools")).toEqual([]);
  });

  test("text that is not what the file's name says", () => {
    const said = laxer("pyproject.toml", "[tool.mypy", "= = =");

    expect(said).toEqual([]);
  });
});
