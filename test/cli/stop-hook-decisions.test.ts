import { describe, expect, test } from "vitest";
import { BARE_PATH } from "../rig/bare-path.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const RED = "echo src/a.ts:3:7: error: x is not defined; exit 1";

describe("stop hook protocol compliance", () => {
  test("Valid hook input: session, cwd and flag are read, unknown fields are fine", async () => {
    await using project = await GauntletProject.withChecks({ pass: "true" }, { "a.txt": "1" });
    await project.write({ "a.txt": "2" });

    const { answer, exitCode } = await project.stop({
      transcript_path: "/x",
      permission_mode: "default",
      novelty: [1, { a: 2 }],
    });

    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
  });

  test.each([
    ["not JSON", "no json here\n"],
    ["empty", ""],
    ["white space", "  \n\n"],
    ["a number", "7\n"],
    ["null", "null\n"],
    ["a list", '[{"cwd":"/"}]\n'],
    ["a string", '"Stop"\n'],
    ["cut off", '{"session_id":"x"'],
  ])("Missing or invalid JSON (%s): the stop is allowed and no gate runs", async (_, stdin) => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    const done = await project.gauntlet(["stop-hook"], { stdin });

    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ decision: "approve", status: "invalid_input" });
    expect(project.has("gauntlet_logs")).toBe(false);
  });
});

describe("infinite loop prevention", () => {
  test("stop_hook_active is true: allowed at once, without looking for a configuration", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ ".gauntlet/config.yml": "broken: [" });

    const { answer } = await project.stop({ stop_hook_active: true });

    expect(answer).toMatchObject({ decision: "approve", status: "stop_hook_active" });
    expect(answer.systemMessage).toBeUndefined();
  });

  test("stop_hook_active is false: the gates run", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop({ stop_hook_active: false })).answer).toMatchObject({
      decision: "block",
      status: "failed",
    });
  });

  test.each(["GAUNTLET_STOP_HOOK_ACTIVE", "GAUNTLET_STOP_HOOK_ACTIVE_ENV"])(
    "Environment variable check before stdin: %s answers without waiting for input",
    async (variable) => {
      await using project = await GauntletProject.withChecks({ red: RED });

      const done = await project.gauntlet(["stop-hook"], { env: { [variable]: "1" }, stdin: "garbage" });

      expect(done.exitCode).toBe(0);
      expect(JSON.parse(done.stdout)).toMatchObject({ decision: "approve", status: "stop_hook_active" });
    },
  );
});

describe("gauntlet project detection", () => {
  test("No gauntlet config exists: allowed, nothing is written", async () => {
    await using project = await GauntletProject.create({ "a.txt": "1" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "no_config" });
    expect((await project.git("status", "--porcelain")).trim()).toBe("?? a.txt");
  });

  test("Gauntlet config exists: the gauntlet runs", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop()).answer.decision).toBe("block");
  });

  test("a stop from a subdirectory is gated by the project above it", async () => {
    await using project = await GauntletProject.withChecks({ red: RED }, { "src/deep/a.txt": "1" });
    await project.write({ "src/deep/a.txt": "2" });

    expect((await project.stop({ cwd: `${project.root}/src/deep` })).answer.decision).toBe("block");
  });

  test("a directory that was just deleted does not switch the gate off", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop({ cwd: `${project.root}/gone/deeper` })).answer.decision).toBe("block");
  });

  test("a configuration above the root of the git work tree gates nothing", async () => {
    await using outer = await GauntletProject.create(
      { ".gauntlet/config.yml": `checks:\n  red: "${RED}"\n`, "inner/a.txt": "1" },
      { git: false },
    );
    await outer.git("init", "--quiet", "inner");

    expect((await outer.stop({ cwd: `${outer.root}/inner` })).answer.status).toBe("no_config");
  });

  test("the event's cwd decides, not the directory of the hook process", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop({}, { cwd: "/" })).answer.decision).toBe("block");
    expect((await project.stop({ cwd: "/" })).answer.status).toBe("no_config");
  });

  test("without a cwd in the event the hook's own directory counts", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop({ cwd: undefined })).answer.decision).toBe("block");
  });
});

