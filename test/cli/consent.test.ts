import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asUser, USER } from "../rig/as-user.ts";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET } from "../rig/program.ts";

/** A clone that would leave a mark wherever it can have something run. */
async function clone(): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": "checks: { evil: touch ../ran-gate, npm: npm test }\n",
    ".gauntlet/reviews/look.md": "---\ncli_preference: ['command:touch ../ran-review']\n---\nLook.\n",
    "package.json": '{ "scripts": { "test": "touch ../ran-script" } }',
    ".gitattributes": "* filter=evil diff=evil\n",
    "a.txt": "one",
  });
  await project.commit("start");
  await project.git("config", "core.fsmonitor", "touch ../ran-fsmonitor; false");
  await project.git("config", "filter.evil.clean", "touch ../ran-filter; cat");
  await project.git("config", "diff.evil.textconv", "touch ../ran-textconv; cat");
  await project.git("config", "alias.status", "!touch ../ran-alias");
  await project.write({ "a.txt": "another" });
  return project;
}

const MARKS = ["gate", "review", "script", "fsmonitor", "filter", "textconv", "alias"];

function ran(project: GauntletProject): readonly string[] {
  return MARKS.filter((mark) => existsSync(join(project.root, "..", `ran-${mark}`)));
}

/** As the hook in the home directory asks. */
async function stop(project: GauntletProject, session = "s1", env: Record<string, string> = {}) {
  const event = { session_id: session, cwd: project.root, hook_event_name: "Stop", stop_hook_active: false };
  const stdin = `${JSON.stringify(event)}\n`;
  const done = await project.gauntlet(["stop-hook", "--only-allowed"], { stdin, env });
  return JSON.parse(done.stdout) as {
    status: string;
    decision: string;
    reason?: string;
    systemMessage?: string;
  };
}

describe.concurrent("a hook that serves every project", () => {
  test("a clone that is not allowed runs nothing, and says once what to type", async () => {
    await using project = await clone();

    const first = await stop(project);
    const second = await stop(project);

    expect(first).toMatchObject({ decision: "approve", status: "not_allowed" });
    expect(first.systemMessage).toContain(`cd ${project.root} && agent-gauntlet allow`);
    expect(second).not.toHaveProperty("systemMessage");
    expect(ran(project)).toEqual([]);
    expect(project.has("gauntlet_logs")).toBe(false);
  });

  test("allow shows what would run, and only a yes counts", async () => {
    await using project = await clone();

    const no = await asUser(project, "n", "allow");
    const denied = await stop(project);
    const yes = await asUser(project, "y", "allow");
    const listed = await project.json(["allow", "--list"]);
    const allowed = await stop(project);

    expect(no.exitCode).toBe(1);
    expect(no.stdout).toContain('check "evil" (.): touch ../ran-gate');
    expect(no.stdout).toContain('They use package.json script "test"');
    expect(denied.status).toBe("not_allowed");
    expect(yes).toMatchObject({ exitCode: 0 });
    expect(listed["projects"]).toMatchObject([{ root: project.root, decision: "allowed" }]);
    expect(allowed.status).not.toBe("not_allowed");
    expect(ran(project)).toEqual(expect.arrayContaining(["gate", "script"]));
  });

  test("deny is remembered without another word, until allow takes it back", async () => {
    await using project = await clone();

    await asUser(project, "", "deny");
    const denied = await stop(project);
    await asUser(project, "y", "allow");
    const allowed = await stop(project);

    expect(denied).toMatchObject({ status: "not_allowed" });
    expect(denied).not.toHaveProperty("systemMessage");
    expect(allowed.status).not.toBe("not_allowed");
  });

  test("AGENT_GAUNTLET_ALLOW allows exactly what allow --print names", async () => {
    await using project = await clone();
    const { stdout } = await project.gauntlet(["allow", "--print"]);
    const env = { AGENT_GAUNTLET_ALLOW: `other,${stdout.trim()}` };

    const allowed = await stop(project, "s1", env);
    await project.write({ "package.json": '{ "scripts": { "test": "true" } }' });
    const changed = await stop(project, "s2", env);

    expect(allowed.status).not.toBe("not_allowed");
    expect(changed.status).toBe("not_allowed");
  });
});

test("gates that a variable allowed go on judging when they are changed", async () => {
  await using project = await GauntletProject.withChecks({ test: "! grep -q bad a.txt" }, { "a.txt": "" });
  const { stdout } = await project.gauntlet(["allow", "--print"]);
  const env = { AGENT_GAUNTLET_ALLOW: stdout.trim() };
  await project.write({ "a.txt": "bad" });

  const blocked = await stop(project, "s1", env);
  await project.write({ ".gauntlet/config.yml": "checks: { test: touch ../ran-gate }\n" });
  const changed = await stop(project, "s1", env);
  const other = await stop(project, "s2", env);

  expect(blocked.decision).toBe("block");
  expect(changed).toMatchObject({
    decision: "block",
    systemMessage: expect.stringContaining("the gates are not those you allowed"),
  });
  expect(other.status).toBe("not_allowed");
  expect(ran(project)).toEqual([]);
});

