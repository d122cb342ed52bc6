import { chmod, mkdir, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { loadConfig, loadProject, tempProject, told } from "./temp-project.ts";

/** What is reported about a config.yml, line by line. */
async function toldAbout(text: string | Uint8Array): Promise<string> {
  return told(await loadConfig(text));
}

describe("every problem of every file is reported at once", () => {
  test("with place, excerpt and advice", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": `max_retries: three
stop_hook: { when_active: enforced }
checks:
  build: npm run build
entry_points:
  - path: src
    checks: [biuld, lint, security]
    reviews: [security]
`,
      ".gauntlet/checks/lint.yml": "comand: npm run lint\n",
      ".gauntlet/reviews/style.md":
        "---\nnum_reviews: 0\ncli_preference: [cluade]\n---\nLook at the style.\n",
    });

    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:14: error: \`max_retries\` must be a whole number, not the text "three"
          max_retries: three
                       ^
      .gauntlet/config.yml:2:27: error: \`stop_hook.when_active\` must be allow or enforce, not the text "enforced"
          stop_hook: { when_active: enforced }
                                    ^
        → did you mean \`enforce\`?
      .gauntlet/config.yml:7:14: warning: there is no check \`biuld\`, so it does not run
              checks: [biuld, lint, security]
                       ^
        → did you mean \`build\`?
      .gauntlet/config.yml:7:27: warning: there is no check \`security\`, so it does not run
              checks: [biuld, lint, security]
                                    ^
        → define it under \`checks:\` or in .gauntlet/checks/security.yml
      .gauntlet/config.yml:8:15: warning: there is no review \`security\`, so it does not run
              reviews: [security]
                        ^
        → it is built in: add \`reviews: [security]\` at the top of config.yml
      .gauntlet/checks/lint.yml:1:1: error: \`command\` is missing: it must be a shell command
          comand: npm run lint
          ^
      .gauntlet/checks/lint.yml:1:1: warning: unknown key \`comand\` is ignored
          comand: npm run lint
          ^
        → did you mean \`command\`?
      .gauntlet/reviews/style.md:2:14: error: \`num_reviews\` must be at least 1, not 0
          num_reviews: 0
                       ^
      .gauntlet/reviews/style.md:3:18: error: \`cli_preference[0]\` must be claude, codex, gemini, github-copilot, cursor, opencode, or \`command:\` followed by a shell line
          cli_preference: [cluade]
                           ^
        → did you mean \`claude\`?"
    `);
  });

  test("even if config.yml itself cannot be parsed", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "checks: [",
      ".gauntlet/checks/lint.yml": "timeout: 5\n",
    });

    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:10: error: a \`[\` or \`{\` above is not closed, or what it holds is not indented enough
          checks: [
                   ^
      .gauntlet/checks/lint.yml:1:1: error: \`command\` is missing: it must be a shell command
          timeout: 5
          ^"
    `);
  });
});

