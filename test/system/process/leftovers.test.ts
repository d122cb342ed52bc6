import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { absolutePath, projectPath } from "../../../src/path.ts";
import { elapsedMs } from "../../../src/system/clock.ts";
import { endLeftovers, endOrphans, GateGroups } from "../../../src/system/process/leftovers.ts";
import { RUN_ID_VARIABLE } from "../../../src/system/process/environment.ts";
import { type LogDir, logDirOf } from "../../../src/system/logs/log-dir.ts";
import { beganAt, bootId, elapsedIn, groupsInListing, isAlive } from "../../../src/system/process/group.ts";
import { kill } from "../../rig/processes.ts";
import { tempDir } from "../../rig/temp-dir.ts";

async function logDir(): Promise<LogDir> {
  const dir = await tempDir();
  onTestFinished(() => dir[Symbol.asyncDispose]());
  const logs = logDirOf(absolutePath(dir.path), projectPath("logs"));
  mkdirSync(logs.stateDir, { recursive: true });
  return logs;
}

/** A process in its own group, as a gate is. */
async function group(env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn("sh", ["-c", "echo ready; exec sleep 600"], {
    detached: true,
    env: { PATH: process.env["PATH"], ...env },
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    if (isAlive(pid)) kill(-pid, "SIGKILL");
  });
  await once(child.stdout, "data");
  return pid;
}

function dead(runId = "run") {
  return { runId, pid: 1, bootId: bootId(), since: "" };
}

test("ends the groups a dead run wrote down, and the list is gone", async () => {
  const logs = await logDir();
  const since = elapsedMs();
  const pid = await group();
  new GateGroups(logs).record(pid, since);

  await endLeftovers(logs, dead());
  const second = await group();
  await endLeftovers(logs, dead());

  expect(isAlive(pid)).toBe(false);
  expect(isAlive(second)).toBe(true);
});

test("a pid that now belongs to another process is never touched", async () => {
  const logs = await logDir();
  const pid = await group();
  const before = Number(beganAt(pid));
  appendFileSync(
    join(logs.stateDir, "groups"),
    `${pid} ${before - 3_100} ${before - 3_000}\n${pid} ${before + 3_000} ${before + 3_100}\n${pid}\nnonsense\n\n-1 5 6\n`,
  );

  await endLeftovers(logs, dead());

  expect(isAlive(pid)).toBe(true);
});

test.runIf(process.platform === "linux")("groups of another pid namespace are never touched", async () => {
  const logs = await logDir();
  const since = elapsedMs();
  const pid = await group({ [RUN_ID_VARIABLE]: "run" });
  new GateGroups(logs).record(pid, since);

  await endLeftovers(logs, { ...dead(), namespace: "pid:[1]" });

  expect(isAlive(pid)).toBe(true);
});

test.runIf(process.platform === "linux")(
  "ends what carries the mark of the dead process itself",
  async () => {
    const logs = await logDir();
    const pid = await group({ [RUN_ID_VARIABLE]: "own" });

    await endLeftovers(logs, { ...dead(), mark: "own" });

    expect(isAlive(pid)).toBe(false);
  },
);

test("groups of an earlier boot are never touched", async () => {
  const logs = await logDir();
  const since = elapsedMs();
  const pid = await group();
  new GateGroups(logs).record(pid, since);

  await endLeftovers(logs, { ...dead(), bootId: "earlier" });

  expect(isAlive(pid)).toBe(true);
});

test.runIf(process.platform === "linux")(
  "ends what carries the dead run's mark although nothing was written down, and nothing of another run",
  async () => {
    const logs = await logDir();
    const marked = await group({ [RUN_ID_VARIABLE]: "run" });
    const other = await group({ [RUN_ID_VARIABLE]: "another-run" });

    await endLeftovers(logs, dead());

    expect([isAlive(marked), isAlive(other)]).toEqual([false, true]);
  },
);

test.runIf(process.platform === "linux")(
  "ends what dead processes started for themselves; not what a gate left, nor what a living process needs",
  async () => {
    const gone = spawnSync("true").pid;
    const orphan = await group({ [RUN_ID_VARIABLE]: `${gone}-abc-def` });
    const daemon = await group({ [RUN_ID_VARIABLE]: `${gone}-abc-def`, GAUNTLET_STOP_HOOK_ACTIVE: "1" });
    const needed = await group({ [RUN_ID_VARIABLE]: `${process.pid}-abc-def` });
    const strange = await group({ [RUN_ID_VARIABLE]: "run" });

    await endOrphans();

    expect([orphan, daemon, needed, strange].map(isAlive)).toEqual([false, true, true, true]);
  },
);

test("what `ps -E` prints on macOS names the groups of processes that carry a mark", () => {
  const listing = [
    "  501 /bin/sleep 60 HOME=/Users/a GAUNTLET_RUN_ID=run-1 PATH=/bin",
    "  501 sh -c true GAUNTLET_RUN_ID=run-1",
    "  777 node server.js GAUNTLET_RUN_ID=run-10",
    "  888 grep GAUNTLET_RUN_ID= /etc/hosts",
    "    1 /sbin/launchd GAUNTLET_RUN_ID=run-1",
    "",
  ].join("\n");

  expect(groupsInListing(listing, "GAUNTLET_RUN_ID=run-1")).toEqual([501]);
});

test("of groups that were started together, all are ended", async () => {
  const logs = await logDir();
  const groups = new GateGroups(logs);
  const pids = [];
  for (let count = 0; count < 4; count++) {
    const since = elapsedMs();
    const pid = await group();
    groups.record(pid, since);
    pids.push(pid);
  }

  await endLeftovers(logs, dead());

  expect(pids.map(isAlive)).toEqual([false, false, false, false]);
});

test("a process that is gone did not begin at any time", () => {
  expect(beganAt(2 ** 30)).toBe(undefined);
});

test.each([
  ["00:07", 7_000],
  ["  01:00\n", 60_000],
  ["02:00:01", 7_201_000],
  ["3-00:00:00", 259_200_000],
  ["", undefined],
  ["ELAPSED", undefined],
])("ps prints %j for a process that runs for %s ms", (text, ms) => {
  expect(elapsedIn(text)).toBe(ms);
});
