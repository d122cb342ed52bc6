import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

import { BREPL, IS_NATIVE } from "../rig/program.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { withGrowingLimit } from "../rig/growing-limit.ts";

import { isAlive, kill } from "../rig/processes.ts";
import { answering, closedPort, nreplWireServer } from "../rig/nrepl-wire-server.ts";

const APPROVE = '{"decision": "approve"}\n';
const MAY_STOP = { exitCode: 0, signal: null, stdout: APPROVE, stderr: "" };
const RETRY = ":retry-on-failure? true";

/** Writes down for how long each timer of the program is set. */
const NOTE_TIMERS = `
const { appendFileSync } = require("node:fs");
const note = (delay) => appendFileSync(process.env.TIMERS, delay + "\\n");
const { setTimeout: plain } = globalThis;
globalThis.setTimeout = Object.assign((run, delay, ...rest) => (note(delay), plain(run, delay, ...rest)), plain);
const { timeout } = AbortSignal;
AbortSignal.timeout = (delay) => (note(delay), timeout.call(AbortSignal, delay));
`;

const bash = (name: string, command: string, more = ""): string =>
  `{:type :bash :name "${name}" :command ${JSON.stringify(command)} ${more}}`;
const repl = (name: string, code: string, more = ""): string =>
  `{:type :repl :name "${name}" :code ${code} ${more}}`;
const stop = (...hooks: readonly string[]): string => `{:stop [${hooks.join("\n")}]}`;

const answerWith = (value: string) =>
  nreplWireServer(answering(({ id = "" }, { send }) => send({ id, value, status: ["done"] })));

describe("two hooks of one name", () => {
  test("both run, and each has its own count", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("lint", "true"), bash("lint", "touch second; false", `${RETRY} :max-retries 1`)),
    );

    const first = await project.breplStop();
    const counted = project.breplCounts();
    const second = await project.breplStop();

    expect(first).toMatchObject({ exitCode: 2 });
    expect(counted).toBe('{"lint#2" 1}');
    expect(first.stderr).toContain('an earlier hook is called "lint" too');
    expect(second).toMatchObject({ exitCode: 1 });
    expect(project.has("second")).toBe(true);
  });
});

// Bun ends before any code of ours runs (docs/decisions/0093).
test.skipIf(IS_NATIVE)("in a directory that has been deleted the agent may stop", async () => {
  await using project = await GauntletProject.withHooks();
  const command = `mkdir gone && cd gone && rmdir ../gone && exec ${BREPL.map((word) => JSON.stringify(word)).join(" ")} hook stop`;

  const run = spawnSync("sh", ["-c", command], { cwd: project.root, input: '{"session_id":"s"}' });

  expect({
    exitCode: run.status,
    signal: run.signal,
    stdout: String(run.stdout),
    stderr: String(run.stderr),
  }).toEqual(MAY_STOP);
});

// The same.
test.skipIf(IS_NATIVE)(
  "in a directory that has been deleted the hooks are those of the event's",
  async () => {
    await using project = await GauntletProject.withHooks(stop(bash("test", "false", RETRY)));
    const command = `mkdir gone && cd gone && rmdir ../gone && exec ${BREPL.map((word) => JSON.stringify(word)).join(" ")} hook stop`;
    const input = JSON.stringify({ session_id: randomUUID(), cwd: project.root });

    const run = spawnSync("sh", ["-c", command], { cwd: project.root, input });

    expect(run.status).toBe(2);
  },
);

test("a hooks file with a symbol where the keyword belongs is an error with its place", async () => {
  await using project = await GauntletProject.withHooks('{stop [{:type :bash :name "x" :command "true"}]}');

  const run = await project.breplStop();

  expect(run).toMatchObject({ exitCode: 1, stdout: "" });
  expect(run.stderr).toContain(".brepl/hooks.edn:1:2");
  expect(run.stderr).toContain("write the keyword :stop");
});