describe("config.yml", () => {
  test("warns about unknown keys and is used all the same", async () => {
    const loaded = await loadConfig(
      "baseBranch: main\nchecks:\n  a: x\n  b: { command: y, retries: 2 }\nfoo: 1\n",
    );

    expect(loaded.ok).toBe(true);
    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:1: warning: unknown key \`baseBranch\` is ignored
          baseBranch: main
          ^
        → did you mean \`base_branch\`?
      .gauntlet/config.yml:4:20: warning: unknown key \`checks.b.retries\` is ignored
            b: { command: y, retries: 2 }
                             ^
        → known keys: command, working_directory, enabled, on, needs, parallel, fail_fast, run_in_ci, run_locally, edit_timeout, edit_fix, timeout, fix_instructions, fix_instructions_file, fix_with_skill, fix, env, shell, warn_only, reruns, rerun_command, parser, report, coverage, only_new, inputs, run_on, platform, toolchain, files, name
      .gauntlet/config.yml:5:1: warning: unknown key \`foo\` is ignored
          foo: 1
          ^
        → known keys: extends, name, base_branch, log_dir, allow_parallel, max_parallel, max_retries, retry, only_new, baseline, entry_points, checks, reviews, cli, on_give_up, guards, run_ahead, protected_files, remote, stop_hook, debug_log, rerun_new_issue_threshold"
    `);
  });

  test("says what a value of the wrong type should be", async () => {
    const text = `base_branch: 7
log_dir: [a]
allow_parallel: yes
max_parallel: 0
max_retries: 1.5
entry_points: src
checks: npm test
reviews: security
cli: claude
stop_hook: true
debug_log: maybe
rerun_new_issue_threshold: 2
`;

    expect(await toldAbout(text)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:14: error: \`base_branch\` must be the name of a branch, not 7
          base_branch: 7
                       ^
        → put it in quotes: \`"7"\`
      .gauntlet/config.yml:2:10: error: \`log_dir\` must be a directory of the project, not a list
          log_dir: [a]
                   ^
        → write one line: \`a\`
      .gauntlet/config.yml:3:17: error: \`allow_parallel\` must be true or false, not the text "yes"
          allow_parallel: yes
                          ^
        → write \`true\`
      .gauntlet/config.yml:4:15: error: \`max_parallel\` must be at least 1, not 0
          max_parallel: 0
                        ^
      .gauntlet/config.yml:5:14: error: \`max_retries\` must be a whole number, not 1.5
          max_retries: 1.5
                       ^
      .gauntlet/config.yml:6:15: error: \`entry_points\` must be a list of maps that begin with \`path:\`, or \`auto\`, not the text "src"
          entry_points: src
                        ^
      .gauntlet/config.yml:7:9: error: \`checks\` must be a map of names and commands, not the text "npm test"
          checks: npm test
                  ^
      .gauntlet/config.yml:8:10: error: \`reviews\` must be a list of built-in reviews, or a map of names and prompts, not the text "security"
          reviews: security
                   ^
      .gauntlet/config.yml:9:6: error: \`cli\` must be a map (\`key: value\` lines), not the text "claude"
          cli: claude
               ^
      .gauntlet/config.yml:10:12: error: \`stop_hook\` must be a map (\`key: value\` lines), not true
          stop_hook: true
                     ^
      .gauntlet/config.yml:11:12: error: \`debug_log\` must be true, false or a map (\`key: value\` lines), not the text "maybe"
          debug_log: maybe
                     ^
      .gauntlet/config.yml:12:28: error: \`rerun_new_issue_threshold\` must be critical, high, medium or low, not 2
          rerun_new_issue_threshold: 2
                                     ^"
    `);
  });

  test("says what is wrong with a check", async () => {
    const text = `checks:
  list: [npm, test]
  nothing:
  empty: ""
  no-command: { timeout: 5 }
  unit: { command: x, timeout: 5 parsecs }
  quoted: { command: x, timeout: "5" }
  negative: { command: x, timeout: 0 }
  long: { command: x, timeout: 1000000 }
  days: { command: x, timeout: 25h }
  fast: { command: x, parallel: true, fail_fast: true }
  absolute: { command: x, working_directory: /tmp }
  env: { command: x, env: { A: [1], B: , "C=D": x } }
  -x: x
  a/b: x
`;

    expect(await toldAbout(text)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:2:9: error: \`checks.list\` must be a shell command, or a map with \`command\`, not a list
            list: [npm, test]
                  ^
        → write one line: \`npm test\`
      .gauntlet/config.yml:3:11: error: \`checks.nothing\` must be a shell command, or a map with \`command\`, but it is empty
            nothing:
                    ^
        → give it a value, or remove the line
      .gauntlet/config.yml:4:10: error: \`checks.empty\` must not be empty
            empty: ""
                   ^
      .gauntlet/config.yml:5:3: error: \`checks.no-command.command\` is missing: it must be a shell command
            no-command: { timeout: 5 }
            ^
      .gauntlet/config.yml:6:32: error: \`checks.unit.timeout\` must be a number of seconds, or a duration such as \`90s\` or \`2m\`
            unit: { command: x, timeout: 5 parsecs }
                                         ^
      .gauntlet/config.yml:7:34: error: \`checks.quoted.timeout\` must be a number of seconds, or a duration such as \`90s\` or \`2m\`
            quoted: { command: x, timeout: "5" }
                                           ^
      .gauntlet/config.yml:8:36: error: \`checks.negative.timeout\` must be more than 0, not 0
            negative: { command: x, timeout: 0 }
                                             ^
      .gauntlet/config.yml:9:32: error: \`checks.long.timeout\` must be at most 86400, not 1000000
            long: { command: x, timeout: 1000000 }
                                         ^
      .gauntlet/config.yml:10:32: error: \`checks.days.timeout\` must be more than nothing and at most a day
            days: { command: x, timeout: 25h }
                                         ^
      .gauntlet/config.yml:11:50: error: \`checks.fast.fail_fast\` does not go with \`parallel: true\`: only gates that run one after another can stop the ones behind them
            fast: { command: x, parallel: true, fail_fast: true }
                                                           ^
      .gauntlet/config.yml:12:46: error: \`checks.absolute.working_directory\` must be a relative path inside the project, without \`..\`
            absolute: { command: x, working_directory: /tmp }
                                                       ^
      .gauntlet/config.yml:13:32: error: \`checks.env.env.A\` must be text, a number, or true or false, not a list
            env: { command: x, env: { A: [1], B: , "C=D": x } }
                                         ^
      .gauntlet/config.yml:13:40: error: \`checks.env.env.B\` must be text, a number, or true or false, but it is empty
            env: { command: x, env: { A: [1], B: , "C=D": x } }
                                                 ^
        → give it a value, or remove the line
      .gauntlet/config.yml:13:42: error: \`checks.env.env.C=D\` cannot be the name of a variable
            env: { command: x, env: { A: [1], B: , "C=D": x } }
                                                   ^
      .gauntlet/config.yml:14:3: error: \`-x\` cannot be the name of a gate
            -x: x
            ^
        → a name has up to 100 characters, none of them \`/\`, \`\\\` or \`:\`, and does not begin with \`-\`
      .gauntlet/config.yml:15:3: error: \`a/b\` cannot be the name of a gate
            a/b: x
            ^
        → a name has up to 100 characters, none of them \`/\`, \`\\\` or \`:\`, and does not begin with \`-\`"
    `);
  });

  test("says what is wrong with a review", async () => {
    const text = `cli: { default_preference: [] }
reviews:
  both: { prompt: x, builtin: security }
  neither: { num_reviews: 2 }
  builtin: { builtin: secrity }
  priority: { prompt: x, min_priority: hihg, on_unavailable: fail, cli_preference: [gpt, "command:"] }
`;

    expect(await toldAbout(text)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:28: error: \`cli.default_preference\` must have at least one entry
          cli: { default_preference: [] }
                                     ^
      .gauntlet/config.yml:3:9: error: \`reviews.both\` needs one of \`prompt\`, \`builtin\`, \`prompt_file\` and \`skill_name\`
            both: { prompt: x, builtin: security }
                  ^
      .gauntlet/config.yml:4:12: error: \`reviews.neither\` needs one of \`prompt\`, \`builtin\`, \`prompt_file\` and \`skill_name\`
            neither: { num_reviews: 2 }
                     ^
      .gauntlet/config.yml:5:23: error: \`reviews.builtin.builtin\` must be code-quality, security, error-handling, security-and-errors, all-reviewers, task-compliance or test-integrity, not the text "secrity"
            builtin: { builtin: secrity }
                                ^
        → did you mean \`security\`?
      .gauntlet/config.yml:6:40: error: \`reviews.priority.min_priority\` must be critical, high, medium or low, not the text "hihg"
            priority: { prompt: x, min_priority: hihg, on_unavailable: fail, cli_preference: [gpt, "command:"] }
                                                 ^
        → did you mean \`high\`?
      .gauntlet/config.yml:6:62: error: \`reviews.priority.on_unavailable\` must be warn or block, not the text "fail"
            priority: { prompt: x, min_priority: hihg, on_unavailable: fail, cli_preference: [gpt, "command:"] }
                                                                       ^
      .gauntlet/config.yml:6:85: error: \`reviews.priority.cli_preference[0]\` must be claude, codex, gemini, github-copilot, cursor, opencode, or \`command:\` followed by a shell line
            priority: { prompt: x, min_priority: hihg, on_unavailable: fail, cli_preference: [gpt, "command:"] }
                                                                                              ^
      .gauntlet/config.yml:6:90: error: \`reviews.priority.cli_preference[1]\` must be claude, codex, gemini, github-copilot, cursor, opencode, or \`command:\` followed by a shell line
            priority: { prompt: x, min_priority: hihg, on_unavailable: fail, cli_preference: [gpt, "command:"] }
                                                                                                   ^"
    `);
  });

  test("says what is wrong with an entry point", async () => {
    const text = `checks: { test: npm test, lint: npm run lint }
entry_points:
  - src
  - checks: [test]
  - { path: /etc, checks: [tests] }
  - { path: ../other, checks: test }
  - { path: 'C:\\x', exclude: [a, ../b] }
  - { path: web, reviews: [security, nonsense] }
  - { path: ./web/, checks: [test] }
`;

    expect(await toldAbout(text)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:3:5: error: \`entry_points[0]\` must be a map that begins with \`path:\`, not the text "src"
            - src
              ^
      .gauntlet/config.yml:4:5: error: \`entry_points[1].path\` is missing: it must be a path or a glob
            - checks: [test]
              ^
      .gauntlet/config.yml:5:13: error: \`entry_points[2].path\` must be a relative path inside the project, without \`..\`
            - { path: /etc, checks: [tests] }
                      ^
      .gauntlet/config.yml:5:28: warning: there is no check \`tests\`, so it does not run
            - { path: /etc, checks: [tests] }
                                     ^
        → did you mean \`test\`?
      .gauntlet/config.yml:6:13: error: \`entry_points[3].path\` must be a relative path inside the project, without \`..\`
            - { path: ../other, checks: test }
                      ^
      .gauntlet/config.yml:6:31: error: \`entry_points[3].checks\` must be a list of names of checks, not the text "test"
            - { path: ../other, checks: test }
                                        ^
        → write a list: \`[test]\`
      .gauntlet/config.yml:7:13: error: \`entry_points[4].path\` must be a relative path inside the project, without \`..\`
            - { path: 'C:\\x', exclude: [a, ../b] }
                      ^
      .gauntlet/config.yml:7:34: error: \`entry_points[4].exclude[1]\` must be a relative path inside the project, without \`..\`
            - { path: 'C:\\x', exclude: [a, ../b] }
                                           ^
      .gauntlet/config.yml:8:28: warning: there is no review \`security\`, so it does not run
            - { path: web, reviews: [security, nonsense] }
                                     ^
        → it is built in: add \`reviews: [security]\` at the top of config.yml
      .gauntlet/config.yml:8:38: warning: there is no review \`nonsense\`, so it does not run
            - { path: web, reviews: [security, nonsense] }
                                               ^
        → define it under \`reviews:\` or in .gauntlet/reviews/nonsense.md
      .gauntlet/config.yml:9:7: error: the entry point \`web\` is listed twice
            - { path: ./web/, checks: [test] }
                ^
        → put its gates into one entry point"
    `);
  });

  test("warns about gates that never run and entry points without gates", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": `cli: { default_preference: [claude] }
checks: { test: npm test, lint: npm run lint }
reviews: [security]
entry_points:
  - { path: src, checks: [test, test] }
  - { path: docs }
`,
      ".gauntlet/checks/types.yml": "command: tsc\n",
    });

    expect(loaded.ok).toBe(true);
    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:2:27: warning: the check \`lint\` is not used by any entry point, so it never runs
          checks: { test: npm test, lint: npm run lint }
                                    ^
        → add it to the \`checks:\` of an entry point
      .gauntlet/config.yml:3:11: warning: the review \`security\` is not used by any entry point, so it never runs
          reviews: [security]
                    ^
        → add it to the \`reviews:\` of an entry point
      .gauntlet/config.yml:6:5: warning: the entry point \`docs\` has no gates, so its changes are not checked
            - { path: docs }
              ^
        → add \`checks:\` or \`reviews:\` to it
      .gauntlet/checks/types.yml:1:1: warning: the check \`types\` is not used by any entry point, so it never runs
          command: tsc
          ^
        → add it to the \`checks:\` of an entry point"
    `);
  });

  test.for<[what: string, text: string, hint: string]>([
    ["an empty file", "", "add `checks:`"],
    ["a misspelt key", "check: { test: npm test }", "add `checks:`"],
    ["gates that no entry point names", "checks: { a: b }\nentry_points: [{ path: web }]", "name a gate"],
    [
      "gates that run nowhere",
      "checks: { a: { command: b, run_locally: false, run_in_ci: false } }",
      "set `run",
    ],
  ])("warns if no gate can ever run: %s", async ([, text, hint]) => {
    expect(await toldAbout(text)).toContain(`warning: no gate can ever run, so nothing is checked`);
    expect(await toldAbout(text)).toContain(`  → ${hint}`);
  });

  test("asks for a reviewer only if a review needs one", async () => {
    expect(await toldAbout("reviews: { a: look, b: { prompt: look, cli_preference: [codex] } }"))
      .toMatchInlineSnapshot(`
      ".gauntlet/config.yml:1:1: error: no reviewer is named for \`a\`
          reviews: { a: look, b: { prompt: look, cli_preference: [codex] } }
          ^
        → add \`cli: { default_preference: [claude] }\`, or \`cli_preference\` to the review"
    `);
    expect(
      await toldAbout("reviews: { b: { prompt: look, cli_preference: ['command: ./review.sh'] } }"),
    ).toBe("");
  });

  test("has no endless paths", async () => {
    const text = `checks: { a: b }\nentry_points: [{ path: ${"a/".repeat(600)}, checks: [a] }]`;

    expect(await toldAbout(text)).toContain("`entry_points[0].path` must have at most 1000 characters");
  });

  test("keeps its logs out of the way", async () => {
    const paths = [".", "./", ".git", ".git/logs", ".gauntlet", "../logs", "/var/log", "~/logs"];

    const results = await Promise.all(paths.map((path) => loadConfig(`log_dir: ${path}\nchecks: { a: b }`)));

    expect(results.map((loaded) => loaded.ok)).toEqual(paths.map(() => false));
    expect(told(await loadConfig("log_dir: .gauntlet/logs\nchecks: { a: b }"))).toBe("");
  });
});

