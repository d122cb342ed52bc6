import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";

const LIBRARY = resolve(import.meta.dirname, "../../dist/index.mjs");

/** Calls `executeRun` of the built package in its own process, which must live on after it. */
async function callLibrary(project: GauntletProject, request: string) {
  const script = `
    import { executeRun, STATUSES } from ${JSON.stringify(LIBRARY)};
    const events = [];
    const onEvent = (event) => events.push(event.kind);
    const result = await executeRun({ cwd: process.cwd(), onEvent, ...${request} });
    process.stderr.write(JSON.stringify({ result, events, known: STATUSES.includes(result.status) }));
    process.exitCode = 42;`;
  const done = await run([process.execPath, "--input-type=module", "-e", script], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });
  return { ...done, told: JSON.parse(done.stderr) as Told };
}

interface Told {
  readonly result: Record<string, unknown>;
  readonly events: readonly string[];
  readonly known: boolean;
}

describe("executeRun as a library", () => {
  test("reports the result of the gates; never exits, never writes to stdout", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": 'checks:\n  ok: "echo out; echo err >&2"\n  red: exit 1\n',
    });

    const { told, stdout, exitCode } = await callLibrary(project, "{}");

    expect(stdout).toBe("");
    expect(exitCode).toBe(42);
    expect(told.result).toMatchObject({
      status: "failed",
      gatesRun: 2,
      gatesFailed: 1,
      runNumber: 1,
      consoleLogPath: "gauntlet_logs/console.1.log",
      attemptsLeft: 2,
      outcomes: [{ kind: "passed" }, { kind: "failed", detail: "exit code 1" }],
    });
    expect(told.events[0]).toBe("run-planned");
    expect(told.events.toSorted()).toEqual(
      ["run-planned", "gate-started", "gate-started", "gate-finished", "gate-finished"].toSorted(),
    );
  });

  test("an aborted signal ends the gates and is reported", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  slow: exec sleep 600\n",
    });

    const abortOnStart = `(() => {
      const controller = new AbortController();
      const onEvent = ({ kind }) => { if (kind === "gate-started") controller.abort(); };
      return { signal: controller.signal, onEvent };
    })()`;

    const { told } = await callLibrary(project, abortOnStart);

    expect(told.result).toMatchObject({
      status: "error",
      errorMessage: expect.stringContaining("slow cancelled"),
    });
  });

  test("two calls in one process: one runs, the other says that one is running", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  slow: ${JSON.stringify(gate.command())}\n`,
    });
    const script = `
      import { executeRun } from ${JSON.stringify(LIBRARY)};
      const first = executeRun({ cwd: process.cwd(), onEvent: async ({ kind }) => {
        if (kind !== "gate-started") return;
        const second = await executeRun({ cwd: process.cwd() });
        process.stderr.write(second.status + " ");
      } });
      process.stderr.write((await first).status);`;
    const running = run([process.execPath, "--input-type=module", "-e", script], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    const started = await gate.started();
    await expect.poll(() => project.has("gauntlet_logs/.gauntlet-run.lock")).toBe(true);
    started.exit(0);

    expect((await running).stderr.split(" ").toSorted()).toEqual(["lock_conflict", "passed"]);
  });

  test.for([
    ["no configuration", {}, "{}", "no_config"],
    ["a directory that does not exist", {}, '{ cwd: "/nowhere/at/all" }', "no_config"],
    ["a broken configuration", { ".gauntlet/config.yml": "checks: [" }, "{}", "error"],
    ["an unknown gate", { ".gauntlet/config.yml": "checks:\n  a: 'true'\n" }, '{ gates: ["b"] }', "error"],
    ["an unknown base", { ".gauntlet/config.yml": "checks:\n  a: 'true'\n" }, '{ base: "nope" }', "error"],
    [
      "an unknown commit",
      { ".gauntlet/config.yml": "checks:\n  a: 'true'\n" },
      '{ commit: "nope" }',
      "error",
    ],
    [
      "a log_dir that is a file",
      { ".gauntlet/config.yml": "checks:\n  a: 'true'\n", gauntlet_logs: "" },
      "{}",
      "error",
    ],
    [
      "a signal aborted before",
      { ".gauntlet/config.yml": "checks:\n  a: 'true'\n" },
      "{ signal: AbortSignal.abort() }",
      "error",
    ],
  ] as const)("%s is a status, never a throw", async ([, files, request, status]) => {
    await using project = await GauntletProject.create(files);
    if (!("gauntlet_logs" in files)) await project.commit("start").catch(() => {});
    await mkdir(project.root, { recursive: true });
    await writeFile(join(project.root, "changed.txt"), "");

    const { told, stdout, exitCode } = await callLibrary(project, request);

    expect(told.result["status"]).toBe(status);
    expect(told.known).toBe(true);
    expect(String(told.result["errorMessage"])).not.toBe("undefined");
    expect([stdout, exitCode]).toEqual(["", 42]);
  });
});
