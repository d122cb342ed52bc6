import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { build } from "tsdown";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { acquireLock, type Asker, type LockHolder } from "../../../src/system/state/lock.ts";
import { bootId, startTime } from "../../../src/system/process/group.ts";
import { tempDir } from "../../rig/temp-dir.ts";

async function lockPath(): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir[Symbol.asyncDispose]());
  return join(dir.path, "lock");
}

function namesBeside(path: string): readonly string[] {
  return readdirSync(join(path, "..")).toSorted();
}

/** A process that has lived and ended. */
async function deadPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "close");
  return child.pid ?? 0;
}

function holder(facts: Partial<LockHolder>): string {
  const { pid, ...rest } = facts;
  const since = "2026-01-01T00:00:00.000Z";
  return JSON.stringify({ runId: "dead-run", pid: pid ?? process.pid, bootId: bootId(), since, ...rest });
}

test("a free lock is taken, names its holder, and is gone when released", async () => {
  const path = await lockPath();

  const taken = acquireLock(path, { session: "session" });
  const written = JSON.parse(readFileSync(path, "utf8")) as LockHolder;
  if (taken.ok) taken.value[Symbol.dispose]();

  expect(written).toMatchObject({
    pid: process.pid,
    startTime: startTime(process.pid),
    bootId: bootId(),
    by: { session: "session" },
  });
  expect(Date.parse(written.since)).not.toBeNaN();
  expect(namesBeside(path)).toEqual([]);
});

test("the copy of its holder's name goes with it, unless another run has made it its own", async () => {
  const path = await lockPath();
  const copy = `${path}-copy`;
  const first = acquireLock(path, { session: "one" }, copy);
  rmSync(path); // as a gate may that removes the log directory
  const second = acquireLock(path, { session: "two" }, copy);

  if (first.ok) first.value[Symbol.dispose]();
  const meanwhile = readFileSync(copy, "utf8");
  if (second.ok) second.value[Symbol.dispose]();

  expect(meanwhile).toBe(second.ok ? second.value.runId : "");
  expect(namesBeside(path)).toEqual([]);
});

test("a held lock is refused with pid and since, and nothing is left behind", async () => {
  const path = await lockPath();
  const first = acquireLock(path, { session: "one" });

  const second = acquireLock(path, { session: "two" });

  expect(first.ok).toBe(true);
  expect(second).toMatchObject({
    ok: false,
    trouble: { kind: "lock-held", pid: process.pid, heldBy: "other" },
  });
  expect(namesBeside(path)).toEqual(["lock"]);
});

test.for<[of: string, holder: object, asker: object, heldBy: string]>([
  ["the same stop, asked twice", { session: "s", prompt: "p" }, { session: "s", prompt: "p" }, "same-stop"],
  [
    "the stop of the next prompt",
    { session: "s", prompt: "p" },
    { session: "s", prompt: "q" },
    "same-session",
  ],
  ["a sub-agent's session", { session: "s.a", partOf: "s" }, { session: "s" }, "same-session"],
  ["another teammate", { session: "s.a", partOf: "s" }, { session: "s.b", partOf: "s" }, "same-session"],
  ["another session", { session: "s.a", partOf: "s" }, { session: "t" }, "other"],
])("a held lock tells %s from others", async ([, holder, asker, heldBy]) => {
  const path = await lockPath();
  const first = acquireLock(path, holder as Asker); // what the rows say
  const second = acquireLock(path, asker as Asker);

  expect(first.ok).toBe(true);
  expect(second).toMatchObject({ ok: false, trouble: { heldBy } });
});

describe("a lock whose holder is dead is taken over, and names it", () => {
  test.each([
    ["a process that has ended", async () => holder({ pid: await deadPid() })],
    ["a pid that now belongs to another process", () => holder({ startTime: "1" })],
    ["a process of an earlier boot", () => holder({ startTime: startTime(process.pid), bootId: "earlier" })],
  ])("%s", async (_, content) => {
    const path = await lockPath();
    writeFileSync(path, await content());

    const taken = acquireLock(path);

    expect(taken).toMatchObject({ ok: true, value: { replaced: { runId: "dead-run" } } });
    expect(namesBeside(path)).toEqual(["lock"]);
  });

  test.each(["", "4711\n", "{", "null", '{"pid":1}', '{"runId":"../x","pid":1,"since":""}'])(
    "anything else in its place: %j",
    async (content) => {
      const path = await lockPath();
      writeFileSync(path, content);

      expect(acquireLock(path).ok).toBe(true);
      expect(namesBeside(path)).toEqual(["lock"]);
    },
  );
});

describe("a holder that cannot be seen from here", () => {
  const ELSEWHERE = [
    ["in another pid namespace", { namespace: "pid:[1]", machine: "other" }],
    ["on another machine", { namespace: "pid:[1]", machine: "other", bootId: "theirs" }],
  ] as const;

  test.each(ELSEWHERE)("%s is alive while its lock is touched", async (_, facts) => {
    const path = await lockPath();
    writeFileSync(path, holder({ pid: await deadPid(), ...facts }));

    expect(acquireLock(path)).toMatchObject({ ok: false, trouble: { kind: "lock-held" } });
  });

  test.each(ELSEWHERE)("%s is dead when it has not been for a minute", async (_, facts) => {
    const path = await lockPath();
    writeFileSync(path, holder({ pid: process.pid, ...facts }));
    const before = new Date(Date.now() - 61_000);
    utimesSync(path, before, before);

    expect(acquireLock(path)).toMatchObject({ ok: true, value: { replaced: { runId: "dead-run" } } });
  });

  test.for<unknown>([null, "", -1, [], {}, "x".repeat(10_000)])(
    "does not hold where its namespace is damaged: %j",
    async (namespace) => {
      const path = await lockPath();
      const written = JSON.parse(holder({ pid: await deadPid(), machine: "other" })) as object;
      writeFileSync(path, JSON.stringify({ ...written, namespace }));

      expect(acquireLock(path).ok).toBe(true);
    },
  );

  test("after a reboot of this machine is dead at once", async () => {
    const path = await lockPath();
    writeFileSync(path, holder({ namespace: "pid:[1]", machine: hostname(), bootId: "earlier" }));

    expect(acquireLock(path).ok).toBe(true);
  });
});

