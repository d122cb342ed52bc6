import { describe, expect, test } from "vitest";
import { effectiveSettings } from "../../../src/config/gauntlet/effective.ts";
import { absolutePath } from "../../../src/path.ts";
import type { CheckGate, ReviewGate } from "../../../src/gates/gate.ts";
import { loadProject, settingsOf, tempProject, told } from "../temp-project.ts";

const CLI = "cli: { default_preference: [codex, claude] }\n";

describe("a configuration of the original system", () => {
  test("reviews in YAML files have a built-in prompt, one from a file or that of a skill", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": CLI,
      ".gauntlet/reviews/quality.yml": "builtin: code-quality\nnum_reviews: 2\n",
      ".gauntlet/reviews/all.yaml": "builtin: all-reviewers\n",
      ".gauntlet/reviews/own.yml": "prompt_file: prompts/own.md\n",
      ".gauntlet/prompts/own.md": "Look at the names.\n",
      ".gauntlet/reviews/skilled.yml": "skill_name: api-review\n",
      ".claude/skills/api-review/SKILL.md": "---\nname: api-review\n---\nCompare with docs/api.md.\n",
      ".gauntlet/reviews/headed.md": "---\nprompt_file: prompts/own.md\n---\n",
    });

    const reviews = gatesOf(loaded).filter((gate) => gate.kind === "review");
    const prompts = Object.fromEntries(reviews.map(({ name, prompt }) => [name, prompt]));
    expect(told(loaded)).toBe("");
    expect(prompts).toMatchObject({
      own: "Look at the names.",
      headed: "Look at the names.",
      skilled: "Compare with docs/api.md.",
      quality: expect.stringContaining("maintain") as string,
    });
    expect(prompts["all"]).toMatch(/maintain[\s\S]*abuse[\s\S]*fail/);
    expect(reviews.find(({ name }) => name === "quality")).toMatchObject({ numReviews: 2 });
  });

  test("a prompt that cannot be found is an error at its place", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": CLI,
      ".gauntlet/reviews/own.yml": "prompt_file: gone.md\n",
      ".gauntlet/reviews/skilled.yml": "skill_name: gone\n",
    });

    expect(told(loaded)).toContain(".gauntlet/reviews/own.yml:1:14: error: .gauntlet/gone.md does not exist");
    expect(told(loaded)).toContain(".gauntlet/reviews/skilled.yml:1:13: error: .claude/skills/gone/SKILL.md");
  });

  test("what is not enabled never runs, asks for nothing and is no mistake", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml":
        "checks: { a: npm test, b: { command: x, enabled: false } }\nentry_points: [{ path: src, checks: [a, b], reviews: [task, skilled] }]\n",
      ".gauntlet/reviews/task.md": "---\nenabled: false\n---\nCompare with the task.\n",
      ".gauntlet/reviews/skilled.yml": "skill_name: elsewhere\nenabled: false\n",
    });

    expect(told(loaded)).toBe("");
    expect(gatesOf(loaded).map(({ name }) => name)).toEqual(["a"]);
  });

  test("gates may be written inside an entry point, each for itself", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": `${CLI}entry_points:
  - path: web
    checks:
      - lint: npm run lint
      - test: { command: npm test, timeout: 60 }
    reviews: [{ all-reviewers: { builtin: all-reviewers, model: m } }]
  - path: api
    checks: [{ lint: cargo clippy }, { off: { command: x, enabled: false } }, test]
`,
    });

    expect(told(loaded)).toBe("");
    const [web, api] = settingsOf(loaded).entryPoints.map(({ gates }) => gates);
    expect(web).toMatchObject([
      { name: "lint", command: "npm run lint" },
      { name: "test", command: "npm test", timeoutMs: 60_000 },
      { name: "all-reviewers", kind: "review", model: "m", cliPreference: ["codex", "claude"] },
    ]);
    expect(api).toMatchObject([
      { name: "lint", command: "cargo clippy" },
      { name: "test", command: "npm test" },
    ]);
  });

  test("a gate that is not defined leaves the others", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml":
        "checks: { test: npm test }\nentry_points: [{ path: ., checks: [test, biuld] }]\n",
    });

    expect(gatesOf(loaded).map(({ name }) => name)).toEqual(["test"]);
    expect(told(loaded)).toContain("warning: there is no check `biuld`, so it does not run");
  });

  test("keys without effect are named once, with the reason, and reject nothing", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": `name: shop
cli: { default_preference: [opencode], check_usage_limit: true }
stop_hook: { auto_push_pr: true, auto_fix_pr: true }
logging: { level: debug }
`,
      ".gauntlet/checks/a.yml": "command: x\nname: other\nrerun_command: x --again\n",
      ".gauntlet/checks/b.yml": "command: y\nrerun_command: y --again\nfail_fast: true\n",
      ".gauntlet/reviews/one.md": "---\ninclude_context: true\npass_pattern: PASS\n---\nLook.\n",
      ".gauntlet/reviews/two.md": "---\ninclude_context: false\nfail_fast: true\ngit_ref: main\n---\nLook.\n",
    });

    const named = [...told(loaded).matchAll(/warning: `(\w+)` has no effect here: \w/g)].map(
      ([, key]) => key,
    );
    expect(named.toSorted((a = "", b = "") => a.localeCompare(b))).toEqual([
      "auto_fix_pr",
      "auto_push_pr",
      "check_usage_limit",
      "git_ref",
      "include_context",
      "logging",
      "pass_pattern",
      "rerun_command",
    ]);
    expect(gatesOf(loaded)).toMatchObject([
      { name: "a", parallel: true },
      { name: "b", parallel: false, failFast: true },
      { name: "one", cliPreference: ["opencode"] },
      { name: "two", parallel: false, failFast: true },
    ]);
  });

  test("adapters say how reviewers are called", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": `reviews: [security]
cli:
  default_preference: [codex]
  adapters:
    codex: { allow_tool_use: false, thinking_budget: low, model: small }
`,
    });

    expect(told(loaded)).toBe("");
    expect(gatesOf(loaded)).toMatchObject([
      { adapters: { codex: { mayUseTools: false, thinkingBudget: "low", model: "small" } } },
    ]);
  });

  test("instructions have a second name, and a skill is an instruction", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "",
      ".gauntlet/checks/a.yml": "command: x\nfix_instructions_file: how.md\nfix_with_skill: mender\n",
      ".gauntlet/how.md": "Start the database.\n",
    });

    expect(gatesOf(loaded)).toMatchObject([
      { fixInstructions: "Start the database.\nUse the skill `mender` to fix this." },
    ]);
  });

  test("`.validator` is read where there is no `.gauntlet/config.yml`", async () => {
    const files = {
      ".validator/config.yml": `${CLI}entry_points: [{ path: ., checks: [{ build: make }, lint] }]\n`,
      ".validator/checks/lint.yml": "command: make lint\n",
    };
    const alone = await loadProject(files);
    const both = await loadProject({ ...files, ".gauntlet/config.yml": "checks: { test: npm test }\n" });

    expect(gatesOf(alone).map(({ name }) => name)).toEqual(["build", "lint"]);
    expect(settingsOf(alone).logDir).toBe("validator_logs");
    expect(gatesOf(both).map(({ name }) => name)).toEqual(["test"]);
    expect(settingsOf(both).logDir).toBe("gauntlet_logs");
  });

  test("`config` shows what every gate became", async () => {
    await using project = await tempProject({
      ".gauntlet/config.yml": `${CLI}entry_points: [{ path: src, checks: [{ build: make }, lint], reviews: [quality, task] }]\n`,
      ".gauntlet/checks/lint.yml": "command: make lint\n",
      ".gauntlet/reviews/quality.yml": "builtin: code-quality\nnum_reviews: 2\n",
      ".gauntlet/reviews/task.md": "---\nenabled: false\n---\nCompare with the task.\n",
    });

    const shown = await effectiveSettings(absolutePath(project.path(".")), {});

    const gates = shown.ok ? shown.value.map(({ key, value }) => `${key}: ${String(value)}`) : [];
    expect(gates).toEqual(
      expect.arrayContaining([
        "checks.lint: make lint",
        "reviews.quality: by codex, claude, 2 times",
        "reviews.task: off (enabled: false)",
        "entry_points[0] src: check build: make",
      ]),
    );
  });
});

function gatesOf(loaded: Awaited<ReturnType<typeof loadProject>>): readonly (CheckGate | ReviewGate)[] {
  return settingsOf(loaded).entryPoints.flatMap(({ gates }) => gates);
}
