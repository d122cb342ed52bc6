import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { passFile } from "../rig/state-files.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";
import { kill, pidNamespace, survivors } from "../rig/processes.ts";
import { tempDir } from "../rig/temp-dir.ts";

const NO_MOUNTS = "mounting needs privileges that are lacking here";
const SLOW_AND_RED = { red: "exit 1", ok: "true" };

async function changed(checks: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks(checks);
  await project.write({ "a.txt": "1" });
  return project;
}

/** No false pass, no trace of our insides, and words a person can act on. */
function expectTrouble(done: Finished, words: RegExp): void {
  expect(done.exitCode).toBe(1);
  expect(done.stdout).toMatch(/Status: Error\n$/);
  expect(done.stderr).toMatch(words);
  expect(done.stderr).not.toMatch(/^\s+at /m);
  expect(done.stderr).not.toContain("internal error");
}

describe("a log_dir that cannot be used: a clear message, no hang, no false pass", () => {
  test.each([
    [
      "is a file",
      (path: string) => writeFileSync(path, ""),
      /Cannot write to the log directory .*gauntlet_logs: /,
    ],
    [
      "is a dangling link",
      (path: string) => symlinkSync("/nowhere/at/all", path),
      /gauntlet_logs: it is a symbolic link/,
    ],
    [
      "is a link to itself",
      (path: string) => symlinkSync("gauntlet_logs", path),
      /gauntlet_logs: it is a symbolic link/,
    ],
    ["has a file for its state", stateIsAFile, /gauntlet_logs: /],
  ])("it %s", async (_, spoil, words) => {
    await using project = await changed({ ok: "true" });
    spoil(join(project.root, "gauntlet_logs"));

    expectTrouble(await project.gauntlet(["run"]), words);
    const { answer, exitCode } = await project.stop();

    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toMatch(words);
  });

  test("it is on a read-only file system", async ({ skip }) => {
    await using project = await changed({ ok: "true" });
    const dir = join(project.root, "gauntlet_logs");
    mkdirSync(dir);
    using _mounted = mount("-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", dir) ?? skip(NO_MOUNTS);

    expectTrouble(await project.gauntlet(["run"]), /gauntlet_logs: the disk is read-only/);
    expect((await project.stop()).answer).toMatchObject({ decision: "approve", status: "error" });
    expect((await project.gauntlet(["status"])).exitCode).toBe(0);
    expect((await project.gauntlet(["clean"])).stderr).toContain("the disk is read-only");
    expect((await project.gauntlet(["baseline"])).stderr).toMatch(/^Cannot write .*: the disk is read-only/);
  });

  test("a gate removes it while it runs: the answer is still right, and the next run starts over", async () => {
    await using project = await changed({ sweeper: "rm -rf gauntlet_logs; exit 1", ok: "true" });

    const first = await project.gauntlet(["run"]);
    const second = await project.gauntlet(["run"]);

    expect([first, second].map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(first.stdout).toMatch(/Status: Failed\n$/);
    expect(second.stdout).toMatch(/Status: Failed\n$/);
    expect(project.has("gauntlet_logs/.gauntlet-run.lock")).toBe(false);
  });
});

describe("a full disk", () => {
  /** A state directory that cannot be made. */
  const NO_STATE = { XDG_STATE_HOME: "/dev/null/nowhere" };
  const FILL = "dd if=/dev/zero of=gauntlet_logs/check_ballast.0.log bs=4k 2>/dev/null";

  test("before the run: it says that the disk is full", async ({ skip }) => {
    await using project = await changed(SLOW_AND_RED);
    using _mounted = shrink(project) ?? skip(NO_MOUNTS);
    spawnSync("sh", ["-c", FILL], { cwd: project.root });

    expectTrouble(await project.gauntlet(["run"]), /the disk is full/);
  });

  test("by a gate's output: the gate that passed has passed, with a warning that its log is cut off", async ({
    skip,
  }) => {
    await using project = await changed({ loud: `${FILL}; seq 100000` });
    using _mounted = shrink(project) ?? skip(NO_MOUNTS);

    const run = await project.gauntlet(["run"]);

    expect(run.stdout).toMatch(/its log is incomplete: ENOSPC/);
    expect(run.stdout).toMatch(/Status: Passed with warnings\n$/);
  });

  test("when a block cannot be counted the stop is allowed, with a notice: it might be blocked indefinitely", async ({
    skip,
  }) => {
    await using project = await changed({ red: `${FILL}; exit 1` });
    using _mounted = shrink(project) ?? skip(NO_MOUNTS);

    const { answer } = await project.stop({}, { env: NO_STATE });
    const run = await project.gauntlet(["run"], { env: NO_STATE });

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toMatch(/red failed: exit code 1; the attempt cannot be recorded/);
    expect(answer.systemMessage).not.toContain("was not checked");
    expect(answer.systemMessage?.match(/Cannot write .*sessions/g)).toHaveLength(1);
    expect(run.stdout + run.stderr).not.toContain("stop");
  });

  test("a pass that cannot be recorded is still a pass, and the user is notified", async () => {
    const state = "gauntlet_logs/.state";
    await using project = await changed({ ok: `rm -rf ${state}; echo in the way > ${state}` });

    const run = await project.gauntlet(["run"], { env: NO_STATE });
    rmSync(join(project.root, state));
    await project.write({ "a.txt": "changed again\n" });
    const { answer } = await project.stop({}, { env: NO_STATE });

    expect(run.stdout).toMatch(/\[WARN\] This run is not recorded\. Cannot write/);
    expect(run.stdout).toMatch(/Status: Passed\n$/);
    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(answer.systemMessage).toContain("is not recorded");
  });

  test.skipIf(process.platform !== "linux")(
    "a home where no directory can be made: the stop is answered",
    async () => {
      await using project = await changed({ red: "exit 3" });

      const { answer } = await project.stop({}, { env: { HOME: "/proc" } });

      expect(answer).toMatchObject({ decision: "block", status: "failed" });
    },
  );

  test("no temporary directory: no shortcut, but the gates run", async () => {
    await using project = await changed({ ok: "true" });

    const run = await project.gauntlet(["run"], { env: { TMPDIR: "/nowhere/at/all" } });

    expect(run.stdout).toMatch(/Status: Passed\n$/);
    expect((await project.json(["status"]))["lastPass"]).toBeNull();
  });

  test.each([
    ["true", "passed"],
    ["false", "failed"],
  ])("a gate clears the temporary directory: its answer counts all the same (%s)", async (end, status) => {
    await using project = await GauntletProject.withChecks({ clears: `rm -rf "$TMPDIR"; ${end}` });
    await project.write({ "a.txt": "1", "../tmp/x": "" });

    const { answer } = await project.stop({}, { env: { TMPDIR: join(project.root, "../tmp") } });

    expect(answer.status).toBe(status);
  });

  test("files may not grow (ulimit -f): reported, never a silent pass", async () => {
    await using project = await changed({ loud: "node -e 'process.stdout.write(\"x\".repeat(3e6))'" });

    const done = await run(["bash", "-c", `trap '' XFSZ; ulimit -f 1024; exec ${GAUNTLET_LINE} run`], {
      cwd: project.root,
      env: cleanEnv(project.home),
    });

    expect(done.stdout).toMatch(/its log is incomplete: EFBIG/);
    expect(done.stdout).toMatch(/Status: Passed with warnings\n$/);
  });

  test("a disk that takes half of a verdict: the ledger is whole once there is room", async () => {
    await using project = await changed({ ok: "true" });
    for (let runs = 0; runs < 5; runs++)
      await run(["bash", "-c", `trap '' XFSZ; ulimit -f 1; exec ${GAUNTLET_LINE} run`], {
        cwd: project.root,
        env: cleanEnv(project.home),
      });
    const { size } = statSync(join(passFile(project), "../ledger.jsonl"));

    await project.gauntlet(["run"]);

    expect(size).toBe(1024); // the last of them was cut off
    expect((await project.gauntlet(["log", "--check"])).stdout).toMatch(/^✓ The ledger is as it was written/);
  });
});

describe("killed runs", () => {
  test("a run killed while its gates run: the next one ends them, runs, and leaves no litter", async () => {
    await using gate = await ControlledCommand.create();
    await using temp = await tempDir();
    await using project = await changed({ slow: `${gate.command()}; true` });
    const env = { TMPDIR: temp.path, MARK: project.root };
    let pid = 0;
    const killed = project.gauntlet(["run"], { env, onSpawn: (own) => (pid = own) });
    const orphan = await gate.started();
    kill(pid, "SIGKILL");
    await killed;

    const next = project.gauntlet(["run"], { env });
    await orphan.gone;
    (await gate.started()).exit(0);

    expect((await next).stdout).toMatch(/Status: Passed\n$/);
    expect(survivors(`MARK=${project.root}`)).toEqual([]);
    expect(readdirSync(temp.path)).toEqual([]);
    expect(readdirSync(join(project.root, "gauntlet_logs")).filter((name) => name.includes("lock"))).toEqual(
      [],
    );
  });

  test("clean ends what a killed run left, too", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await changed({ slow: gate.command() });
    let pid = 0;
    const killed = project.gauntlet(["run"], { onSpawn: (own) => (pid = own) });
    const orphan = await gate.started();
    kill(pid, "SIGKILL");
    await killed;

    const clean = await project.gauntlet(["clean"]);
    await orphan.gone;

    expect(clean.exitCode).toBe(0);
  });

  test("scratch directories of killed processes are swept, those of living ones stay", async () => {
    await using temp = await tempDir();
    await using project = await changed({ ok: "true" });
    const dead = spawnSync("true").pid;
    const [namespace = "0"] = /\d+/.exec(pidNamespace()) ?? [];
    const alive = [
      `gauntlet-fingerprint-${process.pid}-abc`,
      `gauntlet-baseline-${process.pid}-${namespace}-abc`,
    ];
    const elsewhere = `gauntlet-fingerprint-${dead}-1-abc`; // in a container over the same directory
    const left = [`gauntlet-fingerprint-${dead}-abc`, `gauntlet-scratch-${dead}-${namespace}-abc`];
    for (const name of [...alive, elsewhere, ...left]) mkdirSync(join(temp.path, name));

    await project.gauntlet(["run"], { env: { TMPDIR: temp.path } });

    expect(readdirSync(temp.path).toSorted()).toEqual([...alive, elsewhere].toSorted());
  });

  test.for<[string, Readonly<Record<string, string>>, string]>([
    ["whose files go through a filter", { ok: "true" }, "a.txt filter=same\n"],
    ["on which it gave up", { no: "exit 1" }, ""],
  ])(
    "those of a stop killed while it looked at a tree %s are swept by the next, which needs no run",
    async ([, checks, attributes]) => {
      await using temp = await tempDir();
      await using project = await changed(checks);
      await project.git("config", "filter.same.clean", "cat");
      await project.write({
        ".gitattributes": attributes,
        ".gauntlet/config.yml": `max_retries: 0\n${project.read(".gauntlet/config.yml")}`,
      });
      const env = { TMPDIR: temp.path };
      await project.stop({}, { env });
      mkdirSync(join(temp.path, `gauntlet-fingerprint-${spawnSync("true").pid}-abc`));

      const { stderr } = await project.stop({}, { env });

      expect(stderr).not.toContain("[START]");
      expect(readdirSync(temp.path)).toEqual([]);
    },
  );
});

