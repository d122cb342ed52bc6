import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { answering, closedPort, nreplWireServer } from "../rig/nrepl-wire-server.ts";

const APPROVE = '{"decision": "approve"}\n';
const MAY_STOP = { exitCode: 0, signal: null, stdout: APPROVE, stderr: "" };

/** A server that evaluates like one on the JVM, as far as these scenarios go. */
const evaluating = () =>
  nreplWireServer(
    answering(({ id = "", code = "" }, { send }) => {
      if (code === "(/ 1 0)") {
        send({ id, err: "Execution error (ArithmeticException) at user/eval1 (REPL:1).\nDivide by zero\n" });
        send({ id, ex: "class java.lang.ArithmeticException", status: ["eval-error"] });
      } else send({ id, value: "3" });
      send({ id, status: ["done"] });
    }),
  );

const bash = (name: string, command: string, more = ""): string =>
  `{:type :bash :name "${name}" :command ${JSON.stringify(command)} ${more}}`;
const stop = (...hooks: readonly string[]): string => `{:stop [${hooks.join("\n")}]}`;

describe("Stop Hook Configuration File", () => {
  test("Load valid configuration", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("one", "echo one >> ran"), bash("two", "echo two >> ran")),
    );

    const run = await project.breplStop();

    expect(run).toEqual(MAY_STOP);
    expect(project.read("ran")).toBe("one\ntwo\n");
  });

  test("No configuration file exists", async () => {
    await using project = await GauntletProject.withHooks();

    expect(await project.breplStop()).toEqual(MAY_STOP);
  });

  test.each([
    ["malformed EDN", '{:stop [{:type :bash :name "x" :command "touch ran"'],
    ["invalid hook structure", stop(bash("x", "touch ran"), "{:type :shell}")],
  ])("Invalid configuration format: %s", async (_, hooks) => {
    await using project = await GauntletProject.withHooks(hooks);

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Invalid .brepl/hooks.edn");
    expect(project.has("ran")).toBe(false);
  });
});

describe("Hook Schema Validation", () => {
  test("Valid REPL hook", async () => {
    await using project = await GauntletProject.withHooks(
      stop('{:type :repl :name "tests" :code "(run-tests)"}'),
    );

    expect(await project.breplStop()).toEqual(MAY_STOP);
  });

  test("Valid bash hook", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("lint", "true --lint src")));

    expect(await project.breplStop()).toEqual(MAY_STOP);
  });

  test("Missing required field", async () => {
    await using project = await GauntletProject.withHooks(stop('{:type :bash :command "true"}'));

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("hook 1 is missing :name");
  });

  test("Invalid field type", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("lint", "true", ':timeout "sixty"')));

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(':timeout that must be a positive integer (seconds), not "sixty"');
  });
});

describe("REPL Hook Execution", () => {
  test("Successful REPL hook execution", async () => {
    await using server = await evaluating();
    await using project = await GauntletProject.withHooks(
      stop('{:type :repl :name "sum" :code "(+ 1 2)" :required? true :retry-on-failure? false}'),
    );
    await project.write({ ".nrepl-port": `${server.port}` });

    const run = await project.breplStop();

    expect(run).toEqual(MAY_STOP);
    expect(server.received.find(({ op }) => op === "eval")).toMatchObject({ code: "(+ 1 2)" });
  });

  test("REPL hook with evaluation error", async () => {
    await using server = await evaluating();
    await using project = await GauntletProject.withHooks(stop('{:type :repl :name "sum" :code "(/ 1 0)"}'));
    await project.write({ ".nrepl-port": `${server.port}\n` });

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Hook 'sum' failed: java.lang.ArithmeticException");
    expect(run.stderr).toContain("Divide by zero");
  });

  test("No nREPL available with required hook", async () => {
    await using project = await GauntletProject.withHooks(
      stop('{:type :repl :name "tests" :code "(run)" :required? true :retry-on-failure? true}'),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Hook 'tests' could not run");
    expect(run.stderr).toContain("please pause and notify the user");
  });

  test.each([
    ["no port anywhere", undefined],
    ["a stale .nrepl-port", "closed"],
    ["a .nrepl-port that holds no number", "soon"],
  ])("No nREPL available with optional hook: %s", async (_, portFile) => {
    await using project = await GauntletProject.withHooks(
      stop('{:type :repl :name "tests" :code "(run)"}', bash("next", "touch ran")),
    );
    if (portFile !== undefined) {
      await project.write({ ".nrepl-port": portFile === "closed" ? `${await closedPort()}` : portFile });
    }

    const run = await project.breplStop();

    expect(run).toEqual(MAY_STOP);
    expect(project.has("ran")).toBe(true);
  });
});

describe("Bash Hook Execution", () => {
  test("Successful bash hook execution", async () => {
    await using project = await GauntletProject.withHooks(stop(bash("hello", "echo hello")));

    expect(await project.breplStop()).toEqual(MAY_STOP);
  });

  test("Bash hook with non-zero exit", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("no", "echo to-stdout; echo to-stderr >&2; exit 1")),
    );

    const run = await project.breplStop();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("Hook 'no' failed: exit code 1");
    expect(run.stderr).toContain("to-stdout");
    expect(run.stderr).toContain("to-stderr");
  });

  test("Bash hook with custom working directory", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("where", "pwd > ../where", ':cwd "test"')),
    );
    await project.write({ "test/.keep": "" });

    await project.breplStop();

    expect(project.read("where")).toBe(`${project.root}/test\n`);
  });

  test("Bash hook with environment variables", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("env", 'echo "$CI $DEBUG $OUTER" > env', ':env {"CI" "true", "DEBUG" "1"}')),
    );

    await project.breplStop({}, { env: { OUTER: "inherited", DEBUG: "0" } });

    expect(project.read("env")).toBe("true 1 inherited\n");
  });
});

