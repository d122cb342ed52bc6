import { setImmediate, setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { runProcess } from "../../../src/system/process/run-process.ts";
import { timeLimit } from "../../../src/system/process/time-limit.ts";
import { tempDir } from "../../rig/temp-dir.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void; // what the flag puts there

test("fires although garbage is collected meanwhile, also through a second limit", async () => {
  const fired = aborted(timeLimit(60_000, timeLimit(50, new AbortController().signal)));

  await setImmediate();
  collectGarbage();

  expect(await fired).toMatchObject({ name: "TimeoutError" });
});

test("a command over its time is ended although garbage is collected meanwhile", async () => {
  await using directory = await tempDir();
  const child = { argv: ["sleep", "60"], cwd: directory.path, env: process.env, onOutput: () => {} } as const;

  const ending = runProcess({ ...child, timeoutMs: 200 }, new AbortController().signal);
  await setImmediate();
  collectGarbage();

  expect(await ending).toEqual({ kind: "timed-out", afterMs: 200 });
});

test("follows the signal it was given, with its reason", async () => {
  const asked = new AbortController();
  const limit = timeLimit(60_000, asked.signal);

  asked.abort("enough");

  expect(limit.reason).toBe("enough");
  expect(timeLimit(60_000, asked.signal).reason).toBe("enough");
});

test("a limit longer than any timer does not fire at once", async () => {
  const limit = timeLimit(Number.MAX_SAFE_INTEGER);

  await setTimeout(2); // Node sets a timer that is too long to 1 ms, and fires it before a later one of 2

  expect(limit.aborted).toBe(false);
});

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}
