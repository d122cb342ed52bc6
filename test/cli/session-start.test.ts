import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Finished, GauntletProject } from "../rig/gauntlet-project.ts";
import { type Beginning, beginnings, fileAtStart, treesDir } from "../rig/state-files.ts";
import { recording } from "../rig/hosts/recorded.ts";

const CHECKS = { test: "! grep -rq broken src" };

test("remembers the tree, HEAD and nothing else, says nothing, and leaves the repository as it was", async () => {
  await using project = await GauntletProject.withChecks(CHECKS, { "src/a.txt": "fine\n" });
  await project.write({ "src/a.txt": "edited by hand\n", "notes.txt": "untracked\n" });
  const before = await repositoryOf(project);

  const started = await start(project);

  expect(started).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  const began = beginning(project);
  expect(began.head).toBe((await project.git("rev-parse", "HEAD")).trim());
  expect(await fileAtStart(project, began, "src/a.txt")).toBe("edited by hand\n");
  expect(await fileAtStart(project, began, "notes.txt")).toBe("untracked\n");
  expect(await repositoryOf(project)).toEqual(before);
});

test("resume and compact keep the first tree, another session has its own", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);
  await start(project);
  const first = beginning(project);
  await project.write({ "src/a.txt": "by the agent\n" });

  await start(project, { source: "resume" });
  await start(project, { source: "compact" });

  expect(beginning(project)).toEqual(first);

  await start(project, { session_id: "session-2" });

  expect(beginnings(project)).toHaveLength(2);
});

test("a stop keeps the beginning", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);
  await start(project);
  const first = beginning(project);
  await project.write({ "src/a.txt": "fine\n" });

  await project.stop();

  expect(beginning(project)).toEqual(first);
});

test("what an agent committed to the base branch before its first stop is checked", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);
  await start(project);
  await project.write({ "src/a.txt": "broken\n" });
  await project.commit("done");

  const { answer } = await project.stop();

  expect(answer).toMatchObject({ decision: "block", status: "failed" });
});

test("a repository without commits has a beginning too", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  test: ${JSON.stringify(CHECKS.test)}\n`,
  });

  await start(project);

  const began = beginning(project);
  expect(began.head).toBeUndefined();
  expect(await fileAtStart(project, began, ".gauntlet/config.yml")).toContain("checks");
});

test("the first commit of a repository that had none is compared with what the session began with", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  test: ${JSON.stringify(CHECKS.test)}\n`,
  });
  await start(project);
  await project.write({ "src/a.txt": "broken\n" });
  await project.commit("done");

  const { answer } = await project.stop();

  expect(answer).toMatchObject({ decision: "block", status: "failed" });
});

test("unfinished work of the user counts as changed when it is undone, or committed as it is", async () => {
  const config = `entry_points: [{ path: src, checks: [test] }]\nchecks: { test: "! grep -q broken a.txt" }\n`;
  const files = { ".gauntlet/config.yml": config, "src/a.txt": "broken\n" };
  await using undone = await GauntletProject.create(files);
  await undone.commit("start");
  await undone.write({ "src/a.txt": "fixed\n" });
  await start(undone);
  await undone.git("checkout", "--quiet", "--", "src/a.txt");
  await undone.write({ "README.md": "more\n" });
  await undone.commit("done");
  await using kept = await GauntletProject.create({ ...files, "src/a.txt": "fine\n" });
  await kept.commit("start");
  await kept.write({ "src/a.txt": "broken\n" });
  await start(kept);
  await kept.commit("done");

  expect((await undone.stop()).answer).toMatchObject({ decision: "block", status: "failed" });
  expect((await kept.stop()).answer).toMatchObject({ decision: "block", status: "failed" });
});