test("gates that were allowed run, though the copy of what was allowed is damaged", async () => {
  await using project = await GauntletProject.withChecks({ red: "exit 1" });
  await project.write({ "a.txt": "1" });
  await asUser(project, "y\n", "allow");
  const directory = join(project.home, ".local/state/agent-gauntlet/allowed");
  const file = join(directory, readdirSync(directory)[0] ?? "");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"kind":"check"', '"kind":0'));

  const answer = await stop(project);

  expect(readFileSync(file, "utf8")).not.toBe(text);
  expect(answer).toMatchObject({ decision: "block", status: "failed" });
});

describe.concurrent("gates that are not those that were allowed", () => {
  test("do not make the stop free in a session that began with the allowed ones, and do not run", async () => {
    await using project = await GauntletProject.withChecks({ test: "false", lint: "true" });
    await project.write({ a: "1" });
    await asUser(project, "y", "allow");

    const before = await stop(project);
    await project.write({ ".gauntlet/config.yml": "checks: { test: touch ../ran-gate }\n" });
    const after = await stop(project);

    expect(before).toMatchObject({ decision: "block", status: "failed" });
    expect(after).toMatchObject({ decision: "block", status: "failed" });
    expect(after.systemMessage).toContain('check "test": command was "false", is "touch ../ran-gate"');
    expect(ran(project)).toEqual([]);
  });

  test("hold the stop up once where a script behind them changed, and there is no pass without it", async () => {
    await using project = await GauntletProject.withChecks(
      { test: "npm test" },
      { "package.json": '{ "scripts": { "test": "exit 1" } }' },
    );
    await project.write({ a: "1" });
    await asUser(project, "y", "allow");

    await project.write({ "package.json": '{ "scripts": { "test": "touch ../ran-script" } }' });
    const first = await stop(project);
    const second = await stop(project);

    expect(first).toMatchObject({ decision: "block", status: "failed" });
    expect(first.reason).toContain('package.json script "test" changed');
    expect(second).toMatchObject({ decision: "approve", status: "not_allowed" });
    expect(ran(project)).toEqual([]);
  });

  test("are not run in a session that began with them, and the user is shown the difference", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    await project.write({ a: "1" });
    await asUser(project, "y", "allow");
    await project.write({ ".gauntlet/config.yml": "checks: { test: touch ../ran-gate }\n" });
    await project.stop({ session_id: "s2" }, { env: { GAUNTLET_STOP_HOOK_ENABLED: "0" } }); // its beginning

    const answer = await stop(project, "s2");

    expect(answer).toMatchObject({ decision: "approve", status: "not_allowed" });
    expect(answer.systemMessage).toContain('check "test": command was "true", is "touch ../ran-gate"');
    expect(ran(project)).toEqual([]);
  });
});

test.concurrent(
  "a work tree of an allowed repository is allowed, one that only claims to be is not",
  async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    await asUser(project, "y", "allow");
    await project.git("worktree", "add", "--quiet", "../linked");
    await project.git("worktree", "add", "--quiet", "../moved");
    await run(["sh", "-c", "cp -r linked forged && rm -r linked/.gauntlet"], {
      cwd: join(project.root, ".."),
      env: cleanEnv(project.home),
    });
    const [linked, forged] = [project.at("../moved"), project.at("../forged")];

    expect((await stop(linked, "s1")).status).not.toBe("not_allowed");
    expect((await stop(forged, "s2")).status).toBe("not_allowed");
  },
);

describe.concurrent("allow, deny and accept", () => {
  test.for([["allow"], ["deny"]])("%s is refused without a terminal", async ([command = ""]) => {
    await using project = await clone();

    const done = await project.gauntlet([command], { stdin: "y\n" });

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain("Only you can do this, in your own terminal (there is no terminal)");
    expect((await stop(project)).status).toBe("not_allowed");
  });

  test("allow prints JSON for its list only, and an error as JSON without it", async () => {
    await using project = await clone();

    const done = await project.gauntlet(["allow", "--json"]);

    expect(done.exitCode).toBe(1);
    expect(JSON.parse(done.stdout)).toMatchObject({
      command: "allow",
      status: "error",
      message: expect.stringContaining("`--json` goes with `--list`"),
    });
  });

  test("are refused on a terminal that an agent holds", async () => {
    await using project = await clone();

    const marked = await run(["python3", USER, "y", "env", "CLAUDECODE=1", ...GAUNTLET, "allow"], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });
    await project.write({ "../claude": '#!/bin/sh\n"$@"\n' });
    const below = await run(["python3", USER, "y", "sh", "../claude", ...GAUNTLET, "allow"], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(marked.stdout).toContain("it seems to be run by an agent: CLAUDECODE is set");
    expect(below.stdout).toContain("it seems to be run by an agent: it was started by claude");
    expect((await stop(project)).status).toBe("not_allowed");
  });
});
