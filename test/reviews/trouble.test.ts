import { expect, test } from "vitest";
import { withGrowingLimit } from "../rig/growing-limit.ts";
import {
  addReviewer,
  answerFindings,
  callsOf,
  childOf,
  finding,
  reviewProject,
  runGates,
  says,
  sheetOf,
} from "../rig/fake-reviewers.ts";
import { GAUNTLET } from "../rig/program.ts";
import { isAlive, kill } from "../rig/processes.ts";

const only = (reviewer: string, more = "") => ({
  ".gauntlet/reviews/careful.md": `---\ncli_preference: [${reviewer}]\n${more}---\nLook for wrong results.\n`,
});

test("the prompt goes in by stdin, with the host's traces removed and the stop hook marked as active", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);

  await runGates(project, ["run"], { env: { CLAUDECODE: "1" } });

  const [call] = await callsOf(project, "claude");
  expect(call?.prompt).toContain("+export const mean = (list) => sum(list) / list.length;");
  expect(call?.args.join(" ")).not.toContain("mean");
  expect(call?.GAUNTLET_STOP_HOOK_ACTIVE).toBe("1");
  expect(call?.CLAUDECODE).toBeUndefined();
  expect(call?.cwd).toBe(project.root);
});

test("the model of the review is handed to the reviewer", async () => {
  await using project = await reviewProject(only("claude", "model: opus\n"));
  await addReviewer(project, "claude", [says()]);

  await runGates(project);

  expect((await callsOf(project, "claude"))[0]?.args).toContain("--model=opus");
});

const LOOKING_PAST: readonly [string, string][] = [
  [
    "prose around it",
    `I looked at {everything}.\n\n${JSON.stringify({ findings: [finding()] })}\n\nHope [this] helps!`,
  ],
  ["a code fence", `\`\`\`json\n${JSON.stringify({ findings: [finding()] }, null, 2)}\n\`\`\``],
  [
    "a fence in a fence",
    `\`\`\`\`md\n\`\`\`json\n${JSON.stringify({ findings: [finding({ fix: "```js\nif (!list.length) return 0;\n```" })] })}\n\`\`\`\n\`\`\`\``,
  ],
  ["a bare list", JSON.stringify([finding()])],
  [
    "Claude Code's own envelope",
    JSON.stringify({ type: "result", result: JSON.stringify({ findings: [finding()] }) }),
  ],
];

test.each(LOOKING_PAST)("an answer is found in %s", async (_, stdout) => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ stdout }]);

  const { outcomes } = await runGates(project);

  expect(outcomes[0]?.review?.open).toMatchObject([{ issue: "The mean of an empty list is NaN." }]);
});

test("invented files are dropped and counted", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [
    says(
      finding({ file: "src/imagined.js" }),
      finding({ file: "../../etc/passwd" }),
      finding({ file: "./src/sum.js" }),
    ),
  ]);

  const run = await runGates(project);

  expect(run.outcomes[0]?.review?.open.map(({ file }) => file)).toEqual(["src/sum.js"]);
  expect(run.stderr).toContain("dropped findings: 2 outside of what was asked about");
});

test("an item that breaks the contract is dropped and counted, the rest is kept", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [
    says(finding({ priority: "urgent" }), finding({ line: "three" }), finding()),
  ]);

  const run = await runGates(project);

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect(run.stderr).toContain("dropped findings: 2 not in the agreed form");
});

test("a missing reviewer is passed over for the next in the list", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "codex", [says(finding())]);

  const run = await runGates(project);

  expect(run.status).toBe("failed");
  expect(sheetOf(project).reviewer).toBe("codex");
  expect(run.stderr).toContain("claude is not installed");
});

const SILENT: readonly [string, object, string][] = [
  ["nonsense", { stdout: "Looks good to me!" }, "gave no answer that can be read: Looks good to me!"],
  ["nothing", {}, "gave no answer that can be read: nothing"],
  ["a crash", { stderr: "Segmentation fault", exitCode: 139 }, "failed (exit code 139): Segmentation fault"],
  ["no login", { stdout: "Not logged in · Please run /login", exitCode: 1 }, "is not logged in"],
  [
    "a list of nothing that can be read",
    { stdout: '{"findings":[{"problem":"x"}]}' },
    "gave no answer that can be read",
  ],
];

test.each(SILENT)("%s is no finding: the next reviewer is asked", async (_, turn, why) => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [turn]);
  await addReviewer(project, "codex", [says()]);

  const run = await runGates(project);

  expect(run.status).toBe("passed");
  expect(run.stderr).toContain(why);
});

test("a reviewer at its limit, though it exits with 0, is left alone from then on", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ stdout: "You've hit your usage limit · resets 3am" }, says()]);
  await addReviewer(project, "codex", [says(finding())]);

  const first = await runGates(project);
  await project.write({ "src/sum.js": "// other\n" });
  const second = await runGates(project);

  expect(first.stderr).toContain("claude reached its usage limit");
  expect(second.stderr).toContain("claude is at its usage limit and left alone until");
  expect(await callsOf(project, "claude")).toHaveLength(1);
  expect(await callsOf(project, "codex")).toHaveLength(2);
});

test("a finding about rate limits is no usage limit", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding({ issue: "The rate limit (429) is never checked." }))]);

  await runGates(project);

  expect(sheetOf(project).findings).toHaveLength(1);
});

