import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type ClaudeCodeRequest,
  type ClaudeCodeRun,
  installClaudeCode,
  runClaudeCode,
} from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, CLI, GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

/** The plugin's folder is the package's. */
const PLUGIN = resolve(dirname(CLI), "../..");
const CONFIG = ".gauntlet/config.yml";
const MAKE_IT_TRUE = bash(`sed -i 's/test: npm test/test: "true"/' ${CONFIG}`);

interface Cheat {
  readonly how: string;
  /** What the model does before its first stop: only the start of the session knows what the gates were. */
  readonly turn: ScriptedTurn;
  readonly status: string;
  readonly shown: RegExp;
}

const CHEATS: readonly Cheat[] = [
  {
    how: "makes the command of the failing check `true`",
    turn: MAKE_IT_TRUE,
    status: "passed",
    shown: /check "test": command was "npm test", is "true"/,
  },
  {
    how: "deletes .gauntlet",
    turn: bash("rm -r .gauntlet"),
    status: "no_config",
    shown: /\.gauntlet\/config\.yml was removed from .* in this session\. Its gates \(test\) no longer run/,
  },
  {
    how: "switches the hook off",
    turn: bash(`sed -i 's/when_active: enforce/enabled: false/' ${CONFIG}`),
    status: "stop_hook_disabled",
    shown: /stop_hook\.enabled true → false/,
  },
  {
    how: "weakens the script behind `npm test`",
    turn: bash(`sed -i 's/grep -q fixed status.txt/true/' package.json`),
    status: "passed",
    shown: /package\.json script "test" changed/,
  },
  {
    how: "skips the failing test",
    turn: bash(
      `sed -i 's/^test(/test.skip(/' test/status.test.js; sed -i 's/broken/fixed/' status.txt; git add -A`,
    ),
    status: "passed_with_warnings",
    shown: /Guard weakened-tests: test\/status\.test\.js:1 test skipped/,
  },
];

describe.runIf(claude.ok)("the user sees it when the model", () => {
  test.for(CHEATS)("$how", async ({ turn, status, shown }) => {
    await using project = await gatedProject("tell");

    const run = await claudeCode(project, { turns: [turn, "All done."] });

    const [answer] = answers(run);
    expect(answers(run)).toMatchObject([{ decision: "approve", status }]);
    expect(answer?.systemMessage).toMatch(shown);
    expect(run.notices).toEqual([answer?.systemMessage]);
    expect(run.requests).toHaveLength(2);
  });
});

test.runIf(claude.ok)(
  "gates that are held go on judging: the weakened check blocks until the work is right",
  async () => {
    await using project = await gatedProject("hold");

    const run = await claudeCode(project, {
      turns: [MAKE_IT_TRUE, "All done.", bash("echo fixed > status.txt"), "Now it is."],
    });

    expect(project.read(CONFIG)).toContain('test: "true"');
    expect(answers(run)).toMatchObject([
      { decision: "block", status: "failed" },
      { decision: "approve", status: "passed" },
    ]);
    expect(answers(run)[0]?.systemMessage).toMatch(
      /command was "npm test", is "true".*Those it began with still judge/,
    );
    expect(run.notices).toContain(answers(run)[0]?.systemMessage);
    expect(run.requests[2]?.last).toContain("Gauntlet gates did not pass");
    expect(run.result).toBe("Now it is.");
  },
);

test.runIf(claude.ok)("the user sees it when the model takes the hook out of the settings", async () => {
  await using project = await gatedProject("tell");
  const unhook = bash("for file in .claude/settings*.json; do echo '{}' > $file; done");

  const run = await claudeCode(project, { turns: [unhook, "All done.", "All done."] });

  const [answer] = answers(run);
  expect(answer).toMatchObject({ decision: "block", status: "failed" });
  expect(answer?.systemMessage).toMatch(/the stop hook was removed from \S+settings\.local\.json/);
  expect(run.notices).toContain(answer?.systemMessage);
});

