import { expect, test } from "vitest";
import { loadConfig, loadProject, settingsOf, told } from "../temp-project.ts";

test("reviews come from a list of built-in names", async () => {
  const loaded = await loadConfig(
    "cli: { default_preference: [codex] }\nreviews: [security, test-integrity]\n",
  );

  expect(told(loaded)).toBe("");
  expect(settingsOf(loaded).entryPoints[0]?.gates).toMatchObject([
    { kind: "review", name: "security", cliPreference: ["codex"], prompt: expect.stringContaining("abuse") },
    { kind: "review", name: "test-integrity", prompt: expect.stringContaining("tests") },
  ]);
});

test("reviews come from a map of prompts", async () => {
  const loaded = await loadConfig(`cli: { default_preference: [claude, "command: ./review.sh --json"] }
reviews:
  naming: Look at the names.
  strict: { builtin: security, min_priority: high, cli_preference: [gemini] }
`);

  expect(told(loaded)).toBe("");
  expect(settingsOf(loaded).entryPoints[0]?.gates).toMatchObject([
    {
      name: "naming",
      prompt: "Look at the names.",
      cliPreference: ["claude", "command: ./review.sh --json"],
    },
    {
      name: "strict",
      prompt: expect.stringContaining("abuse"),
      minPriority: "high",
      cliPreference: ["gemini"],
    },
  ]);
});

test("reviews come from Markdown files with front matter", async () => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": "",
    ".gauntlet/reviews/style.md": `---
cli_preference: [github-copilot, cursor]
num_reviews: 3
model: large
parallel: false
run_in_ci: false
timeout: 60
max_rounds: 5
min_priority: medium
on_unavailable: block
---

Look at the style.
`,
  });

  expect(told(loaded)).toBe("");
  expect(settingsOf(loaded).entryPoints[0]?.gates).toEqual([
    {
      kind: "review",
      name: "style",
      prompt: "Look at the style.",
      cliPreference: ["github-copilot", "cursor"],
      numReviews: 3,
      model: "large",
      parallel: false,
      runInCi: false,
      runLocally: true,
      timeoutMs: 60_000,
      maxRounds: 5,
      minPriority: "medium",
      onUnavailable: "block",
      failFast: false,
      warnOnly: false,
    },
  ]);
});

test("a review file without front matter is all prompt, with the defaults", async () => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": "cli: { default_preference: [claude] }",
    ".gauntlet/reviews/plain.md": "# Look\n\nat this.\n",
  });

  expect(told(loaded)).toBe("");
  expect(settingsOf(loaded).entryPoints[0]?.gates).toMatchObject([
    { prompt: "# Look\n\nat this.", numReviews: 1, maxRounds: 2, minPriority: "low", onUnavailable: "warn" },
  ]);
});
