import { expect, test } from "vitest";

import { findHost, HOSTS } from "../../src/hosts/host-table.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { allRecordings } from "../rig/hosts/recorded.ts";

const RED = 'test "$(cat state.txt)" = fixed';
const FIRST_STOPS = allRecordings().filter(({ file }) => /^(?:agent-)?stop(?:-0\.\d+)?$/.test(file));

async function redProject(more = ""): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({ ready: RED }, { "state.txt": "fixed\n" });
  await project.write({
    ".gauntlet/config.yml": `${project.read(".gauntlet/config.yml")}${more}`,
    "state.txt": "broken\n",
  });
  return project;
}

test.each(FIRST_STOPS)("blocks $host after its own $file, without --host", async (recording) => {
  await using project = await redProject();
  const host = findHost(recording.host);
  const payload = { ...recording.payload, cwd: project.root };
  const env = Object.fromEntries(
    Object.entries(recording.surroundings.env).map(([key, value]) => [key, value ?? ""]),
  );

  const done = await project.gauntlet(["stop-hook"], { stdin: `${JSON.stringify(payload)}\n`, env });

  expect(
    host?.take({ stdout: done.stdout, stderr: done.stderr, exitCode: done.exitCode ?? -1 }),
  ).toMatchObject({
    agent: "goes-on",
    agentReads: expect.stringContaining("Gauntlet gates did not pass"),
  });
});

test.each(HOSTS)("blocks, and allows after the fix, with --host for $title", async (host) => {
  await using project = await redProject("stop_hook:\n  when_active: enforce\n");
  const ask = async (): Promise<ReturnType<typeof host.take>> => {
    const stop = { cwd: project.root, sessionId: "s", promptId: "t", blockedBefore: 0, lastMessage: "Done." };
    const stdin = `${JSON.stringify(host.sample(stop))}\n`;
    const { stdout, stderr, exitCode } = await project.gauntlet(["stop-hook", "--host", host.name], {
      stdin,
    });
    return host.take({ stdout, stderr, exitCode: exitCode ?? -1 });
  };

  const first = await ask();
  await project.write({ "state.txt": "fixed\n" });
  const second = await ask();

  expect(first).toMatchObject({ agent: "goes-on" });
  expect(second).toEqual({ agent: "stops" });
});

test("gives up below the cap of a host, whatever max_retries says", async () => {
  await using project = await redProject("max_retries: 20\nstop_hook:\n  when_active: enforce\n");

  const blocks: string[] = [];
  for (let loop = 0; loop < 6; loop++) {
    const payload = {
      conversation_id: "c",
      generation_id: `g${loop}`,
      workspace_roots: [project.root],
      status: "completed",
      loop_count: loop,
    };
    const done = await project.gauntlet(["stop-hook"], { stdin: `${JSON.stringify(payload)}\n` });
    blocks.push(done.stdout.includes("followup_message") ? "goes on" : "stops");
  }

  expect(blocks).toEqual(["goes on", "goes on", "goes on", "goes on", "stops", "stops"]);
});

test.each([
  ["goose", "goose cannot be gated"],
  ["nobody", 'There is no agent "nobody" here'],
])("answers although --host %s is unknown, and says so", async (name, message) => {
  await using project = await redProject();

  const stdin = JSON.stringify({ session_id: "s", cwd: project.root, hook_event_name: "Stop" });
  const done = await project.gauntlet(["stop-hook", "--host", name], { stdin });

  expect(JSON.parse(done.stdout)).toMatchObject({ decision: "block" });
  expect(done.stderr).toContain(message);
});

test("still blocks where nothing can be remembered outside the project", async () => {
  await using project = await redProject();
  await project.write({ file: "" });
  const env = { XDG_STATE_HOME: `${project.root}/file` };

  const done = await project.stop({}, { env });

  expect(done.answer.decision).toBe("block");
});
