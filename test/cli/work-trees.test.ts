import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const CONFIG = 'checks: { state: "! grep broken state.txt" }\nstop_hook: { when_active: enforce }\n';

/** A session that began in the main work tree, while a linked one is there. */
async function twoTrees({ isCommitted = true, place = "../side" } = {}) {
  const project = await GauntletProject.create({ "state.txt": "new\n" });
  await project.commit("start");
  await project.write({ ".gauntlet/config.yml": CONFIG });
  if (isCommitted) await project.commit("gates");
  await begin(project);
  await project.git("worktree", "add", "--quiet", place, "HEAD");
  return { project, side: project.at(place) };
}

async function begin(project: GauntletProject): Promise<void> {
  const stdin = JSON.stringify({ session_id: "session-1", cwd: project.root });
  await project.gauntlet(["session-start"], { stdin });
}

/** As Claude Code tells of a stop: its own directory does not follow the agent. */
function stopIn(tree: GauntletProject, project: GauntletProject) {
  return tree.stop({}, { env: { CLAUDE_PROJECT_DIR: project.root } });
}

test("a stop in a linked work tree says nothing of the main one while that is as it was, or as it passed", async () => {
  const { project, side } = await twoTrees();
  await using _project = project;
  await side.write({ "state.txt": "broken\n" });

  const untouched = await stopIn(side, project);
  await project.write({ "state.txt": "better\n" });
  await stopIn(project, project);
  const passed = await stopIn(side, project);
  await project.write({ "state.txt": "broken\n" });
  const changed = await stopIn(side, project);

  for (const { answer } of [untouched, passed, changed]) expect(answer.status).toBe("failed");
  expect(untouched.answer.systemMessage).toBeUndefined();
  expect(passed.answer.systemMessage).toBeUndefined();
  expect(changed.answer.systemMessage).toContain(`began in ${project.root}`);
});

test("a linked work tree inside of the main one is no change of that", async () => {
  const { project, side } = await twoTrees({ place: ".claude/worktrees/feat" });
  await using _project = project;
  await side.write({ "state.txt": "broken\n", "new.txt": "new\n" });

  const { answer } = await stopIn(side, project);

  expect(answer.status).toBe("failed");
  expect(answer.systemMessage).toBeUndefined();
});

test("gates that were never committed apply in a linked work tree, too, and scripts are compared", async () => {
  const { project, side } = await twoTrees({ isCommitted: false });
  await using _project = project;
  await side.write({ "state.txt": "broken\n" });

  const failed = await stopIn(side, project);
  await side.write({ "state.txt": "fixed\n" });
  const passed = await stopIn(side, project);

  expect([failed, passed].map(({ answer }) => answer.status)).toEqual(["failed", "passed"]);
  expect([failed, passed].map(({ answer }) => answer.systemMessage)).toEqual([undefined, undefined]);
  expect([side, project].map((one) => one.has("gauntlet_logs"))).toEqual([true, false]);
});

test("a session that began in a linked work tree without gates is told that nothing was checked", async () => {
  const { project, side } = await twoTrees({ isCommitted: false });
  await using _project = project;

  const { answer } = await side.stop({ session_id: "session-2" }, { env: { CLAUDE_PROJECT_DIR: side.root } });

  expect(answer).toMatchObject({ status: "no_config", systemMessage: expect.stringContaining("no gates") });
});

test("files that were edited in another work tree are named by a stop that hears of edits, unless they have passed", async () => {
  const { project, side } = await twoTrees();
  await using _project = project;
  await side.write({ "state.txt": "changed\n" });

  const named = await stopAfterEdit("session-2", project, side);
  await side.stop({ session_id: "session-3" });
  const passed = await stopAfterEdit("session-4", project, side);

  expect(named.answer.systemMessage).toContain(`also changed ${side.root}`);
  expect(passed.answer.systemMessage).toBeUndefined();
});

async function stopAfterEdit(session_id: string, project: GauntletProject, edited: GauntletProject) {
  const edit = {
    session_id,
    cwd: project.root,
    hook_event_name: "PostToolBatch",
    tool_calls: [{ tool_name: "Write", tool_input: { file_path: `${edited.root}/state.txt` } }],
  };
  const session = JSON.stringify({ session_id, cwd: project.root });
  await project.gauntlet(["session-start"], { stdin: session });
  await project.gauntlet(["edit-hook"], { stdin: JSON.stringify(edit) });
  return project.stop({ session_id }, { env: { CLAUDE_PROJECT_DIR: project.root } });
}