describe("the event", () => {
  test.each([
    ["nothing", "", "nothing on stdin"],
    ["half an object", '{"session_id": "x"', "JSON"],
    ["a list", "[]", "not a JSON object"],
    ["null", "null", "not a JSON object"],
  ])("that is %s runs no hook and is reported", async (_, input, problem) => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

    const run = await project.brepl(["hook", "stop"], { stdin: input });

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Error parsing Stop event JSON:");
    expect(run.stderr).toContain(problem);
    expect(project.has("ran")).toBe(false);
  });

  test("of another kind runs no hook", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

    const run = await project.breplStop({ hook_event_name: "SubagentStop" });

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(project.has("ran")).toBe(false);
  });

  test("is complete when it parses, though the pipe stays open", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

    const run = await project.breplStop({}, { keepOpen: true });

    expect(run).toEqual(MAY_STOP);
    expect(project.has("ran")).toBe(true);
  });

  test("may be spread over lines", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

    const run = await project.brepl(["hook", "stop"], {
      stdin: '{\n  "session_id":\n    "some-session"\n}\n',
    });

    expect(run).toEqual(MAY_STOP);
  });

  test("is not read inside a stop hook", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

    const run = await project.breplStop({}, { keepOpen: true, env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" } });

    expect(run).toEqual(MAY_STOP);
    expect(project.has("ran")).toBe(false);
  });

  test("is asked about the directory it happens in, and no other", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "exit 1", RETRY)));
    await using below = await GauntletProject.withHooks();

    const run = await below.breplStop({ cwd: project.root });

    expect(run).toEqual(MAY_STOP);
  });
});

describe("hooks together", () => {
  test("of two stops of one session keep their own logs, whichever ends first", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.withHooks(stop(bash("slow", gate.command())));
    const both = [project.breplStop(), project.breplStop()];
    const [first, second] = [await gate.started(), await gate.started()];

    second.print("what the other one said\n");
    first.exit(0);
    await Promise.race(both);
    second.exit(1);
    const stderr = (await Promise.all(both)).map((one) => one.stderr).join("");

    expect(stderr).toContain("what the other one said");
  });

  test("that fail without retry are all reported, and the most severe decides", async () => {
    await using project = await GauntletProject.withHooks(
      stop(
        bash("first", "echo one; exit 1"),
        bash("second", "echo two; exit 1", RETRY),
        bash("third", "touch ran"),
      ),
    );

    const run = await project.breplStop();

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(/^Hook 'second' failed \(attempt 1\/10\)/);
    expect(run.stderr).toContain("Hook 'first' failed: exit code 1\n```\none");
    expect(project.has("ran")).toBe(false);
  });

  test("keep a spent count while another hook still sends the agent back", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("a", "exit 1", `${RETRY} :max-retries 1`), bash("b", "exit 1", `${RETRY} :max-retries 2`)),
    );

    const runs = [
      await project.breplStop(),
      await project.breplStop(),
      await project.breplStop(),
      await project.breplStop(),
    ];

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 1]);
    expect(project.breplCounts()).toBeUndefined();
  });

  test("that cannot run cost no retry", async () => {
    await using project = await GauntletProject.withHooks(
      stop(repl("r", '"(x)"', `${RETRY} :required? true`)),
    );

    const runs = [await project.breplStop(), await project.breplStop()];

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(project.breplCounts()).toBeUndefined();
  });

  test("go on after a required one that cannot run", async () => {
    await using project = await GauntletProject.withHooks(
      stop(repl("r", '"(x)"', ":required? true"), bash("next", "touch ran")),
    );

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(project.has("ran")).toBe(true);
  });
});