describe("gate files", () => {
  test("may not share a name", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml":
        "cli: { default_preference: [claude] }\nchecks: { lint: x }\nreviews: [security]\n",
      ".gauntlet/checks/lint.yml": "command: a",
      ".gauntlet/checks/types.yml": "command: a",
      ".gauntlet/checks/types.yaml": "command: b",
      ".gauntlet/reviews/security.md": "Look closely.",
    });

    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/checks/lint.yml:1:1: error: \`lint\` is already defined in .gauntlet/config.yml
          command: a
          ^
        → rename or remove one of them
      .gauntlet/checks/types.yml:1:1: error: \`types\` is already defined in .gauntlet/checks/types.yaml
          command: a
          ^
        → rename or remove one of them
      .gauntlet/reviews/security.md:1:1: error: \`security\` is already defined in .gauntlet/config.yml
        → rename or remove one of them"
    `);
  });

  test("have fix instructions inside .gauntlet only", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "",
      ".gauntlet/checks/a.yml": "command: x\nfix_instructions: ../README.md\n",
      ".gauntlet/checks/b.yml": "command: x\nfix_instructions: /etc/passwd\n",
      ".gauntlet/checks/c.yml": "command: x\nfix_instructions: missing.md\n",
      ".gauntlet/checks/d.yml": "command: x\nfix_instructions: checks\n",
    });

    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/checks: error: cannot be read: it is a directory, not a file
      .gauntlet/checks/a.yml:2:19: error: \`fix_instructions\` must be a relative path inside \`.gauntlet/\`, without \`..\`
          fix_instructions: ../README.md
                            ^
      .gauntlet/checks/b.yml:2:19: error: \`fix_instructions\` must be a relative path inside \`.gauntlet/\`, without \`..\`
          fix_instructions: /etc/passwd
                            ^
      .gauntlet/checks/c.yml:2:19: error: .gauntlet/missing.md does not exist
          fix_instructions: missing.md
                            ^
        → the path is relative to \`.gauntlet/\`"
    `);
  });

  test("of reviews have a closed front matter and a prompt", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "cli: { default_preference: [claude] }",
      ".gauntlet/reviews/bad-yaml.md": "---\nmodel: a\nmodel: b\n---\nLook.",
      ".gauntlet/reviews/empty.md": "",
      ".gauntlet/reviews/no-prompt.md": "---\nnum_reviews: 2\n---\n\n",
      ".gauntlet/reviews/not-a-map.md": "---\n- model\n---\nLook.",
      ".gauntlet/reviews/open.md": "---\nnum_reviews: 2\n\nLook at this.\n",
      ".gauntlet/reviews/ok.md": "---\n# nothing set\n---\nLook.\n\n---\n\nAnd look again.",
    });

    expect(told(loaded)).toMatchInlineSnapshot(`
      ".gauntlet/reviews/bad-yaml.md:3:1: error: the key \`model\` appears twice in this map
          model: b
          ^
        → remove one of them
      .gauntlet/reviews/empty.md: error: has no prompt: write what the reviewer should look for
      .gauntlet/reviews/no-prompt.md: error: has no prompt: write what the reviewer should look for
      .gauntlet/reviews/not-a-map.md:2:1: error: this must be a map (\`key: value\` lines), not a list
          - model
          ^
      .gauntlet/reviews/open.md:1:1: error: the front matter is not closed
          ---
          ^
        → end it with a line \`---\`"
    `);
  });
});

