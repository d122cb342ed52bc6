import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Answer, GauntletProject } from "../rig/gauntlet-project.ts";
import { env, placesIn, projectWith } from "../rig/old-problems.ts";

let project: GauntletProject | undefined;

afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

const MODULES = resolve(import.meta.dirname, "../../node_modules");
const MOCHA = `node ${MODULES}/mocha/bin/mocha.js`;
const HAS_MAKE = spawnSync("make", ["--version"]).status === 0;

type Files = Readonly<Record<string, string>>;

/** The answer to a stop where the command failed before, and the agent has written some more. */
async function answerTo(command: string, before: Files, written: Files): Promise<Answer> {
  const config = `only_new: true\nchecks: { both: ${JSON.stringify(command)} }\n`;
  project = await projectWith(config, before);
  for (const name of Object.keys(before)) await chmod(join(project.root, name), 0o755);
  await project.commit("start");
  await project.git("branch", "--force", "main");
  await project.write({ ...written, "../home/tmp/.keep": "" });
  return (await stopHere()).answer;
}

async function stopHere(more: Files = {}) {
  if (project === undefined) throw new Error("no project yet");
  return project.stop({}, { env: { ...env(project), ...more } });
}

const OTHER =
  'grep -n WORSE src/*.js && { echo "$PWD/src/c.js:1:1: error: WORSE [worse]"; exit 1; } || exit 0\n';
const NEW = { "src/c.js": "WORSE\n" };
const FINE = { "src/c.js": "fine\n" };

describe("a check that ends at the first command that fails is not excused for an old problem", () => {
  test.for<[name: string, command: string, script: string, cause: string]>([
    ["set -e", "sh check.sh", "set -e\nsh lint.sh\nsh other.sh\n", "`set -e`"],
    [
      "set -euo pipefail",
      "./check.sh",
      "#!/usr/bin/env bash\nset -euo pipefail\nsh lint.sh\nsh other.sh\n",
      "`set -e`",
    ],
    ["sh -e in its first line", "./check.sh", "#!/bin/sh -e\nsh lint.sh\nsh other.sh\n", "`/bin/sh -e`"],
    ["sh -e in the command", "sh -e check.sh", "sh lint.sh\nsh other.sh\n", "`sh -e`"],
    ["exit", "sh check.sh", "sh lint.sh || exit 1\nsh other.sh\n", "`exit`"],
  ])("%s in a script of the project", async ([, command, script, cause]) => {
    const answer = await answerTo(command, { "check.sh": script, "other.sh": OTHER }, NEW);

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.message).toContain(
      `not compared with what was there before: it ends at the first command that fails (${cause}), and \`sh other.sh\` may not have run: give each of its 2 commands a check of its own`,
    );
    expect(placesIn(project as GauntletProject)).toHaveLength(1); // the earlier tree would tell nothing
  });

  test("behind a package script, too, and before the committed baseline", async () => {
    const scripts = { test: "sh lint.sh && sh other.sh" };
    project = await projectWith("checks: { both: npm test }\n", {
      "package.json": JSON.stringify({ scripts }),
      "other.sh": OTHER,
    });
    const problems = [entry("src/a.js", "BAD old"), entry("src/b.js", "BAD older")];
    await project.write({ ...NEW, ".gauntlet/baseline.json": JSON.stringify({ version: 1, problems }) });

    const ran = await project.gauntlet(["run"], { env: { ...env(project), CI: "true" } });

    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain("`sh other.sh` may not have run");
    expect(ran.stdout + ran.stderr).not.toContain("--prune"); // nor is anything known to be fixed
  });

  test("a script that goes on, or has one command, is compared", async () => {
    const script = "failed=0\nsh lint.sh || failed=1\nsh other.sh || failed=1\nexit $failed\n";
    const goesOn = await answerTo("sh check.sh", { "check.sh": script, "other.sh": OTHER }, FINE);
    await project?.[Symbol.asyncDispose]();
    const single = await answerTo("sh check.sh", { "check.sh": "set -eu\ncd .\nsh lint.sh\n" }, NEW);

    expect(goesOn.status).toBe("passed_with_warnings");
    expect(single.status).toBe("passed_with_warnings");
  });
});

