import { chmodSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";
import { lockRefused } from "../rig/state-files.ts";

async function configured(
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config, ...files });
  await project.commit("start");
  await project.write({ "changed.txt": "1" });
  return project;
}

test("in a directory whose path is not UTF-8 the stop is not checked, and the user sees that", async ({
  skip,
}) => {
  if (process.platform !== "linux") skip("such a name cannot be made here");
  await using project = await GauntletProject.create();
  const command = `d=$(printf 'p\\377'); mkdir -p "$d/.gauntlet" && cd "$d" && echo 'checks: { red: exit 1 }' > .gauntlet/config.yml && git init --quiet && exec ${GAUNTLET_LINE} stop-hook`;

  const done = await run(["sh", "-c", command], { cwd: project.root, env: project.env(), stdin: "{}" });

  expect(JSON.parse(done.stdout)).toMatchObject({
    status: "error",
    systemMessage: expect.stringContaining("not UTF-8") as string,
  });
});

describe("nothing that did not run says passed", () => {
  test.each([
    ["no_changes", "checks: { ok: 'true' }\n", {}, /no changes compared to .*No gate ran/],
    ["deferred", "checks: { ok: 'true' }\n", { permission_mode: "plan" }, /Nothing was checked/],
    ["stop_hook_active", "checks: { ok: 'true' }\n", { stop_hook_active: true }, /Nothing was checked/],
    [
      "stop_hook_disabled",
      "checks: { ok: 'true' }\nstop_hook: { enabled: false }\n",
      {},
      /Nothing was checked/,
    ],
    [
      "no_applicable_gates",
      "entry_points: [{ path: src, checks: [ok] }]\nchecks: { ok: 'true' }\n",
      {},
      /no gate applies.*No gate ran/,
    ],
  ] as const)("%s", async (...row) => {
    const [status, config, event, sentence] = row;
    await using project = await configured(config);
    if (status === "no_changes") await project.commit("all");
    if (status === "no_changes") await project.git("update-ref", "refs/remotes/origin/main", "HEAD");

    const { answer } = await project.stop(event);

    expect(answer).toMatchObject({ status, message: expect.stringMatching(sentence) as unknown });
    expect(answer.message).not.toMatch(/passed/i);
  });
});

describe("the reason says what really follows", () => {
  test("when_active: allow: the next stop is not checked, and no attempts are counted", async () => {
    await using project = await configured("checks: { red: exit 1 }\n");

    const { answer } = await project.stop();

    expect(answer.reason).toContain("run `agent-gauntlet run` before you stop; the next stop is not checked");
    expect(answer.reason).not.toMatch(/Attempt \d|automatically/);
  });

  test("when_active: enforce: the gates run again automatically", async () => {
    await using project = await configured("checks: { red: exit 1 }\nstop_hook: { when_active: enforce }\n");

    const { answer } = await project.stop();

    expect(answer.reason).toContain(
      "What to do now: fix these, then stop again; the gates run again automatically.\n",
    );
    expect(answer.reason).toMatch(/\nAttempt 1 of 3: you can be sent back 2 more times\.$/);
  });
});

describe("a program that is not installed", () => {
  test("is named first, blocks once per session, costs no attempt, and the user is notified", async () => {
    await using project = await configured(
      "checks: { lint: 'no-such-linter --strict .' }\nstop_hook: { when_active: enforce }\n",
    );

    const first = (await project.stop()).answer;
    const again = (await project.stop({ stop_hook_active: true })).answer;

    expect(first.decision).toBe("block");
    expect(first.reason).toMatch(
      /^.*; `no-such-linter` is not installed here\.\nWhat to do now: this is not a fault in the code\./,
    );
    expect(first.reason).toContain(
      "── lint could not do its work: `no-such-linter` is not installed here ──",
    );
    expect(first.reason).not.toMatch(/Attempt \d/);
    expect(first.systemMessage).toContain("`no-such-linter` is not installed here");
    expect(again).toMatchObject({ decision: "approve", status: "retry_limit_exceeded" });
    expect(again.systemMessage).toMatch(/^.* not everything could be checked: lint .*$/);
  });

  test.each([
    ["npm test", "no-such-runner", /`no-such-runner` is not installed here/],
    ["python3 -m no_such_runner", "true", /`no_such_runner` is not installed here/],
    ["npm test", "sh -c 'exit 127'", /failed: exit code 127/],
  ])(
    "is found behind a script runner, but not in a script of the project: %s, %s",
    async (command, script, title) => {
      await using project = await configured(
        `checks: { test: ${JSON.stringify(command)} }\nstop_hook: { when_active: enforce }\n`,
      );
      await project.write({ "package.json": JSON.stringify({ scripts: { test: script } }) });

      const { answer } = await project.stop();

      expect(answer.decision).toBe("block");
      expect(answer.reason).toMatch(title);
      expect(/Attempt 1/.test(answer.reason ?? "")).toBe(!title.source.includes("installed"));
    },
  );

  test("blocks no more often than a failure may, if the command names another one at each stop", async () => {
    await using project = await configured("checks: { lint: 'missing-0' }\n");

    const decisions: string[] = [];
    for (let count = 1; count <= 5; count++) {
      await project.write({ ".gauntlet/config.yml": `checks: { lint: 'missing-${count}' }\n` });
      decisions.push((await project.stop()).answer.decision);
    }

    expect(decisions).toEqual(["block", "block", "block", "approve", "approve"]);
  });

  test("does so no more after it was named beside other failures, and is named to the user once", async () => {
    await using project = await configured(
      "checks: { lint: 'no-such-linter .', test: 'test -e fixed' }\nstop_hook: { when_active: enforce }\n",
    );

    const first = (await project.stop()).answer;
    const second = (await project.stop({ stop_hook_active: true })).answer;
    await project.write({ fixed: "" });
    const third = (await project.stop({ stop_hook_active: true })).answer;

    expect([first.decision, second.decision, third.decision]).toEqual(["block", "block", "approve"]);
    expect([first, second].map(({ systemMessage }) => systemMessage?.includes("no-such-linter"))).toEqual([
      true,
      undefined,
    ]);
    expect(third.systemMessage).not.toContain("retry limit exceeded");
  });

  test("is looked for again once it is installed, though no file changed", async () => {
    await using project = await configured(
      "checks: { lint: 'late-linter' }\nstop_hook: { when_active: enforce }\n",
    );
    await project.stop();
    await project.stop({ stop_hook_active: true });

    const bin = join(project.root, ".git/bin");
    await project.write({ ".git/bin/late-linter": "#!/bin/sh\n" });
    chmodSync(join(bin, "late-linter"), 0o755);
    const { answer } = await project.stop({}, { env: { PATH: `${bin}:${process.env["PATH"]}` } });

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
  });

  test.each([
    ["a file of the project", "./missing.sh"],
    ["a script of the project that misses something", "sh inner.sh"],
  ])("%s is a plain failure", async (_, command) => {
    await using project = await configured(`checks: { lint: '${command}' }\n`, {
      "inner.sh": "no-such-program-inside\n",
    });

    const { answer } = await project.stop();

    expect(answer.reason).toMatch(/failed: exit code 127/);
    expect(answer.reason).not.toContain("not installed here");
  });
});

