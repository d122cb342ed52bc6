import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Child, ChildRequest } from "../../../src/system/process/runtime.ts";
import { startChild } from "#runtime";
import { signalGroup } from "../../../src/system/process/group.ts";
import { tempDir } from "../../rig/temp-dir.ts";

/** A request for a shell command that collects what is printed. */
function shell(command: string, changes: Partial<ChildRequest> = {}) {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const request: ChildRequest = {
    argv: ["sh", "-c", command],
    cwd: "/",
    env: process.env,
    onOutput: (chunk, stream) => output[stream].push(chunk),
    ...changes,
  };
  const printed = (stream: "stdout" | "stderr"): string => Buffer.concat(output[stream]).toString();
  return { request, printed };
}

function started(request: ChildRequest): Child {
  const child = startChild(request);
  if (!("pid" in child)) throw new Error("it was not started");
  return child;
}

describe("a child", () => {
  test("reports its exit code, and which stream it printed to", async () => {
    const { request, printed } = shell("echo out; echo err >&2; exit 3");

    const child = started(request);
    await child.closed;

    expect(await child.exited).toEqual({ kind: "exited", exitCode: 3 });
    expect([printed("stdout"), printed("stderr")]).toEqual(["out\n", "err\n"]);
  });

  test("reports the signal that killed it, and leads its own process group", async () => {
    const child = started(shell("sleep 60 & sleep 60").request);

    signalGroup(child.pid, "SIGKILL");

    expect(await child.exited).toEqual({ kind: "killed", signal: "SIGKILL" });
  });

  test("is closed only when every byte was handed over", async () => {
    const { request, printed } = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2");

    await started(request).closed;

    expect(printed("stdout")).toHaveLength(3_000_000);
    expect(printed("stderr")).toBe("end\n");
  });

  test("finds its stdin empty, is where it should be, and has the variables it was given and no others", async () => {
    const env = { PATH: process.env["PATH"], GIVEN: "a=b\nc", EMPTY: "", ABSENT: undefined };
    const { request, printed } = shell(
      'cat; pwd; echo "$GIVEN|${EMPTY-unset}|${ABSENT-unset}|${HOME-unset}"',
      {
        cwd: "/usr",
        env,
      },
    );

    await started(request).closed;

    expect(printed("stdout")).toBe("/usr\na=b\nc||unset|unset\n");
  });

  test("is let go while something else holds its output open", async () => {
    await using dir = await tempDir();
    const late = "trap '' PIPE; until test -e go; do sleep 0.01; done; echo after; touch done";
    const { request, printed } = shell(`(${late}) & echo before`, { cwd: dir.path });
    const child = started(request);
    await child.exited;

    child.letGo();
    await writeFile(join(dir.path, "go"), "");
    await expect.poll(() => existsSync(join(dir.path, "done"))).toBe(true);

    expect(printed("stdout")).not.toContain("after");
  });
});

describe("a child that cannot be started says why", () => {
  test.each([
    [
      "a program that is not there",
      { argv: ["/nonexistent/program"] as const },
      "spawn /nonexistent/program ENOENT",
    ],
    ["a command line that is too long", { argv: ["sh", "x".repeat(3_000_000)] as const }, "spawn E2BIG"],
    ["a zero byte", { argv: ["sh", "a\0b"] as const }, /must be a string without null bytes/],
  ])("%s", async (_, changes, reason) => {
    const child = startChild(shell("", changes).request);

    expect("detail" in child && (await child.detail)).toMatch(reason);
  });
});

test("many children leave no file open", async () => {
  const before = openFiles();

  const children = Array.from({ length: 40 }, () => started(shell("echo x").request));
  await Promise.all(children.map(({ closed }) => closed));

  await expect.poll(openFiles).toBeLessThanOrEqual(before);
});

function openFiles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}