test("what killed takers left is swept by the next holder; what living ones need stays", async () => {
  const path = await lockPath();
  const id = "00000000-0000-4000-8000-000000000000";
  const pid = await deadPid();
  writeFileSync(`${path}.${pid}-${id}`, "half a dra");
  writeFileSync(`${path}.${pid}-${id}.new`, "");
  writeFileSync(`${path}.claim-dead-run`, holder({ pid }));
  writeFileSync(`${path}.${process.ppid}-${id}`, "");
  writeFileSync(`${path.slice(0, -4)}other`, "");

  acquireLock(path);

  expect(namesBeside(path)).toEqual(["lock", `lock.${process.ppid}-${id}`, "other"].toSorted());
});

test("a claim whose holder died does not keep the lock from being taken over", async () => {
  const path = await lockPath();
  const pid = await deadPid();
  writeFileSync(path, holder({ pid }));
  writeFileSync(`${path}.claim-dead-run`, holder({ pid, runId: "dead-claimant" }));
  writeFileSync(`${path}.claim-dead-run.claim-dead-claimant`, holder({ pid, runId: "another" }));

  expect(acquireLock(path)).toMatchObject({ ok: true, value: { replaced: { runId: "dead-run" } } });
  expect(namesBeside(path)).toEqual(["lock"]);
});

test("a lock that was removed and taken by another process is not released by its old holder", async () => {
  const path = await lockPath();
  const first = acquireLock(path);
  rmSync(path);
  const second = acquireLock(path);

  if (first.ok) first.value[Symbol.dispose]();

  expect(second.ok).toBe(true);
  expect(namesBeside(path)).toEqual(["lock"]);
});

test("a place where no lock can be written is trouble that says why", async () => {
  const path = await lockPath();

  expect(acquireLock(join(path, "nowhere", "lock"))).toMatchObject({
    ok: false,
    trouble: { kind: "file-failed", detail: expect.stringContaining("missing") as string },
  });
});

describe("many processes", () => {
  const TAKERS = 8;
  const ROUNDS = 25;
  let taker = "";

  /** Each taker waits for a line, tries the lock once, says what came of it, and holds it until the next line. */
  beforeAll(async () => {
    const dir = await tempDir();
    taker = join(dir.path, "taker.mjs");
    const source = join(dir.path, "source.mjs");
    const lock = join(import.meta.dirname, "../../../src/system/state/lock.ts");
    writeFileSync(
      source,
      `import { createInterface } from "node:readline";
       import { acquireLock } from ${JSON.stringify(lock)};
       for await (const path of createInterface({ input: process.stdin })) {
         if (path === "") continue;
         const taken = acquireLock(path);
         console.log(taken.ok ? "won" : taken.trouble.kind);
       }`,
    );
    await build({
      entry: { taker: source },
      outDir: dir.path,
      format: "esm",
      target: "node20",
      config: false,
      clean: false,
      dts: false,
      logLevel: "silent",
    });
    return () => dir[Symbol.asyncDispose]();
  });

  test("a link that leads nowhere in the lock's place is taken over", async () => {
    const path = await lockPath();
    symlinkSync("nowhere", path);
    const child = spawn(process.execPath, [taker]);
    onTestFinished(() => void child.kill("SIGKILL"));

    child.stdin.write(`${path}\n`);

    expect(String(await once(child.stdout, "data"))).toBe("won\n");
    expect(namesBeside(path)).toEqual(["lock"]);
  });

  test("of several who take over a dead lock at once exactly one wins, every time", async () => {
    const path = await lockPath();
    const children = Array.from({ length: TAKERS }, () => spawn(process.execPath, [taker]));
    onTestFinished(() => children.forEach((child) => child.kill("SIGKILL")));
    const pid = await deadPid();
    const results: string[] = [];

    for (let round = 0; round < ROUNDS; round++) {
      const place = `${path}-${round}`;
      writeFileSync(place, holder({ pid, runId: `dead-${round}` }));
      const answers = children.map((child) => once(child.stdout, "data"));
      for (const child of children) child.stdin.write(`${place}\n`);
      const said = (await Promise.all(answers)).map(([text]) => String(text).trim());
      results.push(said.toSorted().join(","));
    }

    const oneWinner = ["won", ...Array.from({ length: TAKERS - 1 }, () => "lock-held")].toSorted().join(",");
    expect(new Set(results)).toEqual(new Set([oneWinner]));
    expect(namesBeside(path)).toHaveLength(ROUNDS);
  });
});

test("links to themselves, in its place or beside it, do not keep a lock from being taken and released", async () => {
  const path = await lockPath();
  for (const link of [path, `${path}.other`]) symlinkSync(link, link);

  const taken = acquireLock(path);
  if (taken.ok) taken.value[Symbol.dispose]();

  expect(taken.ok).toBe(true);
  expect(namesBeside(path)).not.toContain("lock");
});
