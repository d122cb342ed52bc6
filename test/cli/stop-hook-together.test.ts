import { describe, expect, test } from "vitest";

import { ControlledCommand } from "../rig/controlled-command.ts";
import type { GauntletProject } from "../rig/gauntlet-project.ts";
import { lockRefused } from "../rig/state-files.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { projectWith, RED, send, SUBAGENT, TEAMMATE } from "../rig/hosts/send.ts";
import { asUser } from "../rig/as-user.ts";

async function slowProject(command: ControlledCommand): Promise<GauntletProject> {
  return projectWith(
    `stop_hook:\n  on: [stop, subagent_stop, teammate_idle]\n  agent_types: ["*"]\nchecks:\n  slow: ${JSON.stringify(command.command())}\n`,
  );
}

describe("two events of one session at the same moment", () => {
  test("are both judged: the agent's stop waits for its sub-agent's run, and takes its pass", async () => {
    await using command = await ControlledCommand.create();
    await using project = await slowProject(command);
    const { session_id } = recording(...SUBAGENT).payload;
    const sub = send(project, SUBAGENT);
    const gate = await command.started();

    const refused = lockRefused(project);
    const stop = send(project, ["claude-code", "stop"], { session_id });
    await refused;
    gate.exit(0);

    expect(await sub).not.toHaveProperty("decision");
    expect(await stop).toMatchObject({
      decision: "approve",
      message: expect.stringContaining("nothing changed since run 1 passed"),
    });
  });

  test("are both blocked by a gate that fails: one idle teammate does not slip past the other's run", async () => {
    await using command = await ControlledCommand.create();
    await using project = await slowProject(command);
    const one = send(project, TEAMMATE, { agent_id: "one" });
    const gate = await command.started();

    const refused = lockRefused(project);
    const other = send(project, TEAMMATE, { agent_id: "other" });
    await refused;
    gate.exit(1);
    (await command.started()).exit(1);

    expect(await one).toMatchObject({ decision: "block" });
    expect(await other).toMatchObject({ decision: "block" });
  });

  test("answer the second hook of the very same stop at once, without a word", async () => {
    await using command = await ControlledCommand.create();
    await using project = await slowProject(command);
    const first = send(project, SUBAGENT);
    const gate = await command.started();

    const second = await send(project, SUBAGENT);
    gate.exit(0);
    await first;

    expect(second).toEqual({ stderr: expect.any(String), exitCode: 0 });
  });
});

test("a sub-agent does not use up the skip that the user granted for the agent's next stop", async () => {
  await using project = await projectWith(
    `stop_hook:\n  on: [stop, subagent_stop]\n  agent_types: ["*"]\nchecks:\n  ready: '${RED}'\n`,
  );
  const { session_id } = recording(...SUBAGENT).payload;
  await asUser(project, "", "skip", "--reason", "the server is down");

  const sub = await send(project, SUBAGENT);
  const stop = await send(project, ["claude-code", "stop"], { session_id });

  expect(sub).toMatchObject({ decision: "block" });
  expect(stop).toMatchObject({ status: "skipped" });
});

test("a sub-agent's stop is compared with the gates its session began with", async () => {
  await using project = await projectWith(
    `stop_hook:\n  on: [stop, subagent_stop]\n  agent_types: ["*"]\nchecks:\n  ready: '${RED}'\n`,
  );
  const { payload } = recording("claude-code", "session-start");
  const { session_id } = recording(...SUBAGENT).payload;
  const stdin = JSON.stringify({ ...payload, session_id, cwd: project.root });
  await project.gauntlet(["session-start"], { stdin });
  await project.write({
    ".gauntlet/config.yml": project.read(".gauntlet/config.yml").replace(RED, "true"),
  });

  expect(await send(project, SUBAGENT)).toMatchObject({
    systemMessage: expect.stringContaining('check "ready": command was'),
  });
});
