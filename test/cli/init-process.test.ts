import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { BARE_PATH } from "../rig/bare-path.ts";
import { CLI, cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE, IS_NATIVE } from "../rig/program.ts";

const CONFIG = ".gauntlet/config.yml";
const SETTINGS = ".claude/settings.local.json";

test("init, validate, run and uninstall work one after the other", async () => {
  await using project = await GauntletProject.create({ Makefile: "test:\n\ttrue\n" });

  const init = await project.gauntlet(["init", "--yes", "--hook"]);
  const validate = await project.gauntlet(["validate"]);
  const run = await project.gauntlet(["run"]);
  const uninstall = await project.gauntlet(["uninstall"]);

  expect([init, validate, run, uninstall].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  expect(project.read(CONFIG)).toContain("test: make -k test");
  expect(project.has(".claude")).toBe(false);
});

test("with stdin at its end, init asks nothing and ends", async () => {
  await using project = await GauntletProject.create({ Makefile: "test:\n\ttrue\n" });

  const init = await project.gauntlet(["init"]);

  expect(init.exitCode).toBe(0);
  expect(init.stdout).not.toMatch(/\([yY]\/[nN]\)/);
  expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, false]);
});

test("init --try works in a linked work tree, a submodule, and a repository without commits", async () => {
  await using project = await GauntletProject.create({
    Makefile: "test:\n\tpython3 a_test.py\n",
    "a_test.py": "",
  });
  const [work, inside] = [project.at("../work"), project.at("inside")];
  const unborn = await project.gauntlet(["init", "--yes", "--try", "--dry-run"]);
  await project.commit("start");
  await project.git("worktree", "add", "--quiet", work.root, "-b", "other");
  await project.git(
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    project.root,
    "inside",
  );

  const tries = [
    await work.gauntlet(["init", "--yes", "--try"]),
    await inside.gauntlet(["init", "--yes", "--try"]),
  ];

  expect(unborn.stdout).toContain("base_branch: main");
  for (const { exitCode, stdout } of tries) {
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/✓ test passes \(.*\)\n\n/); // and finds the error that is planted
  }
  expect([work.has(CONFIG), inside.has(CONFIG), project.has(CONFIG)]).toEqual([true, true, false]);
});

test.skipIf(IS_NATIVE)("hints of a project's own copy name a command that works there", async () => {
  await using project = await GauntletProject.create({ ".gitignore": "node_modules\n" });
  await mkdir(join(project.root, "node_modules"));
  await symlink(resolve(CLI, "../../.."), join(project.root, "node_modules/agent-gauntlet"));
  const copy = [process.execPath, "node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs"] as const;
  const options = { cwd: project.root, env: cleanEnv(project.home) };
  const stdin = JSON.stringify({ session_id: "s", cwd: project.root, hook_event_name: "Stop" });

  const unset = await run([...copy, "run"], options);
  await project.write({ [CONFIG]: "checks: { bad: 'false' }\nstop_hook: { when_active: allow }\n" });
  const blocked = await run([...copy, "stop-hook"], { ...options, stdin });
  await run([...copy, "stop-hook"], { ...options, stdin: stdin.replace("{", '{"stop_hook_active":true,') });
  const explained = await run([...copy, "explain"], options);
  const page = await run([...copy, "report", "--format", "html"], options);

  expect(unset.stderr).toContain("Run `npx agent-gauntlet init` to create one.");
  expect(blocked.stdout).toContain("run `npx agent-gauntlet run` before you stop");
  expect(explained.stdout).toContain("Run `npx agent-gauntlet run` to check now");
  expect(page.stdout).toContain("run `npx agent-gauntlet run` before you stop");
  expect([blocked.stdout, explained.stdout, page.stdout].join("")).not.toContain("`agent-gauntlet run`");
});

test.skipIf(IS_NATIVE)(
  "the hook for a whole repository names pnpm's link in the package it was set up from",
  async () => {
    await using project = await GauntletProject.create({ "packages/web/package.json": "{}" });
    const store = "node_modules/.pnpm/agent-gauntlet@1.2.3/node_modules";
    const web = join(project.root, "packages/web");
    await mkdir(join(project.root, store), { recursive: true });
    await mkdir(join(web, "node_modules"));
    await symlink(resolve(CLI, "../../.."), join(project.root, store, "agent-gauntlet"));
    await symlink(join(project.root, store, "agent-gauntlet"), join(web, "node_modules/agent-gauntlet"));
    const script = join(project.root, store, "agent-gauntlet/dist/cli/agent-gauntlet.cjs");

    await run([process.execPath, script, "init", "--yes", "--hook"], {
      cwd: web,
      env: { ...cleanEnv(project.home), PATH: BARE_PATH },
    });

    const link = join(web, "node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs");
    expect(project.read(SETTINGS)).toContain(`"command": "node ${link} stop-hook"`);
  },
);