describe("YAML", () => {
  test.for<[what: string, text: string, told: string]>([
    [
      "two documents",
      "checks: { a: b }\n---\nchecks: { c: d }\n",
      "2:1: error: a second document begins here",
    ],
    ["a duplicate key", "checks:\n  a: b\n  a: c\n", "3:3: error: the key `a` appears twice in this map"],
    ["tabs", "checks:\n\ta: b\n", "2:1: error: a tab is used as indentation"],
    ["an unquoted colon", "checks:\n  a: echo b: c\n", "2:6: error: a second `: ` on one line"],
    [
      "a bracket that is not closed",
      "checks: { a: b\n",
      "2:1: error: a `[` or `{` above is not closed, or what it holds is not indented enough",
    ],
    ["a quote that is not closed", 'checks: { a: "b }\n', "1:14: error: this quote is not closed"],
    ["one far above the end", "checks:\n  a: 'b\n  c: d\n  e: f\n", "2:6: error: this quote is not closed"],
    [
      "a line without colon",
      "checks:\n  a: b\nmax_retries 3\n",
      "3:1: error: this looks like a key without a `:`",
    ],
    [
      "wrong indentation",
      "checks:\n    a: b\n  c: d\n",
      "3:1: error: the indentation does not fit the lines above",
    ],
    ["an unknown alias", "checks: { a: *b }\n", "1:14: error: there is no anchor `&b` above"],
    ["an alias to itself", "checks: &c { a: *c }\n", "1:17: error: `*c` contains itself"],
    [
      "a merge of something else",
      "checks: { <<: text, a: b }\n",
      "1:11: error: `<<` takes a map or a list of maps",
    ],
    ["a key that is a list", "? [a, b]\n: c\n", "1:3: error: a key must be plain text"],
    ["a NUL character", 'checks: { a: "b\\0c" }\n', "1:14: error: text must not contain NUL characters"],
    ["a list at the top", "- checks\n", "1:1: error: this must be a map (`key: value` lines)"],
    ["text at the top", "npm test\n", "1:1: error: this must be a map (`key: value` lines)"],
    ["a tag", "checks: { a: !run b }\n", "1:14: warning: the tag `!run` means nothing here"],
    [
      "a terminal escape",
      "checks: { a: b }\n\u001b[31mx: \u001b[0m 7\n",
      "2:1: warning: unknown key ` [31mx` is ignored",
    ],
  ])("is reported: %s", async ([, text, message]) => {
    const [first] = (await toldAbout(text)).split("\n");

    expect(first).toBe(`.gauntlet/config.yml:${message}`);
  });

  test("may use anchors, aliases and merge keys", async () => {
    const loaded = await loadConfig(`checks:
  a: &defaults { command: a, timeout: 5, env: { X: 1 } }
  b: { <<: *defaults, command: b }
  c: { <<: [*defaults], timeout: 7 }
  d: *defaults
`);

    expect(told(loaded)).toBe("");
    expect(loaded.ok && loaded.value.settings.entryPoints[0]?.gates).toMatchObject([
      { name: "a", command: "a", timeoutMs: 5000 },
      { name: "b", command: "b", timeoutMs: 5000 },
      { name: "c", command: "a", timeoutMs: 7000, env: { X: "1" } },
      { name: "d", command: "a", timeoutMs: 5000 },
    ]);
  });

  test("points at the anchor if an inherited value is wrong", async () => {
    const text = "checks:\n  a: &a\n    command: a\n    timeout: soon\n  b:\n    <<: *a\n";

    expect(await toldAbout(text)).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:4:14: error: \`checks.a.timeout\` must be a number of seconds, or a duration such as \`90s\` or \`2m\`
              timeout: soon
                       ^
      .gauntlet/config.yml:4:14: error: \`checks.b.timeout\` must be a number of seconds, or a duration such as \`90s\` or \`2m\`
              timeout: soon
                       ^"
    `);
  });

  test.for<[what: string, text: string]>([
    ["brackets", "[".repeat(50_000)],
    ["braces", "{a: ".repeat(20_000)],
    ["dashes", "- ".repeat(50_000)],
    ["a staircase", Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["64 levels", `checks: ${"[".repeat(64)}${"]".repeat(64)}`],
  ])("refuses nesting without end: %s", async ([, text]) => {
    expect(await toldAbout(text)).toContain("error: values are nested too deeply");
  });

  test("refuses an alias bomb", async () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const items = Array.from({ length: 9 }, () => `*a${level}`).join(", ");
      return `a${level + 1}: &a${level + 1} [${items}]`;
    });

    const message = await toldAbout(["a0: &a0 lol", ...levels, "checks: { a: *a30 }"].join("\n"));

    expect(message).toMatchInlineSnapshot(`
      ".gauntlet/config.yml:6:15: error: aliases unfold to more than 20000 values
          a5: &a5 [*a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4, *a4]
                        ^"
    `);
  });

  test("refuses a bomb of merge keys", async () => {
    const keys = Array.from({ length: 2000 }, (_, index) => `k${index}: x`).join(", ");
    const merges = Array.from({ length: 2000 }, (_, index) => `c${index}: { <<: *a }`).join("\n");

    expect(await toldAbout(`a: &a { ${keys} }\n${merges}`)).toContain("aliases unfold to more than");
  });
});

