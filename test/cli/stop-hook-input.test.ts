import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { type Answer, cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET, GAUNTLET_LINE } from "../rig/program.ts";

const [PROGRAM, ...ITS_ARGS] = GAUNTLET;

/** A hook whose stdin stays open until the test closes it. */
function startHook(project: GauntletProject) {
  const child = spawn(PROGRAM, [...ITS_ARGS, "stop-hook"], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });
  const stdout: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([exitCode]) => ({
    exitCode: exitCode as number | null,
    answer: JSON.parse(Buffer.concat(stdout).toString()) as Answer,
  }));
  return { stdin: child.stdin, ended };
}

/** Quotes, braces and backslashes as they are easily taken for others. */
const TRICKY = ["{", "}", '"', "\\", '\\"', '\\\\"', '{"a":"}\\"}', "\\\\"].join(" ");

const payload = (cwd: string, more: object = {}): string => JSON.stringify({ cwd, session_id: "s", ...more });

describe("reading stdin", () => {
  test("answers and ends while the host still holds stdin open, with a newline", async () => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await project.write({ "a.txt": "1" });
    const hook = startHook(project);

    hook.stdin.write(`${payload(project.root)}\n`);

    expect(await hook.ended).toMatchObject({ exitCode: 0, answer: { decision: "block" } });
  });

  test("answers and ends at the closing brace, without a newline", async () => {
    await using project = await GauntletProject.create();
    const hook = startHook(project);

    hook.stdin.write(payload(project.root));

    expect(await hook.ended).toMatchObject({ exitCode: 0, answer: { status: "no_config" } });
  });

  test("says of an event of 100 MB that it is too long", async () => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    const stdin = payload(project.root, { last_assistant_message: "x".repeat(100 * 1024 ** 2) });

    const done = await project.gauntlet(["stop-hook"], { stdin });

    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      decision: "approve",
      status: "invalid_input",
      message: expect.stringContaining("too long: more than 64 MB") as string,
    });
  });

  test("gives up on a silent host after five seconds and allows", async () => {
    await using project = await GauntletProject.create();

    const hook = startHook(project);

    expect(await hook.ended).toMatchObject({
      exitCode: 0,
      answer: { decision: "approve", status: "invalid_input" },
    });
  });

  test("stdin may be a device without an end", async () => {
    await using project = await GauntletProject.create();
    const script = 'exec "$@" </dev/zero';

    const { stdout, exitCode } = await run(["sh", "-c", script, "sh", ...GAUNTLET, "stop-hook"], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { status: "invalid_input" }]);
  });

  test("reads pieces cut anywhere, even inside a character", async () => {
    await using project = await GauntletProject.create(
      { "grüße/日本/.gauntlet/config.yml": "checks:\n  red: exit 1\n" },
      { git: false },
    );
    const hook = startHook(project);

    for (const byte of Buffer.from(payload(`${project.root}/grüße/日本`, { message: TRICKY }))) {
      hook.stdin.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await hook.ended).toMatchObject({ answer: { decision: "block" } });
  });

  test.each([
    [
      "pretty-printed",
      (root: string) => JSON.stringify({ cwd: root, message: 'a { } \\ " b' }, undefined, 2),
    ],
    [
      "with CRLF",
      (root: string) => `${JSON.stringify({ cwd: root }, undefined, 2).replaceAll("\n", "\r\n")}\r\n`,
    ],
    ["with a byte order mark", (root: string) => `\uFEFF${payload(root)}\n`],
    ["with text after it", (root: string) => `${payload(root, { message: TRICKY })}\nand more { text`],
    ["of a megabyte", (root: string) => payload(root, { last_assistant_message: 'ü{"}'.repeat(400_000) })],
  ])("reads an event %s", async (_, write) => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await project.write({ "a.txt": "1" });
    const hook = startHook(project);

    hook.stdin.write(write(project.root));

    expect(await hook.ended).toMatchObject({ exitCode: 0, answer: { decision: "block" } });
  });

  test("a newline ends what cannot be an event, without waiting", async () => {
    await using project = await GauntletProject.create();
    const hook = startHook(project);

    hook.stdin.write("hello\n");

    expect(await hook.ended).toMatchObject({ answer: { status: "invalid_input" } });
  });

  test.each([
    ["a file", "< event.json", "no_config"],
    ["an empty device", "< /dev/null", "invalid_input"],
    ["closed", "<&-", "invalid_input"],
  ])("stdin may be %s", async (_, from, status) => {
    await using project = await GauntletProject.create();
    await project.write({ "event.json": payload(project.root) });
    const command = `${GAUNTLET_LINE} stop-hook ${from}`;

    const done = await run(["sh", "-c", command], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(JSON.parse(done.stdout)).toMatchObject({ decision: "approve", status });
  });

  test("a Node that warns of every deprecated call has nothing to say", async () => {
    await using project = await GauntletProject.create();

    const done = await project.gauntlet(["stop-hook"], {
      stdin: payload(project.root),
      env: { NODE_OPTIONS: "--pending-deprecation --throw-deprecation" },
    });

    expect(JSON.parse(done.stdout)).toMatchObject({ status: "no_config" });
    expect(done.stderr).not.toContain("DEP0111");
  });

  test("unknown flags and hosts never make the hook fail", async () => {
    await using project = await GauntletProject.create();

    const done = await project.gauntlet(["stop-hook", "--frobnicate", "--host", "nobody"], {
      stdin: payload(project.root),
    });

    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ decision: "approve" });
  });

  test("a background process of a gate never holds the hook's stdout", async () => {
    await using project = await GauntletProject.withChecks({ server: "sleep 60 & exit 1" });
    await project.write({ "a.txt": "1" });

    const { answer } = await project.stop();

    expect(answer.decision).toBe("block");
  });
});