const OWN_COMMAND = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/stop.sh';
const OWN_HOOK = {
  ".claude/settings.json": JSON.stringify({
    model: "opus",
    hooks: {
      PostToolUse: [{ hooks: [{ type: "command", command: OWN_COMMAND }] }],
      Stop: [{ hooks: [{ type: "command", command: OWN_COMMAND, timeout: 90 }] }],
    },
  }),
  ".claude/hooks/stop.sh": `#!/bin/bash
# npm run nothing
echo "run npm run lint:fix yourself"
npm run typecheck >&2 || exit 2
(cd web && npm run lint) >&2 || exit 2
`,
  "web/package.json": "{}",
};

test("init proposes the commands of a stop hook that the project wrote itself, and leaves it where it is", async () => {
  await using project = await GauntletProject.create(OWN_HOOK);

  const init = await project.gauntlet(["init", "--yes", "--hook"]);

  expect(init.stdout).toContain("This project has a stop hook of its own: .claude/hooks/stop.sh");
  expect(init.stdout).toContain(
    "stays in .claude/settings.json: both hooks run at every stop, and either can block.",
  );
  expect(project.read(CONFIG)).toContain("typecheck: # .claude/hooks/stop.sh");
  expect(project.read(CONFIG)).toContain("command: npm run lint\n    working_directory: web");
  expect(project.read(CONFIG)).not.toContain("lint:fix");
  expect(project.read(".claude/settings.json")).toBe(OWN_HOOK[".claude/settings.json"]);
  expect((await project.gauntlet(["validate"])).exitCode).toBe(0);
});

/** `script` of util-linux gives a child a real terminal. */
const hasTerminal = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") ?? false;

describe.runIf(hasTerminal)("on a terminal that only shows lines", () => {
  test("init asks, obeys, and ends by itself", async () => {
    await using project = await GauntletProject.create({ Makefile: "test:\n\ttrue\n" });

    const session = await onTerminal(project, ["y", "y"]);

    expect(session.exitCode).toBe(0);
    expect(session.output).toContain(
      "✓ Stop hook installed - gauntlet will run automatically when agent stops",
    );
    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, true]);
  });

  test("Ctrl-C at the question ends init without a hook and without a stack trace", async () => {
    await using project = await GauntletProject.create({ Makefile: "test:\n\ttrue\n" });

    const session = await onTerminal(project, ["\u0003"]);

    expect(session.exitCode).toBe(1);
    expect(session.output).toMatch(/Cancelled\. Nothing more was changed\.\s*$/);
    expect([project.has(CONFIG), project.has(SETTINGS)]).toEqual([true, false]);
  });

  test("init shows the stop hook a project wrote itself beside the checks, and takes it out if told to", async () => {
    await using project = await GauntletProject.create(OWN_HOOK);

    const { output } = await onTerminal(project, ["n", "y", "y", "y"]);

    expect(output).toContain("npm run typecheck >&2 || exit 2");
    expect(output).toContain(
      "Take .claude/hooks/stop.sh out of .claude/settings.json? A copy is kept beside it.",
    );
    expect(project.read(CONFIG)).toContain("command: npm run typecheck\n    timeout: 90\n");
    expect(JSON.parse(project.read(".claude/settings.json"))).toEqual({
      model: "opus",
      hooks: { PostToolUse: [{ hooks: [{ type: "command", command: OWN_COMMAND }] }], Stop: [] },
    });
    expect(project.read(".claude/settings.json.before-gauntlet")).toBe(OWN_HOOK[".claude/settings.json"]);
    expect(project.read(SETTINGS)).toContain("stop-hook");
  });
});

/** Runs `init` with a terminal for stdin and stdout, and types one answer after each question. */
async function onTerminal(project: GauntletProject, answers: readonly string[]) {
  const child = spawn("script", ["-qefc", `${GAUNTLET_LINE} init`, "/dev/null"], {
    cwd: project.root,
    env: { ...cleanEnv(project.home), TERM: "dumb" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const pending = [...answers];
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    const asked = stripVTControlCharacters(output).split(/\([yY]\/[nN]\): /).length - 1;
    if (asked > answers.length - pending.length) child.stdin.write(`${pending.shift() ?? ""}\r`);
  });
  return { exitCode: await closed(child), output: stripVTControlCharacters(output) };
}

function closed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("close", resolve);
  });
}

test("--try proposes run_ahead where the checks take more than two seconds", async () => {
  const scripts = { test: "node -e 'setTimeout(() => {}, 2100)'" };
  await using project = await GauntletProject.create({ "package.json": JSON.stringify({ scripts }) });

  const { stdout } = await project.gauntlet(["init", "--yes", "--try"]);

  expect(stdout).toContain("set `run_ahead: true` in .gauntlet/config.yml");
});
