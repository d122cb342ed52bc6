import { expect, onTestFinished, test, vi } from "vitest";
import { runProcess } from "../../../src/system/process/run-process.ts";
import { isAlive } from "../../../src/system/process/group.ts";
import { withGrowingLimit } from "../../rig/growing-limit.ts";
import { kill } from "../../rig/processes.ts";

async function run(
  command: string,
  options: {
    timeoutMs?: number;
    stdin?: string;
    signal?: AbortSignal;
    mustNotHideSignals?: boolean;
    mark?: string;
    onStarted?: (pid: number) => void;
    isSibling?: (pid: number) => boolean;
  } = {},
) {
  const chunks: Buffer[] = [];
  const { signal, ...limits } = options;
  const end = await runProcess(
    {
      argv: ["sh", "-c", command],
      cwd: "/",
      env: { ...process.env, STRAY_MARK: "here" },
      onOutput: (chunk) => chunks.push(chunk),
      ...limits,
    },
    signal,
  );
  return { end, output: Buffer.concat(chunks).toString() };
}

test("reports the exit code and hands over stdout and stderr", async () => {
  const { end, output } = await run("echo out; echo err >&2; exit 3");

  expect(end).toEqual({ kind: "exited", exitCode: 3 });
  expect(output.split("\n").toSorted()).toEqual(["", "err", "out"]);
});

test("closes stdin, so a child that reads it ends", async () => {
  expect(await run("cat; echo done")).toEqual({ end: { kind: "exited", exitCode: 0 }, output: "done\n" });
});

test("gives the child what it should read", async () => {
  expect((await run("cat", { stdin: "grüße" })).output).toBe("grüße");
});

test("says which signal ended a child that we did not kill", async () => {
  expect((await run("kill -SEGV $$")).end).toEqual({ kind: "killed", signal: "SIGSEGV" });
});

test("says why a child could not start", async () => {
  const end = await runProcess({ argv: ["/nonexistent/program"], cwd: "/", env: {}, onOutput: () => {} });

  expect(end).toEqual({ kind: "not-started", detail: "spawn /nonexistent/program ENOENT" });
});

test("ends the whole tree at the timeout, even one that ignores TERM", async () => {
  const { end, output } = await timedOut("trap '' TERM; sleep 60 & echo $!; sleep 60");

  expect(end).toMatchObject({ kind: "timed-out" });
  expect(isAlive(Number(output))).toBe(false);
});

test("is not held by a background process that keeps the output open, and ends it", async () => {
  const { end, output } = await run("sleep 60 & echo $!");

  expect(end).toEqual({ kind: "exited", exitCode: 0 });
  expect(isAlive(Number(output))).toBe(false);
});

test("ends a quiet background process that its parent left behind", async () => {
  const { output } = await run("sleep 60 >/dev/null 2>&1 & echo $!");

  expect(isAlive(Number(output))).toBe(false);
});

test("ends the tree when it is cancelled", async () => {
  const cancel = new AbortController();
  const chunks: Buffer[] = [];

  const end = await runProcess(
    {
      argv: ["sh", "-c", "sleep 60 & echo $!; wait"],
      cwd: "/",
      env: { ...process.env, STRAY_MARK: "here" },
      onOutput: (chunk) => {
        chunks.push(chunk);
        cancel.abort();
      },
    },
    cancel.signal,
  );

  expect(end).toEqual({ kind: "cancelled" });
  expect(isAlive(Number(Buffer.concat(chunks).toString()))).toBe(false);
});

test.runIf(process.platform === "linux").each([
  ["the shell itself", "kill -34 $$"],
  ["its last command", "sh -c 'kill -40 $$'"],
  ["a command that replaces the shell", "exec sh -c 'kill -64 $$'"],
])("a death by a real-time signal is never exit code 0: %s", async (_, command) => {
  const { end } = await run(command, { mustNotHideSignals: true });

  expect(end).not.toEqual({ kind: "exited", exitCode: 0 });
});

test("a group that we may not end leaves the child's own outcome as it is", async () => {
  const real = process.kill.bind(process); // oxlint-disable-line no-restricted-properties -- the product calls it below
  const spy = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    if (pid < 0 && signal !== 0) throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    return real(pid, signal);
  });
  onTestFinished(() => spy.mockRestore());

  const { end } = await run("sleep 0.2 & exit 3");

  expect(end).toEqual({ kind: "exited", exitCode: 3 });
});

/** Runs a command that prints a line and then waits until its time is over. */
function timedOut(command: string, limits: { mark?: string } = {}): ReturnType<typeof run> {
  return withGrowingLimit(
    (seconds) => run(command, { timeoutMs: seconds * 1000, ...limits }),
    ({ output }) => output.includes("\n"),
    0.2,
  );
}

/** A command that starts a child by `how`, prints its pid and, once the child is up, goes on with `then`. */
function starting(how: string, then: string): string {
  const child = `${how} sh -c "echo \\$\\$ | tee $up; exec sleep 600 >/dev/null 2>&1"`;
  return `exec bash -c 'set -m; up=$(mktemp); ${child} & until test -s $up; do sleep 0.01; done; rm $up; ${then}'`;
}

test.runIf(process.platform === "linux").each([
  ["ended by itself, with job control", "", "exit 0", false],
  ["ended by itself, in a session of its own", "setsid", "exit 0", true],
  ["timed out, in a session of its own", "setsid", "sleep 600", false],
] as const)("what a child started that %s", async (...[, how, then, survives]) => {
  const mark = "STRAY_MARK=here";
  const command = starting(how, then);
  const { output } = await (then === "exit 0" ? run(command, { mark }) : timedOut(command, { mark }));
  const pid = Number(/^\d+$/m.exec(output)?.[0]);
  onTestFinished(() => void (isAlive(pid) && kill(pid, "SIGKILL")));

  expect(pid).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(survives);
});

test.runIf(process.platform === "linux")(
  "what children started beside each other is found, and only that",
  async () => {
    const mark = "STRAY_MARK=here";
    const pids = new Set<number>();
    const siblings = {
      onStarted: (pid: number) => void pids.add(pid),
      isSibling: (pid: number) => pids.has(pid),
    };
    const commands = ["sleep 0.3; exit 3", ...Array.from({ length: 4 }, () => starting("", "exit 0"))];

    const [slow, ...others] = await Promise.all(commands.map((one) => run(one, { mark, ...siblings })));
    const strays = others.map(({ output }) => Number(/^\d+$/m.exec(output)?.[0]));
    onTestFinished(() => strays.filter(isAlive).forEach((pid) => kill(pid, "SIGKILL")));

    expect(slow?.end).toEqual({ kind: "exited", exitCode: 3 });
    expect(strays.filter((pid) => pid > 0)).toHaveLength(4);
    expect(strays.filter(isAlive)).toEqual([]);
  },
);