describe("a bash hook", () => {
  test("in a directory that is missing is skipped, and reported", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("x", "true", ':cwd "gone"'), bash("next", "touch ran")),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 0, stdout: APPROVE });
    expect(run.stderr).toContain("Hook 'x': could not run: the working directory gone does not exist");
    expect(project.has("ran")).toBe(true);
  });

  test("in a directory that is missing, when required, asks for the user", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("x", "true", `:cwd "gone" :required? true ${RETRY}`)),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("please pause and notify the user");
  });

  test("may run anywhere on the machine", async () => {
    await using elsewhere = await GauntletProject.withHooks();
    await using project = await GauntletProject.withHooks(
      stop(bash("x", "touch here", `:cwd "${elsewhere.root}"`)),
    );

    await project.breplStop();

    expect(elsewhere.has("here")).toBe(true);
  });

  test("whose program is not installed is reported to the user, does not block, and keeps no other back", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("x", "no-such-command-at-all", RETRY), bash("next", "touch ran")),
    );

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("`no-such-command-at-all` is not installed here");
    expect(project.has("ran")).toBe(true);
  });

  test.skipIf(process.platform !== "linux")("killed by a real-time signal has failed", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("killed", "kill -34 $$", RETRY)));

    const { exitCode } = await project.breplStop();

    expect(exitCode).toBe(2);
  });

  test("over its time is ended with everything it started", async () => {
    await using project = await GauntletProject.withHooks("{}");

    const run = await withGrowingLimit(
      async (seconds) => {
        const slow = "sleep 60 & echo $! > pid; echo working; sleep 60";
        await project.write({ ".brepl/hooks.edn": stop(bash("slow", slow, `${RETRY} :timeout ${seconds}`)) });
        return project.breplStop();
      },
      ({ stderr }) => stderr.includes("working"),
    );

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(/timed out after \d+ s/);
    expect(run.stderr).toContain("working");
    expect(isAlive(Number(project.read("pid")))).toBe(false);
  });

  test.skipIf(IS_NATIVE)("may take as long as its :timeout says: nothing else ends it", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("slow", "true", ":timeout 100000"), bash("slower", "true", ":timeout 200000")),
    );
    const log = `${project.root}/timers`;
    await project.write({ "timers.cjs": NOTE_TIMERS });

    const run = await project.breplStop({}, { env: { NODE_OPTIONS: `--require ./timers.cjs`, TIMERS: log } });
    const lines = project.read("timers").trim().split("\n");
    const seconds = lines.map((delay) => Math.ceil(Number(delay) / 1000));

    expect(run.exitCode).toBe(0);
    expect(seconds.filter((one) => one > 600)).toEqual([100_000, 200_000]);
  });

  test("is ended with everything it started when we are asked to go, and the agent may stop", async () => {
    await using project = await GauntletProject.withHooks(
      stop(
        bash("slow", "sleep 60 & echo $! > pid; echo $PPID > parent; sleep 60", RETRY),
        bash("next", "touch ran"),
      ),
    );

    const running = project.breplStop();
    await expect.poll(() => project.has("parent")).toBe(true);
    await expect.poll(() => project.read("parent")).toMatch(/\d/);
    kill(Number(project.read("parent")), "SIGTERM");
    const run = await running;

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Hook 'slow' was cancelled: ended before it was done");
    expect(isAlive(Number(project.read("pid")))).toBe(false);
    expect(project.has("ran")).toBe(false);
  });

  test("gets no input and knows that it runs inside a stop hook", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("x", 'cat > input; echo "$GAUNTLET_STOP_HOOK_ACTIVE" > flag')),
    );

    const run = await project.breplStop({}, { env: { BASE_BRANCH: "theirs" } });

    expect(run).toEqual(MAY_STOP);
    expect(project.read("input")).toBe("");
    expect(project.read("flag")).toBe("1\n");
  });

  test("that prints without end is reported in bounds, with the place of the rest", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("loud", "yes 'src/a.clj:1:1: error: no' | head -c 3000000; exit 1", RETRY)),
    );

    const run = await project.breplStop();

    expect(run.exitCode).toBe(2);
    expect(run.stderr.length).toBeLessThanOrEqual(9_001);
    const log = /Full log: (\S+)/.exec(run.stderr)?.[1] ?? "";
    expect(project.read(log).length).toBe(3_000_000);
  });

  test("has its problems reported in bounds, however many there are", async () => {
    const broken = Array.from({ length: 500 }, () => "{:type :nothing}");
    await using project = await GauntletProject.withHooks(stop(...broken));

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr.length).toBeLessThanOrEqual(9_001);
  });

  test("cannot give away the secrets of the environment", async () => {
    await using project = await GauntletProject.withHooks(
      stop(
        bash(
          "leak",
          'echo "$MY_API_TOKEN $HOOK_PASSWORD"; exit 1',
          ':env {"HOOK_PASSWORD" "hunter2-hunter2"}',
        ),
      ),
    );

    const run = await project.breplStop({}, { env: { MY_API_TOKEN: "s3cr3t-value-1234" } });

    expect(run.stderr).toContain("*** ***");
    expect(run.stderr).not.toMatch(/s3cr3t|hunter2/);
  });
});