describe("Sequential Execution with Failure Handling", () => {
  test("All hooks succeed", async () => {
    const hooks = ["1", "2", "3"].map((name) => bash(name, `echo ${name} >> order`));
    await using project = await GauntletProject.withHooks(stop(...hooks));

    const run = await project.breplStop();

    expect(run).toEqual(MAY_STOP);
    expect(project.read("order")).toBe("1\n2\n3\n");
  });

  test("Blocking hook fails with loop-on-failure", async () => {
    await using project = await GauntletProject.withHooks(
      stop(
        bash("tests", "echo 1 test failed; exit 1", ":retry-on-failure? true"),
        bash("after", "touch ran"),
      ),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain(
      "Hook 'tests' failed (attempt 1/10). Fix the issues shown below and try again:",
    );
    expect(run.stderr).toContain("1 test failed");
    expect(project.has("ran")).toBe(false);
  });

  test("Blocking hook exhausts retry limit", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "exit 1", ":retry-on-failure? true :max-retries 2"), bash("after", "touch ran")),
    );
    const codes = [(await project.breplStop()).exitCode, (await project.breplStop()).exitCode];

    const third = await project.breplStop();

    expect(codes).toEqual([2, 2]);
    expect(third).toMatchObject({ exitCode: 1, stdout: "" });
    expect(third.stderr).toContain("Hook 'tests' failed after 2 retries: retry limit reached");
    expect(project.has("ran")).toBe(true);
    expect(project.breplCounts()).toBeUndefined();
  });

  test("Blocking hook with infinite retries", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "test -f fixed", ":retry-on-failure? true :max-retries 0")),
    );
    await writeFile(project.breplCountsFile, '{"tests" 1000}', { mode: 0o600 });

    const red = await project.breplStop();
    const counted = project.breplCounts();
    await project.write({ fixed: "" });
    const fixed = await project.breplStop();

    expect(red.exitCode).toBe(2);
    expect(counted).toBe('{"tests" 1001}');
    expect(fixed).toEqual(MAY_STOP);
  });

  test("Non-looping hook fails", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("lint", "echo bad; exit 4"), bash("after", "touch ran")),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("Hook 'lint' failed: exit code 4");
    expect(project.has("ran")).toBe(true);
  });
});

describe("State Persistence for Retry Tracking", () => {
  test("Track retry count across invocations", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "exit 1", ":retry-on-failure? true")),
    );

    await project.breplStop();
    const first = project.breplCounts();
    const run = await project.breplStop();

    expect(first).toBe('{"tests" 1}');
    expect(project.breplCounts()).toBe('{"tests" 2}');
    expect(run.stderr).toContain("(attempt 2/10)");
  });

  test("Reset retry count on success", async () => {
    await using project = await GauntletProject.withHooks(
      stop(
        bash("tests", "test -f fixed", ":retry-on-failure? true"),
        bash("other", "exit 1", ":retry-on-failure? true"),
      ),
    );
    for (let attempt = 1; attempt <= 2; attempt++) await project.breplStop();
    const before = project.breplCounts();
    await project.write({ fixed: "" });

    await project.breplStop();

    expect(before).toBe('{"tests" 2}');
    expect(project.breplCounts()).toBe('{"other" 1}');
  });

  test("Isolate state by session", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "exit 1", ":retry-on-failure? true")),
    );
    const other = `${project.breplSession}-other`;

    await project.breplStop();
    const [mine, theirs] = [await project.breplStop(), await project.breplStop({ session_id: other })];
    await project.brepl(["hook", "session-end"], { stdin: JSON.stringify({ session_id: other }) });

    expect(mine.stderr).toContain("(attempt 2/10)");
    expect(theirs.stderr).toContain("(attempt 1/10)");
    expect(project.breplCounts()).toBe('{"tests" 2}');
  });
});

describe("Claude Code Stop Event Integration", () => {
  test("Receive stop event input", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "exit 1", ":retry-on-failure? true")),
    );

    const run = await project.breplStop({
      stop_hook_active: true,
      permission_mode: "default",
      unknown_field: [1],
    });

    expect(run.exitCode).toBe(2);
    expect(project.breplCounts()).toBe('{"tests" 1}');
  });

  test("All hooks pass", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "true", ":retry-on-failure? true")),
    );

    expect(await project.breplStop()).toEqual(MAY_STOP);
  });

  test("Hook fails with loop-on-failure", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "echo why; exit 1", ":retry-on-failure? true")),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("why");
  });

  test("Hook fails without loop-on-failure", async () => {
    await using project = await GauntletProject.withHooks(
      stop(bash("tests", "echo why; exit 1", ":retry-on-failure? false")),
    );

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("why");
  });
});