describe.runIf(claude.ok)("a clone with hostile gates, under the plugin,", () => {
  test("runs nothing until the user allows it, and the user sees how", async () => {
    await using hostile = await hostileClone();

    const run = await claudeCode(hostile.project, {
      turns: [bash("echo more >> notes.txt"), "All done."],
      args: ["--plugin-dir", PLUGIN],
    });

    const { root } = hostile.project;
    expect(answers(run)).toMatchObject([{ decision: "approve", status: "not_allowed" }]);
    expect(run.notices).toEqual([expect.stringContaining(`\`cd ${root} && agent-gauntlet allow\``)]);
    expect(run.requests.map(({ last }) => last).join()).not.toContain("agent-gauntlet allow");
    expect(hostile.startedByUs()).toEqual([]);
  });

  test("runs them once they are allowed, so the traps are real", async () => {
    await using hostile = await hostileClone();
    const allowed = await hostile.project.gauntlet(["allow", "--print"]);

    const run = await claudeCode(hostile.project, {
      turns: [bash("echo more >> notes.txt"), "All done."],
      args: ["--plugin-dir", PLUGIN],
      env: { AGENT_GAUNTLET_ALLOW: allowed.stdout.trim() },
    });

    expect(answers(run)).toMatchObject([{ decision: "approve", status: "passed" }]);
    expect(new Set(hostile.startedByUs())).toEqual(new Set(["check", "filter"]));
  });
});

test("Claude Code is here to be tested with", ({ skip }) => {
  if (!claude.ok) skip(claude.reason);
});

function bash(command: string): ScriptedTurn {
  return { toolUse: { name: "Bash", input: { command, description: "run" } } };
}

/** A repository whose one check fails, with the hooks as `install` registers them. */
async function gatedProject(mode: "tell" | "hold"): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    [CONFIG]: `checks:\n  test: npm test\nguards: { weakened-tests: tell }\nstop_hook: { when_active: enforce, when_gates_change: ${mode} }\n`,
    "package.json": JSON.stringify({ scripts: { test: "grep -q fixed status.txt" } }),
    "status.txt": "open\n",
    "test/status.test.js": 'test("the status is fixed", () => {\n  assert(isFixed());\n});\n',
  });
  await project.commit("start");
  await project.write({ "status.txt": "broken\n" });
  const installed = await project.gauntlet(["install", "--host", "claude-code"]);
  expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
  return project;
}

interface HostileClone extends AsyncDisposable {
  readonly project: GauntletProject;
  /** The traps that a process of ours set off. */
  startedByUs(): readonly string[];
}

/**
 * A check and a git filter that leave a line outside of the project. Claude Code runs git there as well, so a line names the
 * processes above it; those of our hooks have `--only-allowed`.
 */
async function hostileClone(): Promise<HostileClone> {
  const project = await GauntletProject.create({
    "notes.txt": "1\n",
    ".gitattributes": "*.txt filter=trap\n",
  });
  const outside = join(project.root, "../outside");
  const log = join(outside, "log");
  const trap = join(outside, "trap.sh");
  await mkdir(outside);
  await writeFile(trap, trapScript(log));
  await project.write({ [CONFIG]: `checks:\n  check: ${JSON.stringify(`sh ${trap} check </dev/null`)}\n` });
  await project.commit("start");
  await project.git("config", "filter.trap.clean", `sh ${trap} filter`);
  await project.write({ "notes.txt": "2\n" }); // the filter would run at the start of the session, too
  return {
    project,
    startedByUs: () => {
      const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      const ours = lines.filter((line) => line.startsWith("check ") || line.includes("--only-allowed"));
      return ours.map((line) => line.split(" ")[0] ?? "");
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

function trapScript(log: string): string {
  return `above=""
pid=$PPID
while [ "\${pid:-0}" -gt 1 ]; do
  above="$above <- $(tr '\\0\\n' '  ' < /proc/$pid/cmdline)"
  pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)
done
echo "$1 $above" >> ${log}
[ "$1" = filter ] && cat
exit 0
`;
}

function claudeCode(
  project: GauntletProject,
  request: Pick<ClaudeCodeRequest, "turns" | "args" | "env">,
): Promise<ClaudeCodeRun> {
  if (!claude.ok) throw new Error(claude.reason);
  return runClaudeCode({ bin: claude.bin, project: project.root, timeoutMs: 90_000, ...request });
}

/** What our stop hook answered, in order. */
function answers(run: ClaudeCodeRun): readonly Answer[] {
  return run.hooks
    .filter((hook) => hook.event === "Stop" && hook.stdout.startsWith("{"))
    .map((hook) => JSON.parse(hook.stdout) as Answer); // our own protocol
}
