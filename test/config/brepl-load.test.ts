import { describe, expect, test } from "vitest";
import { BREPL_TEMPLATE } from "../../src/brepl/hook-settings.ts";
import { readHooks } from "../../src/config/brepl/load.ts";
import { SourceText } from "../../src/config/source-text.ts";
import { formatDiagnostic } from "../../src/trouble.ts";

const read = (text: string) => readHooks(new SourceText(".brepl/hooks.edn", text));
const problems = (text: string) => read(text).diagnostics.map(formatDiagnostic).join("\n");

describe("a hook", () => {
  test("of type :repl has defaults for everything but its name and code", () => {
    expect(read('{:stop [{:type :repl :name "tests" :code "(run-tests)"}]}')).toEqual({
      hooks: [
        {
          gate: {
            kind: "repl",
            name: "tests",
            code: "(run-tests)",
            timeoutMs: 60_000,
            required: false,
            parallel: false,
            failFast: false,
            warnOnly: false,
            runInCi: true,
            runLocally: true,
          },
          retryOnFailure: false,
          maxRetries: 10,
          required: false,
        },
      ],
      diagnostics: [],
    });
  });

  test("of type :bash takes every field", () => {
    const { hooks, diagnostics } = read(`{:stop [{:type :bash :name "lint" :command "clj-kondo --lint src"
      :retry-on-failure? true :max-retries 0 :required? true :timeout 5 :cwd "./sub/" :env {"CI" "true"}}]}`);

    expect(diagnostics).toEqual([]);
    expect(hooks).toMatchObject([
      {
        gate: {
          kind: "check",
          command: "clj-kondo --lint src",
          workingDirectory: "sub",
          env: { CI: "true" },
          timeoutMs: 5_000,
        },
        retryOnFailure: true,
        maxRetries: 0,
        required: true,
      },
    ]);
  });

  test.each([
    ["a list", "(do (run ;; all\n 'x))", "(do (run ;; all\n 'x))"],
    ["a symbol", "my.ns/run", "my.ns/run"],
    ["a list with metadata", "^:slow (run)", "^:slow (run)"],
  ])("sends %s as it is written", (_, form, code) => {
    expect(read(`{:stop [{:type :repl :name "x" :code ${form}}]}`).hooks).toMatchObject([{ gate: { code } }]);
  });

  test("may wait longer than a timer can count", () => {
    const { hooks } = read('{:stop [{:type :bash :name "x" :command "y" :timeout 99999999999999999999}]}');

    expect(hooks[0]?.gate.timeoutMs).toBe(2 ** 31 - 1);
  });
});