test.each(["subagent-stop", "task-completed", "teammate-idle"])(
  "began with its session, not at its own first stop: %s",
  async (event) => {
    const on = "on: [stop, subagent_stop, task_completed, teammate_idle], agent_types: ['*']";
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `only_new: true\nstop_hook: { ${on} }\nchecks:\n  test: ${JSON.stringify("grep -nH broken src/*.txt; ! grep -q broken src/*.txt")}\n`,
      "src/a.txt": "fine\n",
    });
    await project.commit("start");
    await project.write({ "src/a.txt": "broken by the user\n" });
    const { payload } = recording("claude-code", event);
    await start(project, { session_id: payload["session_id"] });
    const stdin = `${JSON.stringify({ ...payload, cwd: project.root })}\n`;
    await project.write({ "src/b.txt": "fine\n" });

    const unrelated = await project.gauntlet(["stop-hook"], { stdin });
    await project.write({ "src/b.txt": "broken by the agent\n" });
    const broken = await project.gauntlet(["stop-hook"], { stdin });

    expect(JSON.parse(unrelated.stdout)).toEqual({
      systemMessage: expect.stringContaining("(the start of this session)") as string,
    });
    expect(JSON.parse(broken.stdout)).toMatchObject({ decision: "block" });
  },
);

test.each([
  ["no event", ""],
  ["half an event", '{"session_id":'],
  ["a list", "[]"],
])("never fails the host: %s", async (_name, stdin) => {
  await using project = await GauntletProject.withChecks(CHECKS);

  const { exitCode, stdout } = await project.gauntlet(["session-start"], { stdin });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  expect(beginnings(project)).toEqual([]);
});

test("a project without gates is left alone", async () => {
  await using project = await GauntletProject.create({ "a.txt": "a\n" });

  expect(await start(project)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  expect(beginnings(project)).toEqual([]);
});

test("a home directory that cannot be written costs only the record", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);

  const { exitCode, stdout } = await start(project, {}, { XDG_STATE_HOME: "/dev/null" });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
});

test("what a start that was killed left is removed by the next", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);
  await project.write({ "new.txt": "new\n" });
  await start(project);
  const left = join(treesDir(project), `gauntlet-fingerprint-${spawnSync("true").pid}-abc`);
  mkdirSync(left);

  await start(project, { session_id: "session-2" });

  expect(existsSync(left)).toBe(false);
});

test("objects of trees that no session has begun with for two weeks are removed", async () => {
  await using project = await GauntletProject.withChecks(CHECKS);
  await project.write({ "old.txt": "old\n" });
  await start(project);
  const trees = treesDir(project);
  const old = objectsIn(trees);
  const longAgo = Date.now() / 1000 - 15 * 24 * 60 * 60;
  for (const file of [...old, join(trees, "pruned")]) utimesSync(file, longAgo, longAgo);
  await project.git("clean", "--quiet", "--force");
  await project.write({ "new.txt": "new\n" });

  await start(project, { session_id: "session-2" });

  expect(old).not.toEqual([]);
  expect(objectsIn(trees).filter((object) => old.includes(object))).toEqual([]);
  expect(objectsIn(trees)).not.toEqual([]);
});

function start(
  project: GauntletProject,
  event: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const payload = {
    session_id: "session-1",
    cwd: project.root,
    hook_event_name: "SessionStart",
    source: "startup",
    ...event,
  };
  return project.gauntlet(["session-start"], { stdin: `${JSON.stringify(payload)}\n`, env });
}

function beginning(project: GauntletProject): Beginning {
  const [start] = beginnings(project);
  if (start === undefined) throw new Error("no beginning was recorded");
  return start;
}

function objectsIn(trees: string): readonly string[] {
  const objects = join(trees, "objects");
  return namesIn(objects).flatMap((name) =>
    namesIn(join(objects, name)).map((file) => join(objects, name, file)),
  );
}

/** Every object, ref and the index. */
async function repositoryOf(project: GauntletProject): Promise<readonly string[]> {
  const counted = await project.git("count-objects", "-v");
  const refs = await project.git("for-each-ref");
  return [counted, refs, readFileSync(join(project.root, ".git/index"), "base64")];
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

test("a broken configuration is said at the start and first at every stop, with what to type", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "checks:\n  test: { timeout: 5 }\n",
    "src/a.txt": "fine\n",
  });
  const words =
    "Gauntlet: nothing is checked, because the configuration is not valid. .gauntlet/config.yml:2:3: `checks.test.command` is missing: it must be a shell command. Run `agent-gauntlet validate`, then repair it.";

  const started = await start(project);

  expect(JSON.parse(started.stdout)).toEqual({ systemMessage: words });
  for (let stop = 0; stop < 2; stop++)
    expect((await project.stop()).answer).toMatchObject({ status: "error", systemMessage: words });
});
