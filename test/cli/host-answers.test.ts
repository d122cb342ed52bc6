import { expect, test } from "vitest";

import { type Finished, GauntletProject } from "../rig/gauntlet-project.ts";
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

/** What an agent takes for "go on": the exit code 2 with a reason on stderr, or one line of JSON. */
function goesOn({ exitCode, stdout, stderr }: Finished): boolean {
  const answer = exitCode === 2 ? stderr : stdout;
  return answer.includes("Gauntlet gates did not pass") && (exitCode === 2 || isBlock(JSON.parse(stdout)));
}

function isBlock(answer: Readonly<Record<string, unknown>>): boolean {
  const specific = (answer["hookSpecificOutput"] ?? {}) as Readonly<Record<string, unknown>>; // Kimi, VS Code
  const decisions = [answer["decision"], specific["decision"], specific["permissionDecision"]];
  return decisions.some((one) => one === "block" || one === "deny") || "followup_message" in answer;
}

test.each(FIRST_STOPS)("blocks $host after its own $file, without --host", async (recording) => {
  await using project = await redProject();
  const payload = { ...recording.payload, cwd: project.root };
  const env = Object.fromEntries(
    Object.entries(recording.surroundings.env).map(([key, value]) => [key, value ?? ""]),
  );

  const done = await project.gauntlet(["stop-hook"], { stdin: `${JSON.stringify(payload)}\n`, env });

  expect(goesOn(done)).toBe(true);
});

/** Agents of which no stop is recorded send what their documentation says. */
const DOCUMENTED = [
  {
    host: "cursor",
    payload: {
      conversation_id: "c",
      generation_id: "g",
      hook_event_name: "stop",
      status: "completed",
      loop_count: 0,
    },
  },
  { host: "vscode", payload: { sessionId: "s", hookEventName: "Stop", stop_hook_active: false } },
];

test.each([...FIRST_STOPS, ...DOCUMENTED])(
  "blocks, and allows after the fix, with --host $host",
  async (stop) => {
    await using project = await redProject("stop_hook:\n  when_active: enforce\n");
    const payload = { ...stop.payload, cwd: project.root, workspace_roots: [project.root] };
    const ask = () =>
      project.gauntlet(["stop-hook", "--host", stop.host], { stdin: `${JSON.stringify(payload)}\n` });

    const first = await ask();
    await project.write({ "state.txt": "fixed\n" });
    const second = await ask();

    expect([first, second].map(goesOn)).toEqual([true, false]);
    expect(second.exitCode).toBe(0);
  },
);

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