test("a reviewer that hangs is ended at its timeout, and nothing of it is left", async () => {
  const { run, hung } = await withGrowingLimit(
    async (seconds) => {
      await using project = await reviewProject(only("claude, codex", `timeout: ${seconds}\n`));
      await addReviewer(project, "claude", [{ hang: true }]);
      await addReviewer(project, "codex", [says(finding())]);
      return { run: await runGates(project), hung: (await callsOf(project, "claude"))[0] };
    },
    (tried) => tried.run.status === "failed" && tried.hung !== undefined,
  );

  expect(run.status).toBe("failed");
  expect(run.stderr).toMatch(/ claude gave no answer within \d+ s\n/);
  expect(Number(hung?.pid)).toBeGreaterThan(1);
  expect(isAlive(Number(hung?.pid))).toBe(false);
});

test("a reviewer that prints 100 MB before its answer is understood, and its log stays bounded", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ mebibytes: 100, ...says(finding()) }]);

  const run = await runGates(project);

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect(project.read(String(run.outcomes[0]?.logPath)).length).toBeLessThan(11 * 1024 * 1024);
});

test("secrets that a reviewer repeats stay out of findings and logs", async () => {
  await using project = await reviewProject();
  const secret = "correct-horse-battery";
  await addReviewer(project, "claude", [
    { ...says(finding({ issue: `The password ${secret} is in the code.` })), stderr: `using ${secret}\n` },
  ]);

  const run = await runGates(project, ["run"], { env: { DB_PASSWORD: secret } });

  const written = [project.read(String(run.outcomes[0]?.logPath)), JSON.stringify(sheetOf(project))];
  expect(JSON.stringify(run)).toContain("The password *** is in the code.");
  expect([JSON.stringify(run), ...written].filter((text) => text.includes(secret))).toEqual([]);
});

test("a run that is ended ends its reviewer, and the round does not count", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ hang: true }]);
  let pid = 0;
  const running = runGates(project, ["run"], { onSpawn: (own) => (pid = own) });
  await expect.poll(() => callsOf(project, "claude")).toHaveLength(1);

  kill(pid, "SIGTERM");
  const ended = await running;
  await addReviewer(project, "claude", [says(finding())]);
  const next = await runGates(project);

  expect(ended.outcomes[0]).toMatchObject({ outcome: "cancelled" });
  expect(ended.status).toBe("error");
  expect(next.outcomes[0]).toMatchObject({ outcome: "failed", detail: "1 finding (1 high), round 1 of 2" });
});

test("with no reviewer left the review is unavailable: a warning that costs no attempt", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ stdout: "no idea" }]);

  const run = await runGates(project);

  expect(run.status).toBe("passed_with_warnings");
  expect(run.outcomes[0]).toMatchObject({ outcome: "unavailable", blocks: false });
  expect(run.message).toContain("codex is not installed");
});

test("on_unavailable: block blocks once and costs no attempt", async () => {
  await using project = await reviewProject(only("claude", "on_unavailable: block\n"));

  const first = await runGates(project);
  const second = await runGates(project);

  expect([first.status, first.attemptsLeft]).toEqual(["failed", 3]);
  expect(second.status).toBe("retry_limit_exceeded");
});

test("a fix that no reviewer can check is allowed with a warning, not counted as fixed", async () => {
  await using project = await reviewProject(only("claude"));
  await addReviewer(project, "claude", [says(finding()), { stdout: "usage limit reached" }]);
  await runGates(project);
  await project.write({ "src/sum.js": "// fixed\n" });
  await answerFindings(project, "fixed", "rewritten");

  const second = await runGates(project);

  expect(second.status).toBe("passed_with_warnings");
  expect(second.outcomes[0]).toMatchObject({ outcome: "unavailable" });
});

test("any shell line can review", async () => {
  await using project = await reviewProject(only("'command: cat > seen.txt; cat answer.json'"));
  await project.write({ "answer.json": JSON.stringify({ findings: [finding()] }) });

  const run = await runGates(project);

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect(project.read("seen.txt")).toContain("Look for wrong results.");
});

test("a shell line whose command does not exist is a missing reviewer", async () => {
  await using project = await reviewProject(only("'command: no-such-reviewer --now'"));

  expect((await runGates(project)).outcomes[0]).toMatchObject({
    outcome: "unavailable",
    detail: expect.stringContaining("no-such-reviewer"),
  });
});

test.each([
  ["with our variable", {}],
  ["even when the variable does not reach it", { env: { PATH: String(process.env["PATH"]) } }],
])("a stop hook inside of a reviewer answers at once, %s", async (_, more) => {
  await using project = await reviewProject();
  const input = JSON.stringify({ hook_event_name: "Stop", session_id: "inner", cwd: project.root });
  await addReviewer(project, "claude", [
    { ...says(finding()), run: { argv: [...GAUNTLET, "stop-hook"], input, ...more } },
  ]);

  const run = await runGates(project);

  const inner = await childOf(project, "claude", 1);
  expect(JSON.parse(inner.stdout)).toMatchObject({ decision: "approve" });
  expect(run.status).toBe("failed");
  expect(await callsOf(project, "claude")).toHaveLength(1);
});

test("a stop that is blocked for a changed script is not told that the gates passed, though no reviewer is there", async () => {
  await using project = await reviewProject({
    ...only("claude"),
    ".gauntlet/config.yml":
      "entry_points: [{ path: ., checks: [words], reviews: [careful] }]\nchecks: { words: sh check.sh }\nstop_hook: { when_active: enforce, when_gates_change: hold }\n",
    "check.sh": "true\n",
  });
  await project.stop();
  await project.write({ "check.sh": "exit 0\n" });

  const { answer } = await project.stop();

  expect(answer).toMatchObject({ decision: "block", systemMessage: expect.stringContaining("unavailable") });
  expect(answer.systemMessage).not.toContain("passed");
});