describe("another run in progress", () => {
  test("when_busy: wait waits for it and decides by the pass it recorded", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await configured(
      `checks: { slow: ${JSON.stringify(gate.command())} }\nstop_hook: { when_busy: wait }\n`,
    );
    const running = project.gauntlet(["run"]);
    const started = await gate.started();

    const refused = lockRefused(project);
    const stopping = project.stop();
    await refused;
    started.exit(0);

    expect((await running).exitCode).toBe(0);
    expect((await stopping).answer).toMatchObject({
      status: "passed",
      message: expect.stringContaining("nothing changed since run 1 passed") as unknown,
    });
  });

  test("by default the stop is allowed at once, and says that it was not checked", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await configured(`checks: { slow: ${JSON.stringify(gate.command())} }\n`);
    const running = project.gauntlet(["run"]);
    const started = await gate.started();

    const { answer } = await project.stop();
    started.exit(0);
    await running;

    expect(answer).toMatchObject({ status: "lock_conflict", decision: "approve" });
    expect(answer.message).toContain("This stop was not checked.");
  });
});

test.each([
  ["an empty file", ""],
  ["check for checks", "check: { ok: 'true' }\n"],
  ["no checks and no reviews", "checks: {}\n"],
  ["an entry point without gates", "entry_points: [{ path: . }]\nchecks: { ok: 'true' }\n"],
])("a configuration that gates nothing is shown to the user, once per session: %s", async (_, config) => {
  await using project = await configured(config);

  const first = (await project.stop()).answer;
  const withTheRest = (await project.stop()).answer; // there is room for three lines, so the second stop shows what was left over
  const last = (await project.stop()).answer;

  expect(first.systemMessage).toContain("no gate can ever run, so nothing is checked");
  expect(first.message).not.toContain("passed");
  expect(withTheRest.systemMessage ?? "").not.toContain("no gate can ever run");
  expect(last.systemMessage).toBeUndefined();
});

test("a mistake in the global configuration reaches the user of a stop hook", async () => {
  await using project = await configured("checks: { ok: 'true' }\n");
  const global = join(project.home, ".config/agent-gauntlet/config.yml");
  await project.write({ [relative(project.root, global)]: "stop_hok: {}\n" });

  const { answer } = await project.stop();

  expect(answer.systemMessage).toContain("unknown key `stop_hok` is ignored");
});

test("a warning of the configuration reaches the user once per session, in three lines at most, the rest at the next stop", async () => {
  await using project = await configured(
    "checks: { ok: 'true' }\nunknown_one: 1\nunknown_two: 2\nunknown_three: 3\nunknown_four: 4\n",
  );

  const first = (await project.stop({ session_id: "a" })).answer.systemMessage ?? "";
  await project.write({ "changed.txt": "2" });
  const second = (await project.stop({ session_id: "a" })).answer.systemMessage;
  await project.write({ "changed.txt": "3" });
  const third = (await project.stop({ session_id: "a" })).answer.systemMessage;
  const other = (await project.stop({ session_id: "b" })).answer.systemMessage ?? "";

  expect(first.split("\n").length).toBeLessThanOrEqual(3);
  expect(first).toContain("agent-gauntlet explain");
  expect(second).toContain("unknown_three");
  expect(third).toBeUndefined();
  expect(other).not.toBe("");
  const explained = (await project.gauntlet(["explain"])).stdout;
  expect(["one", "two", "three", "four"].map((key) => explained.includes(`unknown_${key}`))).not.toContain(
    false,
  );
});