describe("gauntlet execution", () => {
  test("the gates run in the hook's own process, with no agent-gauntlet on PATH", async () => {
    await using project = await GauntletProject.withChecks({
      red: "command -v agent-gauntlet && exit 0; exit 1",
    });
    await project.write({ "a.txt": "changed" });

    const { answer } = await project.stop({}, { env: { PATH: BARE_PATH } });

    expect(answer.decision).toBe("block");
  });

  test("Gauntlet execution error: a broken configuration allows the stop and tells the user what and where", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": "checks:\n  test: [1]\n" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toContain(".gauntlet/config.yml:2:9");
  });

  test("Gauntlet execution error: a gate that cannot start does not block, is no pass, and the user is notified", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  lost:\n    command: 'true'\n    working_directory: nowhere\n",
    });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toContain("nowhere does not exist");
    expect((await project.stop()).answer.status).toBe("error");
  });

  test("Executor returns interval_not_elapsed: approved with that status", async () => {
    await using project = await GauntletProject.withChecks({ pass: "true" });
    await project.write({
      ".gauntlet/config.yml": "checks:\n  pass: 'true'\nstop_hook:\n  run_interval_minutes: 10\n",
      "a.txt": "first",
    });
    await project.stop();
    await project.write({ "a.txt": "changed" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "approve", status: "interval_not_elapsed" });
    expect(answer.message).toMatch(/10 min.*Changes since then were not checked\./);
  });

  test("the interval never applies after a failed run", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  red: "${RED}"\nstop_hook:\n  run_interval_minutes: 10\n`,
    });

    await project.stop();

    expect((await project.stop()).answer.status).toBe("failed");
  });

  test.each([
    ["GAUNTLET_STOP_HOOK_ENABLED", "false"],
    ["GAUNTLET_STOP_HOOK_ENABLED", "0"],
  ])("%s=%s switches the hook off, and says so", async (name, value) => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop({}, { env: { [name]: value } })).answer).toMatchObject({
      decision: "approve",
      status: "stop_hook_disabled",
      message: expect.stringContaining("disabled") as unknown,
    });
  });
});

describe("termination conditions", () => {
  test("Status Passed: allowed", async () => {
    await using project = await GauntletProject.withChecks({ pass: "true" });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop()).answer).toMatchObject({ decision: "approve", status: "passed" });
  });

  test("Status Passed with warnings: allowed", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  soft:\n    command: exit 1\n    warn_only: true\n",
    });

    expect((await project.stop()).answer).toMatchObject({
      decision: "approve",
      status: "passed_with_warnings",
    });
  });

  test("Status Retry limit exceeded: allowed, loudly", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  red: "${RED}"\nmax_retries: 2\n`,
    });

    const answers = [await project.stop(), await project.stop(), await project.stop()].map(
      ({ answer }) => answer,
    );

    expect(answers.map(({ status }) => status)).toEqual(["failed", "failed", "retry_limit_exceeded"]);
    expect(answers[2]?.decision).toBe("approve");
    expect(answers[2]?.systemMessage).toContain("red failed: exit code 1");
  });

  test("a gate that prints 'Status: Passed' and exits with 1 still blocks", async () => {
    await using project = await GauntletProject.withChecks({ liar: "echo Status: Passed; exit 1" });
    await project.write({ "a.txt": "changed" });

    expect((await project.stop()).answer.decision).toBe("block");
  });

  test("no changes, no gates: allowed", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });

    expect((await project.stop()).answer).toMatchObject({ decision: "approve", status: "no_changes" });
  });
});