function entry(file: string, message: string): object {
  return { gate: "check:.:both", file, code: "no-bad", message, count: 1 };
}

describe.skipIf(!HAS_MAKE)("make", () => {
  const MAKEFILE = "one:\n\t@sh lint.sh\ntwo:\n\t@sh other.sh\nthree:\n\t@sh lint.sh\n\t@sh other.sh\n";
  const BEFORE = { Makefile: MAKEFILE, "other.sh": OTHER };

  test("is not compared, because it ends at the first target that fails", async () => {
    const answer = await answerTo("make one two", BEFORE, NEW);

    expect(answer.decision).toBe("block");
    expect(answer.message).toContain(
      "not compared with what was there before: `make` ends at its first failure (without `-k`), and what it would have found after that is not known: add `-k`",
    );
  });

  test("with -k it is: nothing new passes, and something new blocks", async () => {
    const old = await answerTo("make -k one two", BEFORE, FINE);
    await project?.write(NEW);
    const { answer } = await stopHere();

    expect(old.status).toBe("passed_with_warnings");
    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain("WORSE");
    expect(answer.reason).toContain("2 more problems were there before your change");
  });

  test("with -k it is not where a recipe has several lines", async () => {
    const answer = await answerTo("make -k three", BEFORE, NEW);

    expect(answer.decision).toBe("block");
    expect(answer.message).toContain("(a recipe of make), and `sh other.sh` may not have run");
  });
});

describe("a runner that ends at its first failure is not compared", () => {
  const FAILING = 'test("old", () => { throw new Error("old failure"); });\n';
  const MOCHA_TESTS = { "test/a.js": FAILING.replace("test(", "it(") };
  const MOCHA_NEW = { "test/b.js": 'it("new", () => { throw new Error("new failure"); });\n' };

  test.for<[name: string, command: string, files: Files, cause: string]>([
    ["an option", `${MOCHA} --bail`, {}, "`--bail`"],
    [
      "an option behind a package script",
      "npm test",
      { "package.json": `{"scripts":{"test":"${MOCHA} -b"}}` },
      "`-b`",
    ],
    ["a setting", MOCHA, { ".mocharc.json": '{"bail":true}' }, "`bail` in .mocharc.json"],
  ])("Mocha: %s", async ([, command, files, cause]) => {
    const answer = await answerTo(command, { ...MOCHA_TESTS, ...files }, MOCHA_NEW);

    expect(answer.decision).toBe("block");
    expect(answer.message).toContain(`\`mocha\` ends at its first failure (${cause})`);
    expect(answer.message).toContain("add `--no-bail`");
  });

  test("and is compared as soon as it does what the message says", async () => {
    const before = { ...MOCHA_TESTS, ".mocharc.json": '{"bail":true}' };
    const old = await answerTo(`${MOCHA} --no-bail`, before, FINE);
    await project?.write(MOCHA_NEW);
    const { answer } = await stopHere();

    expect(old.status).toBe("passed_with_warnings");
    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain("new failure");
    expect(answer.reason).not.toContain("old failure");
  });

  /** Like pytest, it ends at the first file that is bad when `addopts` says so; what it prints does not tell. */
  const PYTEST = `#!/bin/sh
for file in test_*.py; do
  grep -q bad "$file" || continue
  echo "$PWD/$file:1: AssertionError: bad"
  failed=1
  case "$PYTEST_ADDOPTS $(cat *.ini *.cfg *.toml 2>&1)" in *-x*|*exitfirst*) exit 1;; esac
done
exit \${failed:-0}
`;

  test.for<[name: string, files: Files, more: Files, cause: string]>([
    ["pytest.ini", { "pytest.ini": "[pytest]\naddopts = -ra -x\n" }, {}, "`-x` in pytest.ini"],
    [
      "pyproject.toml",
      { "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-x"]\n' },
      {},
      "`-x` in pyproject.toml",
    ],
    [
      "setup.cfg",
      { "setup.cfg": "[tool:pytest]\naddopts =\n  --exitfirst\n" },
      {},
      "`--exitfirst` in setup.cfg",
    ],
    ["the environment", {}, { PYTEST_ADDOPTS: "-x" }, "`-x`"],
  ])("pytest: %s", async ([, files, more, cause]) => {
    project = await projectWith("only_new: true\nchecks: { test: pytest }\n", {
      ...files,
      "test_a.py": "bad\n",
    });
    await project.write({ "../home/bin/pytest": PYTEST, "test_b.py": "bad\n", "../home/tmp/.keep": "" });
    await chmod(join(project.home, "bin/pytest"), 0o755);

    const PATH = `${join(project.home, "bin")}${delimiter}${process.env["PATH"]}`;
    const { answer } = await stopHere({ ...more, PATH });

    expect(answer.decision).toBe("block");
    expect(answer.message).toContain(`\`pytest\` ends at its first failure (${cause})`);
  });

  test("or that says so itself, however it was started", async () => {
    const run = "cat said.txt; exit 1\n";
    const said = "!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!";
    const answer = await answerTo(
      "sh run.sh",
      { "run.sh": run, "said.txt": `src/a.js:1: E1 old\n${said}\n` },
      NEW,
    );

    expect(answer.decision).toBe("block");
    expect(answer.message).toContain(`its output says that it ended early: \`${said}\``);
  });
});