describe("a file", () => {
  test.each(["{}", "{:stop []}", "{:stop ()}", "{:stop nil}", "nil", "; only words", "{:other 1}"])(
    "%s has no hooks",
    (text) => {
      expect(read(text)).toEqual({ hooks: [], diagnostics: [] });
    },
  );

  test("keeps the order of its hooks, in a list too", () => {
    const { hooks } = read(
      '{:stop ({:type :bash :name "b" :command "x"} {:type :bash :name "a" :command "x"})}',
    );

    expect(hooks.map(({ gate }) => gate.name)).toEqual(["b", "a"]);
  });

  test.each<[written: readonly string[], names: readonly string[]]>([
    [
      ["lint", "lint", "test", "lint"],
      ["lint", "lint#2", "test", "lint#3"],
    ],
    [
      ["lint", "lint", "lint#2"],
      ["lint", "lint#3", "lint#2"],
    ],
  ])("hooks called %j are known as %j, with a warning", (written, names) => {
    const { hooks, diagnostics } = read(
      `{:stop [${written.map((name) => `{:type :bash :name "${name}" :command "x"}`).join(" ")}]}`,
    );

    expect(hooks.map(({ gate }) => gate.name)).toEqual(names);
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(["warning"]));
    expect(diagnostics[0]?.message).toContain('an earlier hook is called "lint" too');
  });

  test.each([
    ['"2m"', 120_000],
    ['"90s"', 90_000],
    ["7200", 7_200_000],
  ])("a :timeout of %s is %i ms", (written, timeoutMs) => {
    const { hooks } = read(`{:stop [{:type :bash :name "x" :command "y" :timeout ${written}}]}`);

    expect(hooks[0]?.gate.timeoutMs).toBe(timeoutMs);
  });

  test("gets all its problems reported at once, with their places and what to do", () => {
    const text = `{:stop [{:type :bash :name "lint" :cmd "clj-kondo" :timeout "sixty"}
        {:type :repl :code "(run)" :max-retries -1}
        {:type "repl" :name "x" :code [1]}
        "not a hook"
        {:type :bash :name "lint" :command "x" :env {"A" 1, :b "c"} :required? 1}]}`;

    expect(problems(text)).toMatchInlineSnapshot(`
      ".brepl/hooks.edn:1:35: error: hook "lint" is missing :command
          {:stop [{:type :bash :name "lint" :cmd "clj-kondo" :timeout "sixty"}
                                            ^
        → it has :cmd, which should be :command
      .brepl/hooks.edn:1:61: error: hook "lint" has a :timeout that must be a positive integer (seconds), not "sixty"
          {:stop [{:type :bash :name "lint" :cmd "clj-kondo" :timeout "sixty"}
                                                                      ^
        → "sixty" is not an integer; write a number such as 60
      .brepl/hooks.edn:2:9: error: hook 2 is missing :name
                  {:type :repl :code "(run)" :max-retries -1}
                  ^
        → add :name, a string
      .brepl/hooks.edn:2:49: error: hook 2 has a :max-retries that must be an integer, 0 or more, not -1
                  {:type :repl :code "(run)" :max-retries -1}
                                                          ^
      .brepl/hooks.edn:3:16: error: hook "x" has a :type that must be :repl or :bash, not "repl"
                  {:type "repl" :name "x" :code [1]}
                         ^
        → write :repl, a keyword
      .brepl/hooks.edn:4:9: error: hook 4 must be a map
                  "not a hook"
                  ^
      .brepl/hooks.edn:5:58: error: hook "lint" has an :env value that must be a string, not 1
                  {:type :bash :name "lint" :command "x" :env {"A" 1, :b "c"} :required? 1}]}
                                                                   ^
        → put it in quotes: "1"
      .brepl/hooks.edn:5:61: error: hook "lint" has an :env key that must be a string without "=", not :b
                  {:type :bash :name "lint" :command "x" :env {"A" 1, :b "c"} :required? 1}]}
                                                                      ^
      .brepl/hooks.edn:5:80: error: hook "lint" has a :required? that must be true or false, not 1
                  {:type :bash :name "lint" :command "x" :env {"A" 1, :b "c"} :required? 1}]}
                                                                                         ^
      .brepl/hooks.edn:5:28: warning: an earlier hook is called "lint" too, so this one is counted and reported with a number
                  {:type :bash :name "lint" :command "x" :env {"A" 1, :b "c"} :required? 1}]}
                                     ^
        → give it a unique name"
    `);
  });

  test.each([
    ["{:stop 5}", ".brepl/hooks.edn:1:8: error: :stop must be a vector of hooks"],
    ["[1]", ".brepl/hooks.edn:1:1: error: the file must hold a map"],
    ["{:stop [\n  {:type :bash", ".brepl/hooks.edn:2:3: error: this { is never closed"],
    ['{:stop [{:type :bash :name "x" :command "a\\u0000b"}]}', "a string without NUL characters"],
    ['{:stop [{:type :bash :name x :command "y"}]}', 'put it in quotes: "x"'],
    ['{:stop [{:type :bash :name "x" :command "y" :timeout "60"}]}', "drop the quotes: 60"],
    ['{:stop [{:type :bash :name "x" :command "y" :timeout 1.5}]}', "a positive integer (seconds), not 1.5"],
    ['{:stop [{:type :bash :name "x" :command "y" :timeout 0}]}', "a positive integer (seconds), not 0"],
    ['{:stop [{:type :sh :name "x"}]}', ":repl or :bash, not :sh"],
    ['{:stop [{:type :repl :name "x" :code #(run)}]}', "#( is not EDN"],
    ['{:stop [{:type :bash :name "x" :command "y" :env {"A=B" "c"}}]}', 'a string without "="'],
  ])("%s", (text, expected) => {
    const { hooks } = read(text);

    expect(problems(text)).toContain(expected);
    expect(hooks).toEqual([]);
  });

  test("may have unknown keys, but likely typos are mentioned", () => {
    const { hooks, diagnostics } = read(
      '{:stop [{:type :bash :name "x" :command "y" :retry-on-failure true :max-retry 1 :mine 2}]}',
    );

    expect(hooks).toHaveLength(1);
    expect(diagnostics.map(({ severity, hint }) => [severity, hint])).toEqual([
      ["warning", "perhaps :retry-on-failure? is meant"],
      ["warning", "perhaps :max-retries is meant"],
    ]);
  });

  test("written for brepl 2.7 gets a note on what :required? does not do", () => {
    const { hooks, diagnostics } = read('{:stop [{:type :bash :name "x" :command "y" :required? true}]}');

    expect(hooks).toHaveLength(1);
    expect(diagnostics).toMatchObject([
      { severity: "warning", hint: expect.stringContaining(":retry-on-failure? true") },
    ]);
  });
});

describe("the template that `brepl hook install` writes", () => {
  test("has no hooks until one is wanted", () => {
    expect(readHooks(new SourceText("hooks.edn", BREPL_TEMPLATE))).toEqual({ hooks: [], diagnostics: [] });
  });

  test("has examples that work once they are not commented out", () => {
    const { hooks, diagnostics } = readHooks(
      new SourceText("hooks.edn", BREPL_TEMPLATE.replaceAll("#_{", "{")),
    );

    expect(diagnostics).toEqual([]);
    expect(hooks.map(({ gate, retryOnFailure }) => [gate.kind, gate.name, retryOnFailure])).toEqual([
      ["repl", "tests", true],
      ["check", "lint", false],
    ]);
  });

  test.each([
    ":type",
    ":name",
    ":retry-on-failure?",
    ":max-retries",
    ":required?",
    ":timeout",
    ":code",
    ":command",
    ":cwd",
    ":env",
  ])("explains %s", (field) => {
    expect(BREPL_TEMPLATE).toMatch(new RegExp(`^;;   ${field.replace("?", "\\?")} `, "m"));
  });
});
