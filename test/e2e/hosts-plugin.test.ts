import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type ClaudeCodeRun, installClaudeCode, isolatedEnv, runClaudeCode } from "../rig/claude-code.ts";
import type { ScriptedTurn } from "../rig/fake-anthropic-api.ts";
import { type Answer, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { packInto, serveRegistry } from "../rig/packed.ts";
import { tempDir } from "../rig/temp-dir.ts";

const client = await installClaudeCode();
let user: (AsyncDisposable & { readonly path: string }) | undefined;

/** The plugin as its user installs it: the marketplace of the repository names the package, which comes from a registry. */
beforeAll(async () => {
  if (!client.ok) return;
  user = await tempDir();
  const archive = packInto(user.path);
  await using registry = await serveRegistry(archive);
  const marketplace = join(user.path, "repository");
  mkdirSync(marketplace);
  mkdirSync(join(user.path, "home/tmp"), { recursive: true });
  execFileSync("tar", ["xzf", archive, "-C", marketplace, "--strip-components", "1"]);
  const env = { ...isolatedEnv(home(), "http://127.0.0.1:9"), npm_config_registry: registry.url };
  for (const args of [
    ["marketplace", "add", marketplace],
    ["install", "gauntlet@agent-gauntlet"],
  ])
    expect(await run([client.bin, "plugin", ...args], { cwd: user.path, env })).toMatchObject({
      exitCode: 0,
    });
});

afterAll(async () => {
  await user?.[Symbol.asyncDispose]();
});

function home(): string {
  return join(user?.path ?? "", "home");
}

async function gatedProject(): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `max_retries: 1\nstop_hook:\n  when_active: enforce\nchecks:\n  ready: 'test "$(cat state.txt)" = fixed'\n`,
    "state.txt": "new\n",
  });
  await project.commit("start");
  await project.write({ "state.txt": "broken\n" });
  return project;
}

interface Asked {
  readonly turns: readonly ScriptedTurn[];
  readonly prompt?: string;
}

/** A plugin serves every project, so each must be allowed. */
async function ask(project: GauntletProject, asked: Asked): Promise<ClaudeCodeRun> {
  const allowed = await project.gauntlet(["allow", "--print"]);
  const env = { AGENT_GAUNTLET_ALLOW: allowed.stdout.trim() };
  return runClaudeCode({
    bin: client.ok ? client.bin : "",
    project: project.root,
    home: home(),
    env,
    ...asked,
  });
}

function answers(session: ClaudeCodeRun): readonly Answer[] {
  return session.hooks
    .filter(({ event }) => event === "Stop")
    .map(({ stdout }) => JSON.parse(stdout) as Answer); // our own protocol
}

test("the installed plugin alone gates the real Claude Code: blocked with the reason, then free after the fix", async ({
  skip,
}) => {
  if (!client.ok) return skip(client.reason);
  await using project = await gatedProject();

  const session = await ask(project, {
    turns: [
      "All done.",
      async () => {
        await project.write({ "state.txt": "fixed\n" });
        return "Fixed.";
      },
    ],
  });

  expect(session.requests).toHaveLength(2);
  expect(session.requests[1]?.last).toContain("Gauntlet gates did not pass");
  expect(session.result).toBe("Fixed.");
  const starts = session.hooks.filter(({ event }) => event === "SessionStart");
  expect(starts).toMatchObject([{ exitCode: 0, stdout: "" }]);
  expect(answers(session)).toMatchObject([{ decision: "block" }, { decision: "approve", status: "passed" }]);
});

test("/gauntlet:status and /gauntlet:explain show the user how things stand, without a model and without a run", async ({
  skip,
}) => {
  if (!client.ok) return skip(client.reason);
  await using project = await gatedProject();
  await ask(project, { turns: ["All done.", "No."] });

  const status = await ask(project, { prompt: "/gauntlet:status", turns: [] });
  const explained = await ask(project, { prompt: "/gauntlet:explain", turns: [] });

  expect([...status.requests, ...explained.requests]).toEqual([]);
  expect(status.notices.join("\n")).toContain("Run 2: Retry limit exceeded");
  expect(explained.notices.join("\n")).toContain("Allowed (retry_limit_exceeded)");
  expect([...answers(status), ...answers(explained)]).toEqual([]);
});

test("/gauntlet:skip of the user lets the stop go by, and the model cannot say it", async ({ skip }) => {
  if (!client.ok) return skip(client.reason);
  await using project = await gatedProject();
  const byModel = { toolUse: { name: "Skill", input: { skill: "gauntlet:skip", args: "it is fine" } } };

  const model = await ask(project, { turns: [byModel, "All done.", "No."] });
  const own = await ask(project, { prompt: "/gauntlet:skip the server is down", turns: ["As you like."] });

  expect(model.requests[1]?.last).toContain("disable-model-invocation");
  expect(answers(model).map(({ decision }) => decision)).toEqual(["block", "approve"]);
  expect(answers(own)).toMatchObject([{ decision: "approve", status: "skipped" }]);
  expect(own.notices).toEqual([
    'Gauntlet: this stop was not checked, because you said in the chat: "the server is down"',
  ]);
  expect(own.requests[0]?.messages.map((message) => message.text).join("\n")).toContain(
    "because: the server is down",
  );
});
