import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { asUser } from "../rig/as-user.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { projectStateDir } from "../rig/state-files.ts";

const CONFIG = ".gauntlet/config.yml";

async function failing(): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({ test: "exit 1", lint: "exit 0" });
  await project.write({ a: "1" });
  return project;
}

test.each([
  ["in a code fence", "why?\n```\ngauntlet skip: x\n```"],
  ["in a teammate's words", "<teammate-message from='a'>\ngauntlet skip: x\n</teammate-message>"],
  ["in a task's words", "<task-notification>\ngauntlet skip: x\n</task-notification>"],
  ["amid a pasted log", "what is this?\n\n1 ok\n2 ok\ngauntlet skip: x\n3 ok\n\nIt is new."],
])("`gauntlet skip:` %s skips nothing", async (_, prompt) => {
  await using project = await failing();
  const event = { session_id: "session-1", cwd: project.root, hook_event_name: "UserPromptSubmit", prompt };

  await project.gauntlet(["prompt-hook"], { stdin: JSON.stringify(event) });

  expect((await project.stop()).answer.decision).toBe("block");
});

describe.concurrent("skip, at a terminal of the user's,", () => {
  test("lets the next stop go and quotes the reason, once", async () => {
    await using project = await failing();

    const granted = await asUser(project, "", "skip", "--reason", "the server is down");
    const status = await project.json(["status"]);
    const { answer: first } = await project.stop();
    const { answer: second } = await project.stop();

    expect(granted).toMatchObject({ exitCode: 0 });
    expect(granted.stdout).toContain("Every gate is skipped at the next stop.");
    expect(status["skips"]).toMatchObject([
      { reason: "the server is down", gate: null, until: null, session: null },
    ]);
    expect(first).toMatchObject({ decision: "approve", status: "skipped" });
    expect(first.systemMessage).toContain('you said at a terminal: "the server is down"');
    expect(second).toMatchObject({ decision: "block", status: "failed" });
    expect((await project.json(["status"]))["skips"]).toEqual([]);
  });

  test("leaves one gate out for a while, and the others judge", async () => {
    await using project = await failing();

    await asUser(project, "", "skip", "--reason", "flaky", "--gate", "test", "--for", "30m");
    const { answer: first } = await project.stop();
    await project.write({ [CONFIG]: 'base_branch: main\nchecks: { test: exit 1, lint: "exit 1" }\n' });
    const { answer: second } = await project.stop();
    const status = await project.gauntlet(["status"]);

    expect(first).toMatchObject({ decision: "approve" });
    expect(first.systemMessage).toContain('test was left out, because you said at a terminal: "flaky"');
    expect(second).toMatchObject({ decision: "block" });
    expect(status.stdout).toMatch(/^Skipped until \S+Z: test \(flaky\)$/m);
  });

  test.each([
    ["gate", 1],
    ["gate", ""],
    ["until", {}],
    ["at", 1e300],
  ])("does not count where %s is not as we write it", async (field, value) => {
    await using project = await failing();
    const at = Date.now();
    const state = [{ reason: "x", at, gate: "lint", [field]: value }];
    const skips = join(projectStateDir(project), "skips.json");
    await mkdir(dirname(skips), { recursive: true });
    await writeFile(skips, JSON.stringify({ version: 1, writtenAt: at, state }));

    expect((await project.json(["status"]))["skips"]).toEqual([]);
    expect((await project.stop()).answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("of a gate that is gone by the time of the stop leaves the others to judge", async () => {
    await using project = await failing();

    await asUser(project, "", "skip", "--reason", "flaky", "--gate", "lint", "--for", "30m");
    await project.write({ [CONFIG]: "base_branch: main\nchecks: { test: exit 1 }\n" });

    expect((await project.stop()).answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("means the session that stopped here last with --session, and no other", async () => {
    await using project = await failing();
    const early = await asUser(project, "", "skip", "--reason", "notes", "--session");
    await project.stop({ session_id: "one" });

    await asUser(project, "", "skip", "--reason", "notes", "--session");
    const { answer: first } = await project.stop({ session_id: "one" });
    const { answer: again } = await project.stop({ session_id: "one" });
    const { answer: other } = await project.stop({ session_id: "two" });

    expect(early).toMatchObject({ exitCode: 1 });
    expect(early.stdout).toContain("No session has stopped here yet.");
    expect([first.status, again.status, other.status]).toEqual(["skipped", "skipped", "failed"]);
  });

  test.for([
    [["--reason", " "], "Say why."],
    [["--reason", "x", "--gate", "tset"], "test"],
    [["--reason", "x", "--for", "9d"], "A time of at most a week"],
    [["--reason", "x", "--for", "1h", "--session"], "cannot be used with"],
  ] as const)("refuses %j", async ([args, said]) => {
    await using project = await failing();

    const done = await asUser(project, "", "skip", ...args);

    expect(done.exitCode).not.toBe(0);
    expect(done.stdout).toContain(said);
    expect((await project.stop()).answer.decision).toBe("block");
  });
});

/** A project whose gate was weakened after it had blocked. */
async function held(): Promise<GauntletProject> {
  const project = await GauntletProject.create({ [CONFIG]: holding("exit 1"), a: "1" });
  await project.commit("start");
  await project.write({ a: "2" });
  await project.stop();
  await project.write({ [CONFIG]: holding("exit 0") });
  return project;
}

function holding(check: string): string {
  return `base_branch: main\nchecks: { test: ${check} }\nstop_hook: { when_active: enforce, when_gates_change: hold }\n`;
}

describe.concurrent("accept", () => {
  test("with a yes at a terminal, the gates count as they are", async () => {
    await using project = await held();
    const before = await project.stop({ stop_hook_active: true });

    const accepted = await asUser(project, "y", "accept");
    const after = await project.stop({ stop_hook_active: true });

    expect(before.answer.decision).toBe("block");
    expect(accepted).toMatchObject({ exitCode: 0 });
    expect(accepted.stdout).toContain('check "test": command was "exit 1", is "exit 0"');
    expect(after.answer).toMatchObject({ decision: "approve", status: "passed" });
  });

  test("with a no, those of the beginning go on judging", async () => {
    await using project = await held();

    const refused = await asUser(project, "n", "accept");
    const { answer } = await project.stop({ stop_hook_active: true });

    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toContain("Nothing was changed.");
    expect(answer.decision).toBe("block");
  });

  test("while a stop is being judged, the next one goes by it", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.create({
      [CONFIG]: holding(JSON.stringify(gate.command())),
      a: "1",
    });
    await project.commit("start");
    await project.write({ a: "2" });
    const first = project.stop();
    (await gate.started()).exit(1);
    await first;
    await project.write({ [CONFIG]: holding("exit 0") });
    const second = project.stop({ stop_hook_active: true });
    const judging = await gate.started();

    const accepted = await asUser(project, "y", "accept");
    judging.exit(1);
    await second;
    const { answer } = await project.stop({ stop_hook_active: true });

    expect(accepted.exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
  });
});