describe("a REPL hook", () => {
  test.each([
    ["a red clojure.test summary", "{:test 3, :pass 2, :fail 1, :error 0, :type :summary}", 2],
    ["a summary with errors", "{:test 3, :pass 2, :fail 0, :error 2, :type :summary}", 2],
    ["a green summary", "{:test 3, :pass 3, :fail 0, :error 0, :type :summary}", 0],
    ["text that only looks like one", '"{:test 1, :pass 0, :fail 1, :error 0, :type :summary}"', 0],
    ["false", "false", 0],
  ])("that answers %s", async (_, value, exitCode) => {
    await using server = await answerWith(value);
    await using project = await GauntletProject.withHooks(stop(repl("tests", "(run-tests)", RETRY)));
    await project.write({ ".nrepl-port": `${server.port}` });

    expect(await project.breplStop()).toMatchObject({ exitCode });
  });

  test("over its time is interrupted and has failed", async () => {
    await using server = await nreplWireServer(answering(() => {}));
    await using project = await GauntletProject.withHooks(
      stop(repl("slow", "(wait)", `${RETRY} :timeout 1`)),
    );

    const run = await project.brepl(["hook", "stop", "-p", `${server.port}`], {
      stdin: JSON.stringify({ session_id: project.breplSession }),
    });

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("timed out after 1 s");
    expect(server.received.map(({ op }) => op)).toContain("interrupt");
  });

  test("whose server goes away in the middle is skipped, but not in silence", async () => {
    await using server = await nreplWireServer(answering((_, { socket }) => socket.resetAndDestroy()));
    await using project = await GauntletProject.withHooks(stop(repl("tests", "(run)", RETRY)));
    await project.write({ ".nrepl-port": `${server.port}` });

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 0, stdout: APPROVE });
    expect(run.stderr).toContain(`the nREPL server at localhost:${server.port} was lost`);
  });

  test("finds its server: command line before .nrepl-port before BREPL_PORT", async () => {
    await using fromFlag = await answerWith("1");
    await using fromFile = await answerWith("1");
    await using fromEnv = await answerWith("1");
    await using project = await GauntletProject.withHooks(stop(repl("tests", "(run)")));
    const evaluations = () =>
      [fromFlag, fromFile, fromEnv].map(({ received }) => received.filter(({ op }) => op === "eval").length);
    const options = {
      stdin: JSON.stringify({ session_id: project.breplSession }),
      env: { BREPL_PORT: `${fromEnv.port}` },
    };

    await project.brepl(["hook", "stop"], options);
    const first = evaluations();
    await project.write({ ".nrepl-port": `${fromFile.port}` });
    await project.brepl(["hook", "stop"], options);
    const second = evaluations();
    await project.brepl(["--port", `${fromFlag.port}`, "-h", "127.0.0.1", "hooks", "stop"], options);

    expect([first, second, evaluations()]).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [1, 1, 1],
    ]);
  });

  test("uses BREPL_HOST, and the command line before it", async () => {
    await using server = await answerWith("1");
    await using project = await GauntletProject.withHooks(
      stop(repl("tests", "(run)", ":required? true :retry-on-failure? false")),
    );
    const options = {
      stdin: JSON.stringify({ session_id: project.breplSession }),
      env: { BREPL_HOST: "no.such.host.invalid" },
    };

    const lost = await project.brepl(["hook", "stop", "-p", `${server.port}`], options);
    const found = await project.brepl(
      ["hook", "stop", "-p", `${server.port}`, "--host", "127.0.0.1"],
      options,
    );

    expect([lost.exitCode, found.exitCode]).toEqual([1, 0]);
  });

  test("that is required names the server it did not find", async () => {
    const port = await closedPort();
    await using project = await GauntletProject.withHooks(stop(repl("tests", "(run)", ":required? true")));
    await project.write({ ".nrepl-port": `${port}` });

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`no nREPL server at localhost:${port}`);
    expect(run.stderr).toContain("ECONNREFUSED");
  });
});