describe("files", () => {
  test.for<[what: string, bytes: Buffer, told: string]>([
    [
      "UTF-16 with a mark",
      Buffer.from("\uFEFFchecks: { a: b }", "utf16le"),
      "1:1: error: cannot be read: it is UTF-16; save it as UTF-8",
    ],
    [
      "UTF-16 without a mark",
      Buffer.from("checks: { a: b }", "utf16le"),
      "1:1: error: cannot be read: it is UTF-16; save it as UTF-8",
    ],
    [
      "Latin-1",
      Buffer.from("checks:\n  a: écho\n", "latin1"),
      "2:6: error: cannot be read: byte 14 is not valid UTF-8",
    ],
    [
      "a cut-off character",
      Buffer.from("checks:\n  \uFFFD: é\n").subarray(0, 16),
      "2:6: error: cannot be read: byte 16 is not valid UTF-8",
    ],
    [
      "a NUL byte",
      Buffer.from("checks:\n  a: b\0\n"),
      "2:7: error: cannot be read: byte 15 is NUL, so it is not a text file",
    ],
  ])("are reported: %s", async ([, bytes, message]) => {
    expect(await toldAbout(bytes)).toBe(`.gauntlet/config.yml:${message}`);
  });

  test("may have a byte order mark and Windows line ends", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "\uFEFFcli: { default_preference: [claude] }\r\nchecks:\r\n  a: b\r\n",
      ".gauntlet/reviews/r.md": "\uFEFF---\r\nnum_reviews: 2\r\n---\r\nLook\r\nclosely.\r\n",
    });

    expect(told(loaded)).toBe("");
    expect(loaded.ok && loaded.value.settings.entryPoints[0]?.gates).toMatchObject([
      { name: "a", command: "b" },
      { name: "r", numReviews: 2, prompt: "Look\nclosely." },
    ]);
  });

  test("may not be large", async () => {
    expect(await toldAbout(`# ${"x".repeat(2_000_000)}`)).toMatchInlineSnapshot(
      `".gauntlet/config.yml: error: cannot be read: it is larger than 1 MB"`,
    );
    expect(await toldAbout(`# ${"x".repeat(300_000)}`)).toMatchInlineSnapshot(
      `".gauntlet/config.yml: error: is larger than 256 KB, which no configuration needs"`,
    );
  });

  test("may not be directories, and directories may not be files", async () => {
    await using project = await tempProject({ ".gauntlet/reviews": "a file" });
    await mkdir(project.path(".gauntlet/config.yml"), { recursive: true });
    await mkdir(project.path(".gauntlet/checks/lint.yml"), { recursive: true });

    expect(told(await project.load())).toMatchInlineSnapshot(`
      ".gauntlet/config.yml: error: cannot be read: it is a directory, not a file
      .gauntlet/checks/lint.yml: error: cannot be read: it is a directory, not a file
      .gauntlet/reviews: error: cannot be read: it is not a directory"
    `);
  });

  test("may not be devices, which never end", async () => {
    await using project = await tempProject({ ".gauntlet/checks/a.yml": "command: x" });
    await symlink("/dev/zero", project.path(".gauntlet/config.yml"));

    expect(told(await project.load())).toMatchInlineSnapshot(
      `".gauntlet/config.yml: error: cannot be read: it is not a regular file"`,
    );
  });

  test.skipIf(process.getuid?.() === 0)("must be readable", async () => {
    await using project = await tempProject({ ".gauntlet/config.yml": "checks: { a: b }" });
    await chmod(project.path(".gauntlet/config.yml"), 0);

    expect(told(await project.load())).toBe(".gauntlet/config.yml: error: cannot be read: permission denied");
  });
});

