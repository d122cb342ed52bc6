import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";

import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { CLI, GauntletProject } from "../rig/gauntlet-project.ts";

/** The plugin's folder is the package's. */
const PLUGIN = resolve(dirname(CLI), "../..");

test("the plugin alone gates the real Claude Code: blocked with the reason, then free after the fix", async ({
  skip,
}) => {
  const client = await installClaudeCode();
  if (!client.ok) return skip(client.reason);
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `stop_hook:\n  when_active: enforce\nchecks:\n  ready: 'test "$(cat state.txt)" = fixed'\n`,
    "state.txt": "new\n",
  });
  await project.commit("start");
  const allowed = await project.gauntlet(["allow", "--print"]); // a plugin serves every project, so each is asked for
  await project.write({ "state.txt": "broken\n" });

  const run = await runClaudeCode({
    bin: client.bin,
    project: project.root,
    args: ["--plugin-dir", PLUGIN],
    env: { AGENT_GAUNTLET_ALLOW: allowed.stdout.trim() },
    turns: [
      "All done.",
      async () => {
        await project.write({ "state.txt": "fixed\n" });
        return "Fixed.";
      },
    ],
  });

  expect(run.requests).toHaveLength(2);
  expect(run.requests[1]?.last).toContain("Gauntlet gates did not pass");
  expect(run.result).toBe("Fixed.");
  const starts = run.hooks.filter(({ event }) => event === "SessionStart");
  const stops = run.hooks.filter(({ event }) => event === "Stop");
  expect(starts).toMatchObject([{ exitCode: 0, stdout: "" }]);
  expect(stops.map(({ stdout }) => JSON.parse(stdout) as unknown)).toMatchObject([
    { decision: "block" },
    { decision: "approve", status: "passed" },
  ]);
});