describe("the state file", () => {
  const failing = stop(bash("tests", "exit 1", RETRY));

  test("is ours alone", async () => {
    await using project = await GauntletProject.withHooks(failing);

    await project.breplStop();

    expect((await stat(project.breplCountsFile)).mode & 0o777).toBe(0o600);
  });

  test("is gone when everything passes, and so are the logs", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("tests", "test -f fixed", RETRY)));
    await project.breplStop();
    await project.write({ fixed: "" });

    await project.breplStop();

    expect(project.breplCounts()).toBeUndefined();
    expect(project.has(`.brepl/logs/${project.breplSession}`)).toBe(false);
  });

  test("is gone after session-end, and so are the logs", async () => {
    await using project = await GauntletProject.withHooks(failing);
    await project.breplStop();

    const run = await project.brepl(["hook", "session-end"], {
      stdin: JSON.stringify({ session_id: project.breplSession }),
    });

    expect(run).toEqual({ exitCode: 0, signal: null, stdout: "", stderr: "" });
    expect(project.breplCounts()).toBeUndefined();
    expect(project.has(`.brepl/logs/${project.breplSession}`)).toBe(false);
  });

  test("is never reached through a link", async () => {
    await using project = await GauntletProject.withHooks(failing);
    await project.write({ victim: '{"tests" 9}' });
    await symlink(`${project.root}/victim`, project.breplCountsFile);

    const run = await project.breplStop();

    expect(run.stderr).toContain("(attempt 1/10)");
    expect(project.read("victim")).toBe('{"tests" 9}');
    expect((await stat(project.breplCountsFile)).isFile()).toBe(true);
    expect(project.breplCounts()).toBe('{"tests" 1}');
  });

  test("that is a pipe is not waited for", async () => {
    await using project = await GauntletProject.withHooks(failing);
    execFileSync("mkfifo", [project.breplCountsFile]);

    const run = await project.breplStop();

    expect(run.stderr).toContain("(attempt 1/10)");
    expect(run.stderr).toContain("it is not a file");
    expect(project.breplCounts()).toBe('{"tests" 1}');
  });

  test("removes a link, not what it points to", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("tests", "true")));
    await project.write({ victim: "precious" });
    await symlink(`${project.root}/victim`, project.breplCountsFile);

    await project.breplStop();

    expect(project.breplCounts()).toBeUndefined();
    expect(project.read("victim")).toBe("precious");
  });

  test.each(["{", "[1 2]", '{"tests" -1}', '{"tests" "many"}', "{:tests 1}", "\u0000\u0001"])(
    "that holds %j counts as absent, and that is reported",
    async (text) => {
      await using project = await GauntletProject.withHooks(failing);
      await writeFile(project.breplCountsFile, text);

      const run = await project.breplStop();

      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("(attempt 1/10)");
      expect(run.stderr).toContain("is broken: counting starts over");
      expect(project.breplCounts()).toBe('{"tests" 1}');
    },
  );

  test("that cannot be written lets the agent stop: uncounted retries might never end", async () => {
    await using project = await GauntletProject.withHooks(failing);
    await mkdir(project.breplCountsFile);

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("the retry cannot be counted");
  });

  test("that cannot be written does not matter to a hook without limit", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "exit 1", `${RETRY} :max-retries 0`)),
    );
    await mkdir(project.breplCountsFile);

    expect(await project.breplStop()).toMatchObject({ exitCode: 2 });
  });

  test.each([
    ["a path", "../../etc/x"],
    ["an absolute path", "/etc/passwd"],
    ["two dots", ".."],
    ["a NUL", "a\0b"],
    ["10 kB", "x".repeat(10_000)],
    ["a newline", "a\nb"],
    ["a number", 7],
    ["nothing", undefined],
  ])("keeps its name when the session id is %s", async (_, session_id) => {
    const hook = randomUUID();
    await using project = await GauntletProject.withHooks(stop(bash(hook, "exit 1", RETRY)));
    const transcript = { session_id, transcript_path: `/t/${project.breplSession}` };

    const run = await project.breplStop(transcript);
    const during = await stateFilesAbout(hook);
    await project.brepl(["hook", "session-end"], { stdin: JSON.stringify(transcript) });

    expect(run.exitCode).toBe(2);
    expect(during).toEqual([expect.stringMatching(/^brepl-stop-hook-[0-9a-f]{64}\.edn$/)]);
    expect(await stateFilesAbout(hook)).toEqual([]);
  });
});