describe("mistakes in a check get the reason, and what to type", () => {
  test.each([
    ["parser: eslnt", "did you mean `eslint`?"],
    ["parser: nothing-like-it", "→ known names: none, "],
    ["parser: { pattern: '^(?<file>.+?(\\d+): (.*)$' }", "is not a regular expression: Unterminated group"],
    ["parser: { pattern: '^(.*)$' }", "must have a group `(?<file>…)` or `(?<test>…)`"],
    ["needs: [a]", "`a` needs itself, so it could never start"],
    ['files: ["[a-"]', "has a `[` or `{` that is not closed (write `[[]` for the character itself)"],
    ['inputs: ["src/*.{ts"]', "has a `[` or `{` that is not closed"],
  ])("%s", async (line, words) => {
    expect(await toldAbout(`checks:\n  a:\n    command: x {files}\n    ${line}\n`)).toContain(words);
  });

  test.each(["pages/[id].ts", "src/**/*.{ts,tsx}", "[[]a", "a\\\\[b"])(
    "the glob %s is fine",
    async (glob) => {
      const config = `checks: { a: { command: "x {files}", files: ["${glob}"] } }\n`;

      expect(await toldAbout(config)).toBe("");
    },
  );
});

describe("reruns", () => {
  test.each([
    ["rerun_command: npm t", "`rerun_command` has no effect here: without `reruns`"],
    ["reruns: 1, rerun_command: npm t '{failed_files}'", "without quotation marks around it"],
    ["reruns: 1, rerun_command: npm t {files}", "knows `{failed_files}`, not `{files}`"],
    ["reruns: 9", "`checks.a.reruns` must be at most 5, not 9"],
    ["reruns: -1", "`checks.a.reruns` must be at least 0, not -1"],
  ])("%j is refused in words", async (keys, words) => {
    const lines = ["command: x", ...keys.split(/, (?=\w+:)/)].map((line) => `    ${line}\n`);

    expect(await toldAbout(`checks:\n  a:\n${lines.join("")}`)).toContain(words);
  });
});
