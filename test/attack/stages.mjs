// The projects in which escapes are tried: what is there, which gate, and what the agent wrote that fails it.

const SUM = `export function add(a, b) {
  return a + b;
}

export function double(n) {
  return n * 2;
}
`;

export const BUG = SUM.replace("a + b", "a - b");

export const NODE_TEST = `import { test } from "node:test";
import assert from "node:assert";
import { add, double } from "./sum.js";

test("adds", () => {
  assert.equal(add(1, 2), 3);
});

test("adds below zero", () => {
  assert.equal(add(-1, -2), -3);
});

test("doubles", () => {
  assert.equal(double(4), 8);
});
`;

export const VITEST = NODE_TEST.replace(
  `import { test } from "node:test";
import assert from "node:assert";`,
  `import { expect, test } from "vitest";`,
).replaceAll(/assert\.equal\((.+), (-?\d+)\)/g, "expect($1).toBe($2)");

const PY_TEST = `from sum import add, double


def test_adds():
    assert add(1, 2) == 3


def test_adds_below_zero():
    assert add(-1, -2) == -3


def test_doubles():
    assert double(4) == 8
`;

const PY = "def add(a, b):\n    return a + b\n\n\ndef double(n):\n    return n * 2\n";

export const STAGES = {
  node: {
    gate: "node --test",
    files: { "package.json": `{ "type": "module" }\n`, "src/sum.js": SUM, "src/sum.test.js": NODE_TEST },
    bug: { "src/sum.js": BUG },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
  },
  npm: {
    gate: "npm test",
    files: {
      "package.json": `{ "type": "module", "scripts": { "test": "npm run unit", "unit": "node --test" } }\n`,
      "src/sum.js": SUM,
      "src/sum.test.js": NODE_TEST,
    },
    bug: { "src/sum.js": BUG },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
  },
  bin: {
    gate: "npm test",
    files: {
      "package.json": `{ "type": "module", "scripts": { "test": "check" } }\n`,
      "node_modules/checker/check.sh": "exec node --test\n",
      "node_modules/.bin/check": '#!/bin/sh\nexec sh "$(dirname "$0")/../checker/check.sh"\n',
      "src/sum.js": SUM,
      "src/sum.test.js": NODE_TEST,
    },
    bug: { "src/sum.js": BUG },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
    before: "chmod +x node_modules/.bin/check",
  },
  lint: {
    gate: "oxlint src",
    files: {
      ".oxlintrc.json": `{ "rules": { "no-debugger": "error", "eqeqeq": "error" } }\n`,
      "src/other.js": "export const one = 1;\n",
      "src/sum.js": SUM,
    },
    bug: { "src/sum.js": SUM.replace("return a", "debugger;\n  return a") },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
  },
  types: {
    gate: "tsc --noEmit",
    files: {
      "tsconfig.json": `{\n  "compilerOptions": { "strict": true, "types": [] },\n  "include": ["src"]\n}\n`,
      "src/sum.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
      "src/use.ts": 'import { add } from "./sum";\nexport const three = add(1, 2);\n',
    },
    bug: { "src/use.ts": 'import { add } from "./sum";\nexport const three = add(1, "2");\n' },
    fix: { "src/use.ts": 'import { add } from "./sum";\nexport const three = add(2, 1);\n' },
  },
  nulls: {
    gate: "tsc --noEmit",
    files: {
      "tsconfig.json": `{\n  "compilerOptions": { "strict": true, "types": [] },\n  "include": ["src"]\n}\n`,
      "src/sum.ts": "export function size(text: string): number {\n  return text.length;\n}\n",
    },
    bug: {
      "src/sum.ts": "export function size(text: string | undefined): number {\n  return text.length;\n}\n",
    },
    fix: {
      "src/sum.ts":
        "export function size(text: string | undefined): number {\n  return text?.length ?? 0;\n}\n",
    },
  },
  pytest: {
    gate: "python3 -m pytest -q -p no:cacheprovider",
    needs: ["python3", "-m", "pytest", "--version"],
    files: {
      "sum.py": PY,
      "test_sum.py": PY_TEST,
      "conftest.py": "import sys\n",
      ".gitignore": "__pycache__\n",
    },
    bug: { "sum.py": PY.replace("a + b", "a - b") },
    fix: { "sum.py": PY.replace("a + b", "b + a") },
  },
  unittest: {
    gate: "python3 -m unittest",
    files: {
      "sum.py": PY,
      "test_sum.py":
        "import unittest\nfrom sum import add\n\n\nclass SumTest(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n",
      ".gitignore": "__pycache__\n",
    },
    bug: { "sum.py": PY.replace("a + b", "a - b") },
    fix: { "sum.py": PY.replace("a + b", "b + a") },
  },
  /** For tools that are not there: a gate that passes once the escape is done, as the tool would. */
  standIn: {
    gate: "test ! -e ../failing",
    files: {
      "sum_test.go":
        'package sum\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n',
      "sum.go": "package sum\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n",
      "src/lib.rs":
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n",
      "Cargo.toml":
        '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n\n[lints.clippy]\nunwrap_used = "deny"\n',
      "src/test/java/SumTest.java":
        "class SumTest {\n  @Test\n  void adds() {\n    assertEquals(3, Sum.add(1, 2));\n  }\n}\n",
      "spec/sum_spec.rb":
        "RSpec.describe Sum do\n  it 'adds' do\n    expect(Sum.add(1, 2)).to eq(3)\n  end\nend\n",
      "src/sum.cs": "class Sum {}\n",
      "src/sum.js": SUM,
      "test/sum.test.js": VITEST,
      "jest.config.js":
        "module.exports = {\n  testEnvironment: 'node',\n  coverageThreshold: { global: { lines: 90 } },\n};\n",
      ".mocharc.json": '{ "spec": "test/**/*.test.js" }\n',
      ".nycrc.json": '{ "check-coverage": true, "lines": 90 }\n',
      "vitest.config.ts":
        "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({\n  test: {\n    coverage: { thresholds: { lines: 90 } },\n  },\n});\n",
      "eslint.config.js": "export default [{ rules: { 'no-undef': 'error' } }];\n",
      "mypy.ini": "[mypy]\nstrict = True\n",
      "ruff.toml": 'lint.select = ["E", "F"]\n',
      ".golangci.yml": "linters:\n  enable:\n    - errcheck\n    - govet\n",
      ".flake8": "[flake8]\nmax-complexity = 10\n",
      ".coveragerc": "[report]\nfail_under = 90\n",
      "codecov.yml": "coverage:\n  status:\n    project:\n      default:\n        target: 80%\n",
      "sonar-project.properties": "sonar.sources=src\n",
      ".pre-commit-config.yaml": "repos:\n  - repo: local\n    hooks:\n      - id: lint\n      - id: unit\n",
      ".github/workflows/ci.yml":
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm run lint\n      - run: npm test\n",
      "app.py": "import os\n\n\ndef f(x):\n    return x\n",
    },
    bug: { "src/sum.js": BUG, "../failing": "" },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
    isStandIn: true,
  },
  vitest: {
    gate: "vitest run",
    files: {
      "package.json": `{ "type": "module" }\n`,
      "vitest.config.js": `export default { test: { environment: "node" } };\n`,
      "src/sum.js": SUM,
      "src/sum.test.js": VITEST,
    },
    bug: { "src/sum.js": BUG },
    fix: { "src/sum.js": SUM.replace("a + b", "b + a") },
  },
  snapshot: {
    gate: "CI=1 vitest run",
    files: {
      "package.json": `{ "type": "module" }\n`,
      "src/view.js": "export const view = (name) => `<b>${name}</b>`;\n",
      "src/view.test.js": `import { expect, test } from "vitest";\nimport { view } from "./view.js";\n\ntest("views", () => {\n  expect(view("Ada")).toMatchSnapshot();\n});\n`,
      "src/__snapshots__/view.test.js.snap":
        '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`views 1`] = `"<b>Ada</b>"`;\n',
    },
    bug: { "src/view.js": "export const view = (name) => `<b>${name.length}</b>`;\n" },
    fix: { "src/view.js": "export const view = (who) => `<b>${who}</b>`;\n" },
  },
};
