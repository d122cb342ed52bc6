import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClaudeCodeRun, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

const TSC = resolve(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

/** A linter for lines that say TODO. */
const LINT = String.raw`grep -nH TODO src/* | sed -E 's/^([^:]+):([0-9]+):(.*)$/\1:\2:1: error: \3 [no-todo]/'; ! grep -q TODO src/*`;

const CONFIG = `
only_new: true
stop_hook: { when_active: enforce }
checks:
  lint: ${JSON.stringify(LINT)}
  test: node --test test/
  types: node ${JSON.stringify(TSC)} --noEmit --strict src/price.ts
`;

const OLD = {
  ".gauntlet/config.yml": CONFIG,
  "src/notes.txt": "one\n// TODO old note\n",
  "src/price.ts": 'export const oldPrice: number = "free";\n',
  "test/sum.test.mjs": `import { test } from "node:test";
import assert from "node:assert/strict";
test("adds", () => assert.equal(1 + 1, 2));
test("old sum is right", () => assert.equal(40 + 1, 42));
`,
};

const OLD_PROBLEM = /old note|oldPrice|TS2322|old sum/;

describe.runIf(claude.ok)("a session in a repository whose three checks were red before", () => {
  test("may end after a change that has nothing to do with it, and the user reads why the checks are red", async () => {
    await using project = await redProject();

    const run = await claudeCode(project, [bash("echo more > README.md"), "Done."]);

    expect(answers(run)).toMatchObject([{ decision: "approve", status: "passed_with_warnings" }]);
    expect(run.requests).toHaveLength(2); // nothing was put to the model
    expect(run.notices).toEqual([answers(run)[0]?.systemMessage]);
    expect(run.notices[0]?.split("\n")).toEqual(["lint", "test", "types"].map(redForOlderReasons));
    expect(scratchTrees(project)).toEqual([]);
  });

  test.for([
    {
      check: "lint",
      breaks: "echo '// TODO fresh note' >> src/notes.txt",
      told: /src\/notes\.txt:3:1 error no-todo: .*TODO fresh note/,
      fixes: "sed -i '/fresh/d' src/notes.txt",
    },
    {
      check: "test",
      breaks: `sed -i '3i test("fresh sum is right", () => assert.equal(2 + 3, 6));' test/sum.test.mjs`,
      told: /fresh sum is right/,
      fixes: "sed -i 's/2 + 3, 6/2 + 3, 5/' test/sum.test.mjs",
    },
    {
      check: "types",
      breaks: `sed -i '1i export const fresh: string = missing;' src/price.ts`,
      told: /src\/price\.ts:1:30 error TS2304: Cannot find name 'missing'/,
      fixes: `sed -i 's/= missing/= "here"/' src/price.ts`,
    },
  ])(
    "reads only the failure it added to $check, and may end once that is fixed",
    async ({ breaks, told, fixes }) => {
      await using project = await redProject();

      const run = await claudeCode(project, [bash(breaks), "Done.", bash(fixes), "Fixed."]);

      expect(answers(run).map(({ status }) => status)).toEqual(["failed", "passed_with_warnings"]);
      expect(run.requests[2]?.last).toMatch(told);
      expect(run.requests[2]?.last).toContain("1 more problem was there before your change: leave it alone.");
      expect(run.requests[2]?.last).not.toMatch(OLD_PROBLEM);
      expect(run).toMatchObject({ exitCode: 0, result: "Fixed." });
      expect(scratchTrees(project)).toEqual([]);
    },
  );
});

/** A tool as pip installs it: a script that names its interpreter by the full path, and a module only that one finds. */
const RULES = `import pathlib, sys
def main():
    print("runs in", sys.prefix)
    found = [(file, at) for file in sorted(pathlib.Path("app").glob("*.py"))
             for at, line in enumerate(file.read_text().splitlines(), 1) if "print" in line]
    for file, at in found:
        print(f"{file}:{at}:1: T201 \`print\` found in {file.stem}")
    return 1 if found else 0
`;

const HAS_PYTHON = spawnSync("python3", ["-c", "import venv"]).status === 0;

describe.runIf(claude.ok && HAS_PYTHON)("a check from an ignored virtual environment (needs python3)", () => {
  test("runs on the earlier tree from a copy of that environment", async () => {
    await using project = await pythonProject();

    const unrelated = await claudeCode(project, [bash("echo more > README.md"), "Done."]);
    const log = project.read("gauntlet_logs/baseline_._rules.1.log");
    const broken = await claudeCode(project, [
      bash("echo 'print(1)' > app/fresh.py"),
      "Done.",
      bash("rm app/fresh.py"),
      "Fixed.",
    ]);

    expect(answers(unrelated)).toMatchObject([{ decision: "approve", status: "passed_with_warnings" }]);
    expect(log).toMatch(/^runs in .*\/tree\/\.venv$/m);
    expect(log).not.toContain(project.root);
    expect(log).toContain("app/legacy.py:1:1: T201");
    expect(answers(broken).map(({ status }) => status)).toEqual(["failed", "passed_with_warnings"]);
    expect(broken.requests[2]?.last).toContain("app/fresh.py:1:1");
    expect(broken.requests[2]?.last).not.toContain("legacy");
  });
});

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});

/** Two of the old failures are committed; the third is the user's work in progress, which only the start of the session knows. */
async function redProject(): Promise<GauntletProject> {
  const { "src/price.ts": uncommitted, ...committed } = OLD;
  const project = await GauntletProject.create({ ...committed, "src/price.ts": "export {};\n" });
  await project.commit("start");
  await project.write({ "src/price.ts": uncommitted });
  return installed(project);
}

async function pythonProject(): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml":
      "only_new: true\nstop_hook: { when_active: enforce }\nchecks: { rules: .venv/bin/rules }\n",
    ".gitignore": ".venv/\n",
    "app/legacy.py": "print('old')\n",
  });
  spawnSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: project.root });
  const [lib = ""] = readdirSync(join(project.root, ".venv/lib"));
  await project.write({
    [`.venv/lib/${lib}/site-packages/house_rules.py`]: RULES,
    ".venv/bin/rules": `#!${project.root}/.venv/bin/python\nimport sys, house_rules\nsys.exit(house_rules.main())\n`,
  });
  chmodSync(join(project.root, ".venv/bin/rules"), 0o755);
  await project.commit("start");
  return installed(project);
}

async function installed(project: GauntletProject): Promise<GauntletProject> {
  expect(await project.gauntlet(["install", "--host", "claude-code"])).toMatchObject({ exitCode: 0 });
  return project;
}

function redForOlderReasons(check: string): unknown {
  return expect.stringMatching(
    `^Gauntlet: ${check} still fails, but only with existing problems.* 1 problem was there before \\(the start of this session\\), and none is new\\. It is: .*(?:old note|oldPrice|TS2322|old sum)`,
  );
}

function bash(command: string): ScriptedTurn {
  return { toolUse: { name: "Bash", input: { command, description: "run" } } };
}

function claudeCode({ root, home }: GauntletProject, turns: readonly ScriptedTurn[]): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  return runClaudeCode({ bin: claude.bin, project: root, home, turns });
}

function answers({ hooks }: ClaudeCodeRun): readonly Answer[] {
  return hooks.filter(({ event }) => event === "Stop").map(({ stdout }) => JSON.parse(stdout) as Answer); // our own protocol
}

/** What a comparison has left in the temporary directory of the session. */
function scratchTrees({ home }: GauntletProject): readonly string[] {
  return readdirSync(join(home, "tmp")).filter((name) => name.startsWith("gauntlet-"));
}
