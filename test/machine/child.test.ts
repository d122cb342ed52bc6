import { readdirSync } from "node:fs";
import { beforeEach, describe, expect, test, type TestContext } from "vitest";
import type { Child, ChildRequest } from "../../src/machine/child.ts";
import { startWithHandles } from "../../src/machine/child-of-handles.ts";
import { startWithStreams } from "../../src/machine/child-of-streams.ts";
import { isKnownRelease, nodeHandles, processIsOurs } from "../../src/machine/node-handles.ts";
import { signalGroup } from "../../src/machine/process-tree.ts";

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

test("a process that is not ours, but of somebody who uses the library, goes the public way", () => {
  expect(startWithHandles(shell("true").request)).toBeUndefined();
});

/** Two ways to start a child; whoever starts one must not be able to tell which it was. */
describe.each([
  ["with handles", startWithHandles],
  ["with streams", startWithStreams],
])("a child started %s", (_, start) => {
  beforeEach((context) => {
    if (start === startWithHandles) needHandles(context);
  });

  function started(request: ChildRequest): Child {
    const child = start(request);
    if (child === undefined || !("pid" in child)) throw new Error("it was not started");
    return child;
  }

  test("tells its exit code, and which stream it printed to", async () => {
    const { request, printed } = shell("echo out; echo err >&2; exit 3");

    const child = started(request);
    await child.closed;

    expect(await child.exited).toEqual({ kind: "exited", exitCode: 3 });
    expect([printed("stdout"), printed("stderr")]).toEqual(["out\n", "err\n"]);
  });

  test("tells the signal that killed it, and leads a process group of its own", async () => {
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
    const { request, printed } = shell("(sleep 0.3; echo after) & echo before");
    const child = started(request);
    await child.exited;

    child.letGo();
    await new Promise((resolve) => setTimeout(resolve, 500));

    expect(printed("stdout")).not.toContain("after");
  });
});

describe("what handles cannot do is left to streams, and nothing stays open", () => {
  beforeEach(needHandles);

  test.each([
    ["a program that is not there", { argv: ["/nonexistent/program"] as const }],
    ["a directory that is not there", { cwd: "/nonexistent/directory" }],
    ["a command line that is too long", { argv: ["sh", "-c", "true", "x".repeat(3_000_000)] as const }],
    ["a zero byte in an argument", { argv: ["sh", "-c", "true\0false"] as const }],
    ["a zero byte in the environment", { env: { X: "a\0b" } }],
    ["something to read", { stdin: "text" }],
    ["no program", { argv: fromJavaScript([]) }],
    ["an argument that is no text", { argv: fromJavaScript(["sh", 5]) }],
    ["a directory that is no text", { cwd: fromJavaScript(new URL("file:///")) }],
  ])("%s", (_, changes) => {
    const before = openFiles();

    const child = startWithHandles(shell("true", changes).request);

    expect(child).toBeUndefined();
    return expect.poll(openFiles).toBeLessThanOrEqual(before);
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
    const child = startWithStreams(shell("", changes).request);

    expect("detail" in child && (await child.detail)).toMatch(reason);
  });
});

test("many children leave no file open", async (context) => {
  needHandles(context);
  const before = openFiles();

  const children = Array.from({ length: 40 }, () => startWithHandles(shell("echo x").request));
  await Promise.all(children.flatMap((child) => child?.closed ?? []));

  await expect.poll(openFiles).toBeLessThanOrEqual(before);
});

test.each([
  ["20.16.0", true],
  ["20.20.2", true],
  ["20.20.3", false],
  ["22.9.11", true],
  ["22.99.0", false],
  ["26.10.0", true],
  ["26.10.0-nightly20270101", false],
  ["23.1.0", false],
  ["99.0.0", false],
])("handles of Node %s are known: %s", (version, isKnown) => {
  expect(isKnownRelease(version)).toBe(isKnown);
});

/** What the compiler would refuse. */
function fromJavaScript(value: unknown): never {
  return value as never;
}

function needHandles({ skip }: TestContext): void {
  processIsOurs();
  skip(nodeHandles() === undefined, `the handles of Node ${process.versions.node} have not been tried`);
}

function openFiles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}