function testsWith(options: string): string {
  return `import { test } from "node:test";
test("old", () => { throw new Error("old failure"); });
test("one", ${options}() => {});
test("two", ${options}() => {});
`;
}

test("a check that ran fewer tests than before is not excused", async () => {
  const same = await answerTo("node --test a.test.mjs", { "a.test.mjs": testsWith("") }, NEW);
  await project?.write({ "a.test.mjs": testsWith("{ skip: true }, ") });
  const { answer } = await stopHere();

  expect(same.status).toBe("passed_with_warnings");
  expect(answer.decision).toBe("block");
  expect(answer.message).toContain(
    "not compared with what was there before: it ran 1 test where it ran 3 before, and what the others would have found is not known",
  );
});

describe("missed coverage is a problem of its own", () => {
  const JEST = 'Jest: "global" coverage threshold for lines (90%) not met:';

  test("old only if the same value was missed before", async () => {
    const before = { "cover.sh": "sh lint.sh; cat coverage.txt; exit 1\n", "coverage.txt": `${JEST} 85%\n` };
    const same = await answerTo("sh cover.sh", before, NEW);
    await project?.write({ "coverage.txt": `${JEST} 60%\n` });
    const { answer } = await stopHere();

    expect(same.status).toBe("passed_with_warnings");
    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain('"global" coverage threshold for lines (90%) not met: 60%');
    expect(answer.reason).toContain("2 more problems were there before your change");
  });

  test.each([
    ["Vitest", "ERROR: Coverage for lines (60%) does not meet global threshold (90%)"],
    ["pytest-cov", "FAIL Required test coverage of 90% not reached. Total coverage: 60.00%"],
    ["a tool that no parser knows", "bundle size 120 kB exceeds the limit of 100 kB"],
  ])("%s: new where old problems are left", async (_, sentence) => {
    const before = { "cover.sh": "sh lint.sh; cat coverage.txt; exit 1\n", "coverage.txt": "all covered\n" };
    const answer = await answerTo("sh cover.sh", before, { "coverage.txt": `${sentence}\n` });

    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain(sentence.replace(/^(?:ERROR:|FAIL) /, ""));
  });
});

test("`baseline` writes nothing about a check that may have ended early, and says why", async () => {
  project = await projectWith("checks: { both: sh lint.sh && sh other.sh }\n", { "other.sh": OTHER });
  await project.write({ "../home/tmp/.keep": "" });

  const baseline = await project.json(["baseline"], { env: env(project) });

  expect(baseline).toMatchObject({
    problems: 0,
    undecided: [
      expect.stringMatching(/^both: it ends at the first command that fails, and `sh other\.sh`/) as string,
    ],
  });
});