describe("block decision output", () => {
  test("Block with reason and Output format: one line of JSON, exit 0, nothing else on stdout, never `continue`", async () => {
    await using project = await GauntletProject.withChecks({
      lint: RED,
      noisy: "echo to stdout; echo to stderr >&2; exit 3",
    });
    await project.write({ "a.txt": "changed" });

    await project.write({
      ".gauntlet/config.yml": `stop_hook: { when_active: enforce }\n${project.read(".gauntlet/config.yml")}`,
    });

    const done = await project.stop();

    expect(done.exitCode).toBe(0);
    expect(done.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(Object.keys(done.answer)).toEqual(["decision", "reason", "status", "message"]);
    expect(done.answer.reason).toMatch(/^Gauntlet gates did not pass: lint, noisy \(2 of 2\)\.\n/);
    expect(done.answer.reason).toContain("── lint failed: exit code 1 ──");
    expect(done.answer.reason).toContain("src/a.ts:3:7");
    expect(done.answer.reason).toContain("gauntlet_logs/check_._noisy.1.log");
    expect(done.answer.reason).toMatch(/\nAttempt 1 of 3: you can be sent back 2 more times\.$/);
  });

  test("stderr names the steps", async () => {
    await using project = await GauntletProject.withChecks({ red: RED });
    await project.write({ "a.txt": "changed" });

    const blocked = await project.stop();
    const elsewhere = await project.stop({ cwd: "/" });
    const active = await project.stop({ stop_hook_active: true });

    expect(blocked.stderr).toBe(
      "[gauntlet] Starting gauntlet validation...\n[gauntlet] Running gauntlet gates...\n[gauntlet] Gauntlet failed, blocking stop\n",
    );
    expect(elsewhere.stderr).toBe(
      "[gauntlet] Starting gauntlet validation...\n[gauntlet] No gauntlet config found, allowing stop\n",
    );
    expect(active.stderr).toContain("[gauntlet] Stop hook already active, allowing stop\n");
  });

  test("the reason keeps to its budget, without colours, and shares it between the gates", async () => {
    const flood =
      "for i in $(seq 2000); do printf '\\033[31merror\\033[0m: problem number %s with some words 😀\\n' $i; done; exit 1";
    await using project = await GauntletProject.withChecks({
      one: flood,
      two: flood,
      small: "echo tiny problem; exit 1",
    });
    await project.write({ "a.txt": "changed" });

    const { answer } = await project.stop();

    const reason = answer.reason ?? "";
    expect(reason.length).toBeLessThanOrEqual(9000);
    expect(reason.length).toBeGreaterThan(6000);
    expect(reason).not.toContain("\u001b");
    expect(reason).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
    expect(reason).toContain("tiny problem");
    for (const name of ["one", "two"]) expect(reason).toContain(`── ${name} failed: exit code 1 ──`);
  });

  test("fix_instructions reach the agent", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  lint:\n    command: exit 1\n    fix_instructions: fix-lint.md\n",
      ".gauntlet/fix-lint.md": "Run the formatter, then sort the imports.",
    });

    expect((await project.stop()).answer.reason).toContain("Run the formatter, then sort the imports.");
  });

  test("every block stands alone: what is as it was takes one line, what is new is told in full", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "stop_hook: { when_active: enforce }\nchecks: { lint: 'cat lint.log; exit 1', odd: 'echo odd one out; exit 1' }\n",
      "lint.log": `src/a.ts:3:7: error: x is not defined\n    3 | x\n      | ^\n`,
    });

    const first = (await project.stop()).answer.reason ?? "";
    await project.write({ "a.txt": "another try" });
    const second = (await project.stop({ stop_hook_active: true })).answer.reason ?? "";
    await project.write({ "lint.log": `src/b.ts:1:1: error: y is new\n${project.read("lint.log")}` });
    const third = (await project.stop({ stop_hook_active: true })).answer.reason ?? "";

    expect(first).toContain("src/a.ts:3:7 error: x is not defined\n    3 | x\n      | ^\n");
    expect(second).toContain("── lint failed: exit code 1, same failure as before ──");
    expect(second).toContain("\nsrc/a.ts:3:7 error: x is not defined\n");
    expect(second).toContain("── odd failed: exit code 1, same output as before ──\n```\nodd one out\n");
    expect(second).toMatch(/\nAttempt 2 of 3: you can be sent back 1 more time\.$/);
    expect(third).toContain("── lint failed: exit code 1 ──");
    expect(third).toMatch(/src\/b\.ts:1:1 error: y is new\n[^]*src\/a\.ts:3:7 error: x is not defined\n/);
    expect(third).toMatch(/If you cannot fix it, stop and tell the user what still fails and why\.$/);
  });
});