describe("the command line", () => {
  test.for([
    ["nothing", [], 0, ""],
    ["--help", ["--help"], 0, ""],
    ["hook", ["hook"], 0, ""],
    ["an unknown command", ["hook", "dance"], 1, "There is no command `brepl hook dance`.\n"],
    ["an unknown group", ["dance"], 1, "There is no command `brepl dance`.\n"],
  ] as const)("shows help for %s", async ([, args, exitCode, stderr]) => {
    await using project = await GauntletProject.withHooks();

    const run = await project.brepl(args);

    expect(run).toMatchObject({ exitCode, stderr });
    expect(run.stdout).toContain("Usage: brepl hook <command> [options]");
  });

  test("is the same as agent-gauntlet brepl, so that another brepl can come first on the PATH", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("x", "exit 1", RETRY)));

    const run = await project.gauntlet(["brepl", "hook", "stop"], {
      stdin: JSON.stringify({ session_id: project.breplSession }),
    });
    const help = await project.gauntlet(["brepl", "--help"]);

    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(help.stdout).toContain("Usage: agent-gauntlet brepl hook <command>");
  });

  test("knows its version", async () => {
    await using project = await GauntletProject.withHooks();
    const { version } = JSON.parse(await readFile("package.json", "utf8"));

    expect(await project.brepl(["--version"])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  });

  test.each([[["hook", "stop", "-p", "many"]], [["hook", "stop", "--dance"]]])(
    "refuses %j with 1, never 2",
    async (args) => {
      await using project = await GauntletProject.withHooks(stop(bash("x", "touch ran")));

      const run = await project.brepl(args, { stdin: "{}" });

      expect(run).toMatchObject({ exitCode: 1, stdout: "" });
      expect(project.has("ran")).toBe(false);
    },
  );

  test.skipIf(IS_NATIVE)("answers without loading what it does not need", async () => {
    await using project = await GauntletProject.withHooks(
      `{:stop [{:type :bash :name "ok" :command "true"}]}`,
    );
    const report = `process.on("exit", () => require("node:fs").writeFileSync("loaded", Object.keys(require.cache).join("\\n")));`;
    await project.write({ "report-loaded.cjs": report });

    await project.breplStop({}, { env: { NODE_OPTIONS: `--require ${project.root}/report-loaded.cjs` } });

    const loaded = project.read("loaded").split("\n");
    const sources = await Promise.all(loaded.map((file) => readFile(file, "utf8")));
    expect(loaded.some((file) => file.includes("brepl"))).toBe(true);
    expect(sources.join("\n")).not.toMatch(/CommanderError|YAMLParseError/);
  });
});

/** Those of other sessions, which may end meanwhile, lie beside them. */
async function stateFilesAbout(hook: string): Promise<readonly string[]> {
  const names = (await readdir("/tmp")).filter((name) => /^brepl-stop-hook-[0-9a-f]{64}/.test(name));
  const texts = await Promise.allSettled(names.map((name) => readFile(`/tmp/${name}`, "utf8")));
  return names.filter((_, at) => {
    const text = texts[at];
    return text?.status === "fulfilled" && text.value.includes(hook);
  });
}
