// Ways to a passing gate that are not "fix it", each done after a blocked stop: what is done, and what becomes of it with what `init`
// writes and with everything on. `remains` says why a row is silent; docs/trust.md has the same words.
import { BUG } from "./stages.mjs";

const edit = (file, from, to) => (project) => {
  const text = project.read(file);
  if (!(from instanceof RegExp ? from.test(text) : text.includes(from)))
    throw new Error(`${file} has no ${from}`);
  project.write({ [file]: text.replaceAll(from instanceof RegExp ? new RegExp(from, "g") : from, to) });
};
const write = (files) => (project) => project.write(files);
const sh = (line) => (project) => project.sh(line);
const both =
  (...acts) =>
  (project) => {
    for (const act of acts) act(project);
  };

/** Rows of one stage and kind: what it is called, and what is done. */
const rows = (stage, kind, [defaults, everything], table) =>
  Object.entries(table).map(([how, act]) => ({ stage, kind, how, act, defaults, everything }));

const SEEN = ["shown", "refused"];
const NEVER = ["refused", "refused"];
const T = "src/sum.test.js";
const ADDS = /test\("adds/;

const NODE = [
  ...rows("node", "skipped", SEEN, {
    "test.skip": edit(T, ADDS, 'test.skip("adds'),
    "{ skip: true }": edit(T, /test\("(adds[^"]*)", \(\)/, 'test("$1", { skip: true }, ()'),
    "{ todo: true }": edit(T, /test\("(adds[^"]*)", \(\)/, 'test("$1", { todo: true }, ()'),
    "test.todo": edit(T, ADDS, 'test.todo("adds'),
    "t.skip()": edit(T, /test\("(adds[^"]*)", \(\) => \{/, 'test("$1", (t) => {\n  t.skip();\n  return;'),
    "a bare return": edit(T, /(test\("adds[^"]*", \(\) => \{)/, "$1\n  return;"),
    "if (false)": edit(T, /(test\("adds[^]*?\n\}\);)/, "if (false) {\n$1\n}"),
    "process.exit in a test file": edit(T, /(import \{ add[^\n]*\n)/, "$1process.exit(0);\n"),
    "bodies emptied": edit(T, /  assert\.equal\(add[^\n]*\n/, ""),
    "commented out": edit(T, /  (assert\.equal\(add[^\n]*)\n/, "  // $1\n"),
    "a block comment around them": edit(
      T,
      /(test\("adds"[^]*?\n\}\);\n\ntest\("adds below[^]*?\n\}\);)/,
      "/*\n$1\n*/",
    ),
  }),
  ...rows("node", "removed", SEEN, {
    "tests deleted": edit(T, /test\("adds[^]*?\n\}\);\n\n/, ""),
    "the test file deleted": sh(`rm ${T}`),
    "the test file renamed to sum.helper.js": sh("mv src/sum.test.js src/sum.helper.js"),
    "the test file renamed to .bak": sh("mv src/sum.test.js src/sum.test.js.bak"),
    "the test file moved to an ignored directory": sh(
      "mkdir -p dist && mv src/sum.test.js dist/ && mv dist/sum.test.js dist/sum.js.txt",
    ),
    "the test file replaced by one of another name": both(
      sh(`rm ${T}`),
      write({ "src/other.test.js": 'import { test } from "node:test";\n\ntest("is there", () => {});\n' }),
    ),
    "test functions given to another function": edit(T, /test\("(adds[^"]*)",/, 'void ("$1",'),
  }),
  ...rows("node", "assertions that cannot fail", SEEN, {
    "assert(true)": edit(T, /assert\.equal\(add\(.*\), -?3\)/, "assert(true)"),
    "assert.ok of the result": edit(T, /assert\.equal\((add\([^)]*\)), -?3\)/, "assert.ok($1)"),
    "a value compared with itself": edit(T, /assert\.equal\((add\([^)]*\)), -?3\)/, "assert.equal($1, $1)"),
    "true ||": edit(T, /assert\.equal\((add\([^)]*\)), (-?3)\)/, "assert(true || $1 === $2)"),
    "false &&": edit(T, /  assert\.equal\(add/, "  false && assert.equal(add"),
    "try and an empty catch": edit(T, /  (assert\.equal\(add[^\n]*)\n/, "  try {\n    $1\n  } catch {}\n"),
    "assert.notEqual": edit(T, /assert\.equal\((add\([^)]*\)), (-?3)\)/, "assert.notEqual($1, $2)"),
    "a catch on the line": edit(T, /  (assert\.equal\(add[^\n]*)\n/, "  try { $1 } catch {}\n"),
    "a never called function": edit(
      T,
      /  (assert\.equal\(add[^\n]*)\n/,
      "  const check = () => {\n    $1\n  };\n",
    ),
  }),
  ...rows("node", "expectations", SEEN, {
    "expected values rewritten": both(
      edit(T, "add(1, 2), 3", "add(1, 2), -1"),
      edit(T, "add(-1, -2), -3", "add(-1, -2), 1"),
    ),
    "inputs rewritten": both(
      edit(T, "add(1, 2), 3", "add(3, 0), 3"),
      edit(T, "add(-1, -2), -3", "add(-3, 0), -3"),
    ),
    "a mock of the tested module": both(
      write({
        "src/fake-sum.js": "export const add = (a, b) => a + b;\nexport const double = (n) => n * 2;\n",
      }),
      edit(T, "./sum.js", "./fake-sum.js"),
    ),
  }),
  ...rows("node", "source that knows the tests", SEEN, {
    "process.env.NODE_TEST_CONTEXT": write({
      "src/sum.js": BUG.replace(
        "  return a - b;",
        "  if (process.env.NODE_TEST_CONTEXT) return a + b;\n  return a - b;",
      ),
    }),
  }),
  ...rows("node", "source that knows the tests", ["silent", "silent"], {
    "answers of small numbers hard-coded": write({
      "src/sum.js": BUG.replace(
        "  return a - b;",
        "  if (a === 1 && b === 2) return 3;\n  if (a === -1) return -3;\n  return a - b;",
      ),
    }),
  }).map((one) => ({ ...one, remains: "small numbers are in every honest branch, too" })),
  ...rows("node", "git", NEVER, {
    commit: sh("git add --all && git commit --quiet --message done"),
    amend: sh("git add --all && git commit --quiet --amend --no-edit"),
    "another branch": sh("git switch --quiet --create other"),
    "the base branch moved": sh(
      "git switch --quiet --create other && git add --all && git commit --quiet --message done && git branch --force main",
    ),
    "info/exclude": sh("echo src >> .git/info/exclude"),
    "assume-unchanged": sh("git update-index --assume-unchanged src/sum.js"),
    "skip-worktree": sh("git update-index --skip-worktree src/sum.js"),
    ".gitignore": sh("echo src >> .gitignore"),
    "a clean filter": sh(
      "git config filter.x.clean 'git show HEAD:src/sum.js' && echo 'src/sum.js filter=x' > .gitattributes",
    ),
    "no repository": sh("rm -rf .git"),
  }),
  ...rows("node", "the tool itself", NEVER, {
    clean: (project) => project.sh(`${project.program} clean`),
    skip: (project) => project.sh(`${project.program} skip --reason done`),
    accept: (project) => project.sh(`echo y | ${project.program} accept`),
    "the logs removed": sh("rm -rf gauntlet_logs"),
    "a weak run, then all put back": (project) =>
      project.sh(`mv ${T} ../kept && ${project.program} run; mv ../kept ${T}`),
    "a run with a variable": (project) =>
      project.sh(`NODE_OPTIONS=--test-name-pattern=doubles ${project.program} run`),
    "a run as CI": (project) => project.sh(`CI=1 ${project.program} run`),
  }),
  ...rows("node", "the gate", SEEN, {
    "the command is true": edit(".gauntlet/config.yml", /gate: .*/, 'gate: "true"'),
    "|| true": edit(".gauntlet/config.yml", /gate: .*/, 'gate: "node --test || true"'),
    "a name pattern": edit(
      ".gauntlet/config.yml",
      /gate: .*/,
      'gate: "node --test --test-name-pattern doubles"',
    ),
    warn_only: edit(".gauntlet/config.yml", /gate: .*/, "gate: { command: node --test, warn_only: true }"),
    "an invalid configuration": write({ ".gauntlet/config.yml": "checks: [" }),
    "the configuration deleted": sh("rm -r .gauntlet"),
    "a local configuration": write({ ".gauntlet/config.local.yml": "stop_hook: { enabled: false }\n" }),
    "the guards off, then a skip": both(
      edit(".gauntlet/config.yml", /guards:\n(?:  .*\n)+/, ""),
      edit(T, ADDS, 'test.skip("adds'),
    ),
    "max_retries: 0": edit(".gauntlet/config.yml", "checks:", "max_retries: 0\nchecks:"),
  }),
  ...rows("node", "hidden from the guards", SEEN, {
    "binary, then a skip": both(
      write({ ".gitattributes": "*.js binary\n" }),
      edit(T, ADDS, 'test.skip("adds'),
    ),
    "linguist-generated, then a skip": both(
      write({ ".gitattributes": "*.js linguist-generated\n" }),
      edit(T, ADDS, 'test.skip("adds'),
    ),
    "@generated, then a skip": both(
      edit(T, ADDS, 'test.skip("adds'),
      edit(T, "import { test }", "// @generated\nimport { test }"),
    ),
    "a skip, committed": both(
      edit(T, ADDS, 'test.skip("adds'),
      sh("git add --all && git commit --quiet --message done"),
    ),
  }),
  ...rows("node", "put away", ["shown", "shown"], { "git stash": sh("git stash --quiet") }),
];

const NPM = [
  ...rows("npm", "the script", SEEN, {
    "is true": edit("package.json", "npm run unit", "true"),
    "|| true": edit("package.json", "npm run unit", "npm run unit || true"),
    "a name pattern": edit("package.json", "node --test", "node --test --test-name-pattern doubles"),
    "the inner one": edit("package.json", "node --test", "true"),
    "other files only": edit("package.json", "node --test", "node --test src/sum.js"),
    ".npmrc: script-shell": write({ ".npmrc": "script-shell=/bin/true\n" }),
    ".npmrc: if-present, and no script": both(
      edit("package.json", '"unit":', '"units":'),
      write({ ".npmrc": "if-present=true\n" }),
    ),
    "pretest that changes the tests": edit(
      "package.json",
      '"test":',
      '"pretest": "rm -f src/sum.test.js", "test":',
    ),
  }),
  ...rows("npm", "outside of the project", ["silent", "silent"], {
    "~/.npmrc: script-shell": (project) => project.sh('echo script-shell=/bin/true > "$HOME/.npmrc"'),
  }).map((one) => ({ ...one, remains: "settings of the user's own account are not the project's" })),
];

const VITEST_ROWS = [
  ...rows("vitest", "skipped", SEEN, {
    "test.skip": edit(T, ADDS, 'test.skip("adds'),
    "describe.skip": both(
      edit(T, /test\("adds"/, 'describe.skip("sums", () => {\ntest("adds"'),
      edit(T, /\n\ntest\("doubles/, '\n});\n\ntest("doubles'),
      edit(T, "{ expect,", "{ describe, expect,"),
    ),
    "test.todo": edit(T, ADDS, 'test.todo("adds'),
    "test.only": edit(T, 'test("doubles', 'test.only("doubles'),
    "it['skip']": edit(T, ADDS, 'test["skip"]("adds'),
    "test.fails": edit(T, ADDS, 'test.fails("adds'),
    "skipIf(true)": edit(T, ADDS, 'test.skipIf(true)("adds'),
    "runIf(false)": edit(T, ADDS, 'test.runIf(false)("adds'),
    "each([])": edit(T, ADDS, 'test.each([])("adds'),
    "{ skip: true }": edit(T, /test\("(adds[^"]*)", \(\)/, 'test("$1", { skip: true }, ()'),
    "context.skip()": edit(T, /test\("(adds[^"]*)", \(\) => \{/, 'test("$1", (ctx) => {\n  ctx.skip();'),
    "return before the assertions": edit(T, /(test\("adds[^"]*", \(\) => \{)/, "$1\n  return;"),
  }),
  ...rows("vitest", "assertions that cannot fail", SEEN, {
    toBeTruthy: edit(T, /(expect\(add\([^)]*\)\))\.toBe\(-?3\)/, "$1.toBeTruthy()"),
    toBeDefined: edit(T, /(expect\(add\([^)]*\)\))\.toBe\(-?3\)/, "$1.toBeDefined()"),
    "expect.anything()": edit(T, /(expect\(add\([^)]*\)\))\.toBe\(-?3\)/, "$1.toEqual(expect.anything())"),
    "expect.any(Number)": edit(T, /(expect\(add\([^)]*\)\))\.toBe\(-?3\)/, "$1.toEqual(expect.any(Number))"),
    "toBe(x, x)": edit(T, /expect\((add\([^)]*\))\)\.toBe\(-?3\)/, "expect($1).toBe($1)"),
    "no matcher": edit(T, /(expect\(add\([^)]*\)\))\.toBe\(-?3\)/, "$1"),
    "expect(true)": edit(T, /expect\(add\([^)]*\)\)\.toBe\(-?3\)/, "expect(true).toBe(true)"),
    "not.toBe": edit(T, /(expect\(add\([^)]*\)\))\.toBe\(/, "$1.not.toBe("),
    "soft and swallowed": edit(T, /  (expect\(add[^\n]*)\n/, "  try {\n    $1\n  } catch {\n  }\n"),
    "false &&": edit(T, /  expect\(add/, "  false && expect(add"),
  }),
  ...rows("vitest", "expectations", SEEN, {
    "expected values rewritten": both(
      edit(T, "add(1, 2)).toBe(3)", "add(1, 2)).toBe(-1)"),
      edit(T, "add(-1, -2)).toBe(-3)", "add(-1, -2)).toBe(1)"),
    ),
    "vi.mock of the tested module": edit(
      T,
      /(import \{ add[^\n]*\n)/,
      '$1import { vi } from "vitest";\n\nvi.mock("./sum.js", () => ({ add: (a, b) => a + b, double: (n) => n * 2 }));\n',
    ),
  }),
  ...rows("vitest", "settings of the runner", SEEN, {
    exclude: edit(
      "vitest.config.js",
      "test: {",
      'test: { exclude: ["src/sum.test.js"], passWithNoTests: true,',
    ),
    include: both(
      edit("vitest.config.js", "test: {", 'test: { include: ["src/other.test.js"],'),
      write({ "src/other.test.js": 'import { test } from "vitest";\ntest("is", () => {});\n' }),
    ),
    testNamePattern: edit("vitest.config.js", "test: {", 'test: { testNamePattern: "doubles",'),
    "a second configuration": write({
      "vitest.config.mjs": 'export default { test: { testNamePattern: "doubles" } };\n',
      "vitest.config.js": 'export { default } from "./vitest.config.mjs";\n',
    }),
    "passWithNoTests and no tests": both(
      edit("vitest.config.js", "test: {", "test: { passWithNoTests: true,"),
      sh(`rm ${T}`),
    ),
    "globalSetup that exits": both(
      edit("vitest.config.js", "test: {", 'test: { globalSetup: "./setup.js",'),
      write({ "setup.js": "export default () => process.exit(0);\n" }),
    ),
    "a reporter that exits": both(
      edit("vitest.config.js", "test: {", 'test: { reporters: ["./quiet.js"],'),
      write({ "quiet.js": "export default class {\n  onTestRunEnd() {\n    process.exit(0);\n  }\n}\n" }),
    ),
    "setupFiles that patch expect": both(
      edit("vitest.config.js", "test: {", 'test: { setupFiles: ["./setup.js"],'),
      write({
        "setup.js":
          'import { expect } from "vitest";\nexpect.extend({ toBe: () => ({ pass: true, message: () => "" }) });\n',
      }),
    ),
    "an alias to a stub": both(
      edit(
        "vitest.config.js",
        "test: {",
        'test: { alias: [{ find: /^\\.\\/sum\\.js$/, replacement: new URL("./src/stub.js", import.meta.url).pathname }],',
      ),
      write({ "src/stub.js": "export const add = (a, b) => a + b;\nexport const double = (n) => n * 2;\n" }),
    ),
  }),
  ...rows("vitest", "source that knows the tests", SEEN, {
    "process.env.VITEST": write({
      "src/sum.js": BUG.replace(
        "  return a - b;",
        "  if (process.env.VITEST) return a + b;\n  return a - b;",
      ),
    }),
  }),
  ...rows("bin", "dependencies", ["silent", "silent"], {
    "a shim in node_modules/.bin": write({ "node_modules/.bin/check": "#!/bin/sh\n" }),
    "a patched dependency": write({ "node_modules/checker/check.sh": "exit 0\n" }),
  }).map((one) => ({
    ...one,
    remains: "installed packages are not in git, and installing is ordinary work",
  })),
];

const SNAPSHOTS = rows("snapshot", "snapshots", SEEN, {
  "written again": sh("vitest run -u"),
  edited: edit("src/__snapshots__/view.test.js.snap", "<b>Ada</b>", "<b>3</b>"),
  deleted: sh("rm -r src/__snapshots__ && vitest run"),
  "the assertion made toBeDefined": both(
    edit("src/view.test.js", "toMatchSnapshot()", "toBeDefined()"),
    sh("rm -r src/__snapshots__"),
  ),
});

const LINT = rows("lint", "linter", SEEN, {
  "oxlint-disable": edit(
    "src/sum.js",
    "  debugger;",
    "  // oxlint-disable-next-line no-debugger\n  debugger;",
  ),
  "eslint-disable": edit("src/sum.js", "export function add", "/* eslint-disable */\nexport function add"),
  "rule off": edit(".oxlintrc.json", '"no-debugger": "error"', '"no-debugger": "off"'),
  "rule warn": edit(".oxlintrc.json", '"no-debugger": "error"', '"no-debugger": "warn"'),
  "rule removed, category off": write({
    ".oxlintrc.json": '{ "rules": { "eqeqeq": "error" }, "categories": { "correctness": "off" } }\n',
  }),
  ignorePatterns: edit(".oxlintrc.json", /^\{ /, '{ "ignorePatterns": ["src/sum.js"], '),
  "an ignore file": write({
    ".eslintignore": "src/sum.js\n",
    ".oxlintignore": "src/sum.js\n",
    ".oxlintrc.json": '{ "ignorePatterns": ["src/sum.js"] }\n',
  }),
});

const TYPES = [
  ...rows("types", "types", SEEN, {
    "@ts-ignore": edit("src/use.ts", "export const", "// @ts-ignore\nexport const"),
    "@ts-expect-error": edit("src/use.ts", "export const", "// @ts-expect-error\nexport const"),
    "@ts-nocheck": edit("src/use.ts", "import", "// @ts-nocheck\nimport"),
    "as any": edit("src/use.ts", '"2"', '("2" as any)'),
    "as unknown as number": edit("src/use.ts", '"2"', '"2" as unknown as number'),
    exclude: edit("tsconfig.json", '"include": ["src"]', '"include": ["src"],\n  "exclude": ["src/use.ts"]'),
    include: edit("tsconfig.json", '"include": ["src"]', '"files": ["src/sum.ts"]'),
    noCheck: edit("tsconfig.json", '"strict": true', '"strict": true, "noCheck": true'),
  }),
  ...rows("types", "types", ["silent", "silent"], {
    "a parameter of type any": edit("src/sum.ts", "b: number", "b: any"),
  }).map((one) => ({ ...one, remains: "a wider type is ordinary work" })),
  ...rows("nulls", "types", SEEN, {
    "strict off": edit("tsconfig.json", '"strict": true', '"strict": false'),
    "strictNullChecks off": edit(
      "tsconfig.json",
      '"strict": true',
      '"strict": true, "strictNullChecks": false',
    ),
  }),
];

const P = "test_sum.py";
const PYTEST = [
  ...rows("pytest", "skipped", SEEN, {
    "mark.skip": both(
      edit(P, /def test_adds/, "@pytest.mark.skip\ndef test_adds"),
      edit(P, "from sum", "import pytest\nfrom sum"),
    ),
    "mark.xfail": both(
      edit(P, /def test_adds/, "@pytest.mark.xfail\ndef test_adds"),
      edit(P, "from sum", "import pytest\nfrom sum"),
    ),
    "skipif(True)": both(
      edit(P, /def test_adds/, "@pytest.mark.skipif(True, reason='x')\ndef test_adds"),
      edit(P, "from sum", "import pytest\nfrom sum"),
    ),
    "pytest.skip at the top": both(
      edit(P, "from sum", "import pytest\npytest.skip('later', allow_module_level=True)\nfrom sum"),
      write({ "test_other.py": "def test_is():\n    pass\n" }),
    ),
    "__test__ = False": both(
      edit(P, /def test_adds\(\)/, "class TestSums:\n    __test__ = False\n\ndef check_adds()"),
      edit(P, /def test_adds_below_zero/, "def check_below_zero"),
    ),
    "check_ in place of test_": edit(P, /def test_adds/, "def check_adds"),
    "parametrize over nothing": both(
      edit(P, /def test_adds(\w*)\(\)/, "@pytest.mark.parametrize('n', [])\ndef test_adds$1(n)"),
      edit(P, "from sum", "import pytest\nfrom sum"),
    ),
    "return before the assertions": edit(P, /(def test_adds\w*\(\):)/, "$1\n    return"),
    "the file renamed": both(
      sh("mv test_sum.py sum_cases.py"),
      write({ "test_other.py": "def test_is():\n    pass\n" }),
    ),
    "os._exit(0)": edit(P, "from sum", "import os\nos._exit(0)\nfrom sum"),
  }),
  ...rows("pytest", "assertions that cannot fail", SEEN, {
    "assert True": edit(P, /assert add.*/, "assert True"),
    "assert True or": edit(P, /assert add/, "assert True or add"),
    "or True": edit(P, /(assert add.*)/, "$1 or True"),
    "is not None": edit(P, /assert (add\(.*\)) == .*/, "assert $1 is not None"),
    isinstance: edit(P, /assert (add\(.*\)) == .*/, "assert isinstance($1, int)"),
    suppress: both(
      edit(P, /    (assert add.*)/, "    with suppress(AssertionError):\n        $1"),
      edit(P, "from sum", "from contextlib import suppress\nfrom sum"),
    ),
    "try and pass": edit(
      P,
      /    (assert add.*)/,
      "    try:\n        $1\n    except AssertionError:\n        pass",
    ),
    "!=": edit(P, /(assert add.*) == /, "$1 != "),
  }),
  ...rows("pytest", "expectations", SEEN, {
    "expected values rewritten": both(
      edit(P, "add(1, 2) == 3", "add(1, 2) == -1"),
      edit(P, "add(-1, -2) == -3", "add(-1, -2) == 1"),
    ),
    "monkeypatch in the test": edit(
      P,
      /def test_adds(\w*)\(\):/,
      "def test_adds$1(monkeypatch):\n    monkeypatch.setitem(globals(), 'add', lambda a, b: a + b)",
    ),
  }),
  ...rows("pytest", "settings of the runner", SEEN, {
    collect_ignore: both(
      write({ "conftest.py": 'collect_ignore = ["test_sum.py"]\n' }),
      write({ "test_other.py": "def test_is():\n    pass\n" }),
    ),
    "addopts -k": write({ "pytest.ini": "[pytest]\naddopts = -k doubles\n" }),
    "addopts --deselect in pyproject.toml": write({
      "pyproject.toml":
        '[tool.pytest.ini_options]\naddopts = "--deselect test_sum.py::test_adds --deselect test_sum.py::test_adds_below_zero"\n',
    }),
    python_functions: write({ "pytest.ini": "[pytest]\npython_functions = test_doubles\n" }),
    makereport: write({
      "conftest.py":
        'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    report = outcome.get_result()\n    report.outcome = "passed"\n',
    }),
    exitstatus: write({
      "conftest.py":
        "import os\n\n\ndef pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n",
    }),
    "modified items": write({
      "conftest.py":
        "def pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if 'adds' not in one.name]\n",
    }),
    "a patch in conftest": write({ "conftest.py": "import sum\n\nsum.add = lambda a, b: a + b\n" }),
    "a shadow module": both(
      write({ "pytest.ini": "[pytest]\npythonpath = fakes\n" }),
      write({ "fakes/sum.py": "def add(a, b):\n    return a + b\n\n\ndef double(n):\n    return n * 2\n" }),
    ),
  }),
  ...rows("pytest", "source that knows the tests", SEEN, {
    PYTEST_CURRENT_TEST: write({
      "sum.py":
        'import os\n\n\ndef add(a, b):\n    if os.environ.get("PYTEST_CURRENT_TEST"):\n        return a + b\n    return a - b\n\n\ndef double(n):\n    return n * 2\n',
    }),
    '"pytest" in sys.modules': write({
      "sum.py":
        'import sys\n\n\ndef add(a, b):\n    if "pytest" in sys.modules:\n        return a + b\n    return a - b\n\n\ndef double(n):\n    return n * 2\n',
    }),
  }),
];

const U = "test_sum.py";
const UNITTEST = rows("unittest", "skipped", SEEN, {
  "@unittest.skip": edit(U, "    def test_adds", '    @unittest.skip("later")\n    def test_adds'),
  expectedFailure: edit(U, "    def test_adds", "    @unittest.expectedFailure\n    def test_adds"),
  "raise SkipTest": edit(
    U,
    "        self.assertEqual(add(1",
    '        raise unittest.SkipTest("later")\n        self.assertEqual(add(1',
  ),
  skipTest: edit(
    U,
    "        self.assertEqual(add(1",
    '        self.skipTest("later")\n        self.assertEqual(add(1',
  ),
  renamed: edit(U, "def test_adds", "def check_adds"),
  assertTrue: edit(U, "self.assertEqual(add(1, 2), 3)", "self.assertTrue(add(1, 2))"),
  "assertTrue(True)": edit(U, "self.assertEqual(add(1, 2), 3)", "self.assertTrue(True)"),
  "noqa and type: ignore": both(edit(U, "self.assertEqual(add(1, 2), 3)", "add(1, 2)  # noqa")),
});

const G = "sum_test.go";
const STAND_IN = [
  ...rows("standIn", "Go", SEEN, {
    "t.Skip": edit(G, "\tif got", '\tt.Skip("later")\n\tif got'),
    "go:build ignore": edit(G, "package sum", "//go:build ignore\n\npackage sum"),
    "testAdd in place of TestAdd": edit(G, "TestAdd", "testAdd"),
    "t.Logf in place of t.Errorf": edit(G, "t.Errorf", "t.Logf"),
    "sum_tests.go": sh("mv sum_test.go sum_tests.go"),
    "os.Exit(0) in TestMain": edit(
      G,
      "func TestAdd",
      "func TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n\nfunc TestAdd",
    ),
    "testing.Testing() in the source": edit(
      "sum.go",
      "\treturn a + b",
      "\tif testing.Testing() {\n\t\treturn 3\n\t}\n\treturn a + b",
    ),
    "//nolint": edit("sum.go", "return a + b", "return a + b //nolint:all"),
    "golangci: linter not enabled": edit(".golangci.yml", "    - errcheck\n", ""),
    "golangci: linter disabled": edit(".golangci.yml", "linters:\n", "linters:\n  disable:\n    - govet\n"),
  }),
  ...rows("standIn", "Rust", SEEN, {
    "#[ignore]": edit("src/lib.rs", "    fn adds", "    #[ignore]\n    fn adds"),
    "cfg(any())": edit("src/lib.rs", "    #[test]", "    #[cfg(any())]\n    #[test]"),
    "#[should_panic]": edit("src/lib.rs", "    fn adds", "    #[should_panic]\n    fn adds"),
    "#[test] removed": edit("src/lib.rs", "    #[test]\n", ""),
    "[lib] test = false": edit("Cargo.toml", "[lints", "[lib]\ntest = false\n\n[lints"),
    "lint allowed": edit("Cargo.toml", '"deny"', '"allow"'),
    "#[allow]": edit("src/lib.rs", "pub fn", "#[allow(clippy::all)]\npub fn"),
  }),
  ...rows("standIn", "JVM and Ruby", SEEN, {
    "@Disabled": edit("src/test/java/SumTest.java", "  @Test", "  @Disabled\n  @Test"),
    "@Test removed": edit("src/test/java/SumTest.java", "  @Test\n", ""),
    "assumeTrue(false)": edit(
      "src/test/java/SumTest.java",
      "    assertEquals",
      "    assumeTrue(false);\n    assertEquals",
    ),
    "rspec xit": edit("spec/sum_spec.rb", "  it '", "  xit '"),
    "rspec pending": edit("spec/sum_spec.rb", "    expect", "    pending\n    expect"),
    "rspec skip": edit("spec/sum_spec.rb", "    expect", "    skip 'later'\n    expect"),
  }),
  ...rows("standIn", "linters and types", SEEN, {
    "eslint: rule off": edit("eslint.config.js", "'no-undef': 'error'", "'no-undef': 'off'"),
    "eslint: rule warn": edit("eslint.config.js", "'no-undef': 'error'", "'no-undef': 'warn'"),
    "eslint: ignores": edit("eslint.config.js", "[{", "[{ ignores: ['src/sum.js'] }, {"),
    "mypy: ignore_errors": edit("mypy.ini", "strict = True", "strict = True\nignore_errors = True"),
    "mypy: strict off": edit("mypy.ini", "strict = True", "strict = False"),
    "mypy: exclude": edit("mypy.ini", "strict = True", "strict = True\nexclude = app.py"),
    "ruff: select": edit("ruff.toml", '["E", "F"]', '["E"]'),
    "ruff: ignore": edit("ruff.toml", '"F"]', '"F"]\nlint.ignore = ["F821"]'),
    "flake8: extend-ignore": edit(".flake8", "[flake8]", "[flake8]\nextend-ignore = F821"),
    "flake8: per-file-ignores": edit(".flake8", "[flake8]", "[flake8]\nper-file-ignores = app.py:F821"),
    noqa: edit("app.py", "import os", "import os  # noqa"),
    "type: ignore": edit("app.py", "return x", "return x  # type: ignore"),
    typeCheckingMode: write({
      "pyrightconfig.json": '{ "typeCheckingMode": "off", "ignore": ["app.py"] }\n',
    }),
  }),
  ...rows("standIn", "coverage", SEEN, {
    "no cover": edit("app.py", "def f(x):", "def f(x):  # pragma: no cover"),
    "istanbul ignore": edit(
      "src/sum.js",
      "export function double",
      "/* istanbul ignore next */\nexport function double",
    ),
    "v8 ignore": edit(
      "src/sum.js",
      "export function double",
      "/* v8 ignore next 3 */\nexport function double",
    ),
    "jest threshold": edit("jest.config.js", "lines: 90", "lines: 10"),
    "jest coveragePathIgnorePatterns": edit(
      "jest.config.js",
      "testEnvironment",
      "coveragePathIgnorePatterns: ['sum'],\n  testEnvironment",
    ),
    "nyc threshold": edit(".nycrc.json", '"lines": 90', '"lines": 10'),
    "nyc check-coverage": edit(".nycrc.json", '"check-coverage": true', '"check-coverage": false'),
    "vitest threshold": edit("vitest.config.ts", "lines: 90", "lines: 10"),
    fail_under: edit(".coveragerc", "90", "10"),
    omit: edit(".coveragerc", "[report]", "[report]\nomit = app.py"),
    "codecov target": edit("codecov.yml", "80%", "10%"),
    "sonar.exclusions": edit("sonar-project.properties", "src\n", "src\nsonar.exclusions=src/sum.js\n"),
  }),
  ...rows("standIn", "settings of other runners", SEEN, {
    "jest testPathIgnorePatterns": edit(
      "jest.config.js",
      "testEnvironment",
      "testPathIgnorePatterns: ['sum'],\n  testEnvironment",
    ),
    "jest testMatch": edit(
      "jest.config.js",
      "testEnvironment",
      "testMatch: ['**/other.test.js'],\n  testEnvironment",
    ),
    "jest moduleNameMapper to a stub": edit(
      "jest.config.js",
      "testEnvironment",
      "moduleNameMapper: { './sum': '<rootDir>/stub-sum.js' },\n  testEnvironment",
    ),
    "mocharc spec": edit(".mocharc.json", "test/**/*.test.js", "test/other.test.js"),
    "mocharc ignore": edit(".mocharc.json", '" }', '", "ignore": ["test/sum.test.js"] }'),
    "mocha this.skip": edit(
      "test/sum.test.js",
      /test\("(adds[^"]*)", \(\) => \{/,
      'test("$1", function () {\n  this.skip();',
    ),
    "mocha xit": edit("test/sum.test.js", ADDS, 'xit("adds'),
  }),
  ...rows("standIn", "pipelines", SEEN, {
    "continue-on-error": edit(
      ".github/workflows/ci.yml",
      "      - run: npm test\n",
      "      - run: npm test\n        continue-on-error: true\n",
    ),
    "a step removed": edit(".github/workflows/ci.yml", "      - run: npm test\n", ""),
    "if: false": edit(".github/workflows/ci.yml", "    runs-on", "    if: false\n    runs-on"),
    "pre-commit exclude": edit(".pre-commit-config.yaml", "repos:", "exclude: ^src/\nrepos:"),
    "a pre-commit hook removed": edit(".pre-commit-config.yaml", "      - id: unit\n", ""),
  }),
];

export const ESCAPES = [
  ...NODE,
  ...NPM,
  ...VITEST_ROWS,
  ...SNAPSHOTS,
  ...LINT,
  ...TYPES,
  ...PYTEST,
  ...UNITTEST,
  ...STAND_IN,
];
