import { configured, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("reviews");
const SHEET = "gauntlet_logs/review_._careful.slot-1.json";
const REVIEW = {
  ".gauntlet/reviews/careful.md": "---\nnum_reviews: 1\n---\nLook for wrong results.\n",
  "src/sum.js": "export const sum = (list) => list.reduce((a, b) => a + b, 0);\n",
};
const REVIEWED = configured(
  "cli: { default_preference: [claude, 'command: no-such-reviewer'] }\nstop_hook: { when_active: enforce }\n",
  REVIEW,
);
const CHANGED = {
  "src/sum.js":
    "export const sum = (list) => list.reduce((a, b) => a + b);\n\nexport const mean = (list) => sum(list) / list.length;\n",
};
const FIXED = { "src/sum.js": "export const mean = (list) => (list.length === 0 ? 0 : 1);\n" };
const FINDING = {
  file: "src/sum.js",
  line: 3,
  issue: "The mean of an empty list is NaN.",
  fix: "Return 0 for an empty list.",
  priority: "high",
};

scenario("a finding blocks, is fixed, and the fix is confirmed", REVIEWED, async (play) => {
  const reviewer = await play.reviewer(
    "claude",
    { stdout: JSON.stringify({ findings: [FINDING] }) },
    { confirmAll: true },
  );
  await play.write(CHANGED);
  await play.stop({}, reviewer);
  play.show(SHEET);
  await play.write(FIXED);
  await play.answer(SHEET, "fixed", "empty lists give 0");
  await play.stop({ stop_hook_active: true }, reviewer);
  play.show(SHEET);
});

scenario("a finding that is skipped with a reason", REVIEWED, async (play) => {
  const reviewer = await play.reviewer("claude", { stdout: JSON.stringify({ findings: [FINDING] }) });
  await play.write(CHANGED);
  await play.stop({}, reviewer);
  await play.answer(SHEET, "skipped", "callers never pass an empty list");
  await play.stop({ stop_hook_active: true }, reviewer);
});

scenario("no findings, and what run --json says of a review", REVIEWED, async (play) => {
  const reviewer = await play.reviewer("claude", { stdout: JSON.stringify({ findings: [] }) });
  await play.write(CHANGED);
  await play.gauntlet(["review", "--json"], reviewer);
});

scenario("a reviewer that answers nonsense, and one that is not installed", REVIEWED, async (play) => {
  const reviewer = await play.reviewer("claude", { stdout: "I like it.\n" });
  await play.write(CHANGED);
  await play.stop({}, reviewer);
  await play.gauntlet(["run"], reviewer);
});

scenario(
  "no reviewer, where that blocks",
  configured("cli: { default_preference: ['command: exit 7'] }\n", {
    ...REVIEW,
    ".gauntlet/reviews/careful.md": "---\non_unavailable: block\n---\nLook for wrong results.\n",
  }),
  async (play) => {
    await play.write(CHANGED);
    await play.stop();
  },
);