test("12 runs at once: gates never overlap, and runs that cannot start say so", async () => {
  await using project = await changed({ alone: "mkdir ../alone || exit 9; sleep 0.2; rmdir ../alone" });

  const runs = await Promise.all(Array.from({ length: 12 }, () => project.json(["run"])));
  const statuses = runs.map(({ status }) => status);

  expect(statuses).toContain("passed");
  expect(statuses.filter((status) => status !== "passed" && status !== "lock_conflict")).toEqual([]);
  expect(readdirSync(join(project.root, "gauntlet_logs")).filter((name) => name.includes("lock"))).toEqual(
    [],
  );
});

/** Disposed before the project it lies in, or the project could not be removed. */
function mount(...args: readonly string[]): Disposable | undefined {
  const done = spawnSync("mount", args, { stdio: "ignore" });
  if (done.status !== 0) return undefined;
  return { [Symbol.dispose]: () => void spawnSync("umount", ["-l", args.at(-1) ?? ""]) };
}

function stateIsAFile(path: string): void {
  mkdirSync(path);
  writeFileSync(join(path, ".state"), "");
}

/** log_dir on its own file system, which holds 256 KB. */
function shrink(project: GauntletProject): Disposable | undefined {
  const dir = join(project.root, "gauntlet_logs");
  mkdirSync(dir);
  return mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", dir);
}

describe("a stdout that cannot be written", () => {
  test.each(["--help", "run --help", "list", "status"])(
    "because its reader has gone (%s | true) is no trouble",
    async (words) => {
      await using project = await GauntletProject.withChecks({ ok: "true" });

      expect(await shell(project, `GAUNTLET ${words} | true`)).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  test.each(["--help", "list", "status"])(
    "because the disk is full (%s) is reported in words",
    async (words) => {
      await using project = await GauntletProject.withChecks({ ok: "true" });

      const done = await shell(project, `GAUNTLET ${words} >/dev/full`);

      expect(done).toMatchObject({
        exitCode: 1,
        stderr: "agent-gauntlet: Cannot write to stdout: the disk is full\n",
      });
    },
  );
});

function shell(project: GauntletProject, line: string): Promise<Finished> {
  return run(["sh", "-c", line.replace("GAUNTLET", GAUNTLET_LINE)], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });
}
