import { expect, test } from "vitest";
import { withGrowingLimit } from "../rig/growing-limit.ts";
import { finding, reviewProject, says, type ReviewProject } from "../rig/review-project.ts";
import { GAUNTLET } from "../rig/program.ts";
import { isAlive } from "../../src/system/process/group.ts";

const only = (reviewer: string, more = "") => ({
  ".gauntlet/reviews/careful.md": `---\ncli_preference: [${reviewer}]\n${more}---\nLook for wrong results.\n`,
});

test("the prompt goes in by stdin, with the host's traces removed and the stop hook marked as active", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says()]);

  await project.run({ env: { ...project.env, CLAUDECODE: "1" } });

  const [call] = await project.calls("claude");
  expect(call?.prompt).toContain("+export const mean = (list) => sum(list) / list.length;");
  expect(call?.args.join(" ")).not.toContain("mean");
  expect(call?.GAUNTLET_STOP_HOOK_ACTIVE).toBe("1");
  expect(call?.CLAUDECODE).toBeUndefined();
  expect(call?.cwd).toBe(project.root);
});

test("the model of the review is handed to the reviewer", async () => {
  await using project = await reviewProject(only("claude", "model: opus\n"));
  await project.reviewer("claude", [says()]);

  await project.run();

  expect((await project.calls("claude"))[0]?.args).toContain("--model=opus");
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
  await project.reviewer("claude", [{ stdout }]);

  const { outcomes } = await project.run();

  expect(outcomes[0]?.review?.open).toMatchObject([{ issue: "The mean of an empty list is NaN." }]);
});

test("invented files are dropped and counted", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [
    says(
      finding({ file: "src/imagined.js" }),
      finding({ file: "../../etc/passwd" }),
      finding({ file: "./src/sum.js" }),
    ),
  ]);

  const run = await project.run();

  expect(run.outcomes[0]?.review?.open.map(({ file }) => file)).toEqual(["src/sum.js"]);
  expect(progressOf(run)).toContain("dropped findings: 2 outside of what was asked about");
});

test("an item that breaks the contract is dropped and counted, the rest is kept", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [
    says(finding({ priority: "urgent" }), finding({ line: "three" }), finding()),
  ]);

  const run = await project.run();

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect(progressOf(run)).toContain("dropped findings: 2 not in the agreed form");
});

test("a missing reviewer is passed over for the next in the list", async () => {
  await using project = await reviewProject();
  await project.reviewer("codex", [says(finding())]);

  const run = await project.run();

  expect(run.status).toBe("failed");
  expect((await project.sheet()).reviewer).toBe("codex");
  expect(progressOf(run)).toContain("claude is not installed");
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
  await project.reviewer("claude", [turn]);
  await project.reviewer("codex", [says()]);

  const run = await project.run();

  expect(run.status).toBe("passed");
  expect(progressOf(run).join("\n")).toContain(why);
});

test("a reviewer at its limit, though it exits with 0, is left alone from then on", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [{ stdout: "You've hit your usage limit · resets 3am" }, says()]);
  await project.reviewer("codex", [says(finding())]);

  const first = await project.run();
  await project.write("src/sum.js", "// other\n");
  const second = await project.run();

  expect(progressOf(first).join("\n")).toContain("claude reached its usage limit");
  expect(progressOf(second).join("\n")).toContain("claude is at its usage limit and left alone until");
  expect(await project.calls("claude")).toHaveLength(1);
  expect(await project.calls("codex")).toHaveLength(2);
});

test("a finding about rate limits is no usage limit", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [says(finding({ issue: "The rate limit (429) is never checked." }))]);

  await project.run();

  expect((await project.sheet()).findings).toHaveLength(1);
});

test("a reviewer that hangs is ended at its timeout, and nothing of it is left", async () => {
  const { run, hung } = await withGrowingLimit(
    async (seconds) => {
      await using project = await reviewProject(only("claude, codex", `timeout: ${seconds}\n`));
      await project.reviewer("claude", [{ hang: true }]);
      await project.reviewer("codex", [says(finding())]);
      return { run: await project.run(), hung: (await project.calls("claude"))[0] };
    },
    (tried) => tried.run.status === "failed" && tried.hung !== undefined,
  );

  expect(run.status).toBe("failed");
  expect(progressOf(run)).toContainEqual(expect.stringMatching(/^claude gave no answer within \d+ s$/));
  expect(Number(hung?.pid)).toBeGreaterThan(1);
  expect(isAlive(Number(hung?.pid))).toBe(false);
});

test("a reviewer that prints 100 MB before its answer is understood, and its log stays bounded", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [{ mebibytes: 100, ...says(finding()) }]);

  const run = await project.run();

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect((await project.read(String(run.outcomes[0]?.logPath))).length).toBeLessThan(11 * 1024 * 1024);
});

test("secrets that a reviewer repeats stay out of findings and logs", async () => {
  await using project = await reviewProject();
  const secret = "correct-horse-battery";
  await project.reviewer("claude", [
    { ...says(finding({ issue: `The password ${secret} is in the code.` })), stderr: `using ${secret}\n` },
  ]);

  const run = await project.run({ env: { ...project.env, DB_PASSWORD: secret } });

  const written = [
    await project.read(String(run.outcomes[0]?.logPath)),
    JSON.stringify(await project.sheet()),
  ];
  expect(JSON.stringify(run)).toContain("The password *** is in the code.");
  expect([JSON.stringify(run), ...written].filter((text) => text.includes(secret))).toEqual([]);
});

test("a run that is ended ends its reviewer, and the round does not count", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [{ hang: true }]);
  const end = new AbortController();

  const ended = await project.run({
    signal: end.signal,
    onEvent: ({ kind }) => kind === "gate-progressed" && end.abort(),
  });
  await project.reviewer("claude", [says(finding())]);
  const next = await project.run();

  expect(ended.outcomes[0]).toMatchObject({ kind: "cancelled" });
  expect(ended.status).toBe("error");
  expect(next.outcomes[0]).toMatchObject({ kind: "failed", detail: "1 finding (1 high), round 1 of 2" });
});

test("with no reviewer left the review is unavailable: a warning that costs no attempt", async () => {
  await using project = await reviewProject();
  await project.reviewer("claude", [{ stdout: "no idea" }]);

  const run = await project.run();

  expect(run.status).toBe("passed_with_warnings");
  expect(run.outcomes[0]).toMatchObject({ kind: "unavailable", blocks: false });
  expect(run.message).toContain("codex is not installed");
});

test("on_unavailable: block blocks once and costs no attempt", async () => {
  await using project = await reviewProject(only("claude", "on_unavailable: block\n"));

  const first = await project.run();
  const second = await project.run();

  expect([first.status, first.attemptsLeft]).toEqual(["failed", 3]);
  expect(second.status).toBe("retry_limit_exceeded");
});

test("a fix that no reviewer can check is allowed with a warning, not counted as fixed", async () => {
  await using project = await reviewProject(only("claude"));
  await project.reviewer("claude", [says(finding()), { stdout: "usage limit reached" }]);
  await project.run();
  await project.write("src/sum.js", "// fixed\n");
  await project.answer("fixed", "rewritten");

  const second = await project.run();

  expect(second.status).toBe("passed_with_warnings");
  expect(second.outcomes[0]).toMatchObject({ kind: "unavailable" });
});

test("any shell line can review", async () => {
  await using project = await reviewProject(only("'command: cat > seen.txt; cat answer.json'"));
  await project.write("answer.json", JSON.stringify({ findings: [finding()] }));

  const run = await project.run();

  expect(run.outcomes[0]?.review?.open).toHaveLength(1);
  expect(await project.read("seen.txt")).toContain("Look for wrong results.");
});

test("a shell line whose command does not exist is a missing reviewer", async () => {
  await using project = await reviewProject(only("'command: no-such-reviewer --now'"));

  expect((await project.run()).outcomes[0]).toMatchObject({
    kind: "unavailable",
    detail: expect.stringContaining("no-such-reviewer"),
  });
});

test.each([
  ["with our variable", {}],
  ["even when the variable does not reach it", { env: { PATH: String(process.env["PATH"]) } }],
])("a stop hook inside of a reviewer answers at once, %s", async (_, more) => {
  await using project = await reviewProject();
  const input = JSON.stringify({ hook_event_name: "Stop", session_id: "inner", cwd: project.root });
  await project.reviewer("claude", [
    { ...says(finding()), run: { argv: [...GAUNTLET, "stop-hook"], input, ...more } },
  ]);

  const run = await project.run();

  const inner = await project.ran("claude", 1);
  expect(JSON.parse(inner.stdout)).toMatchObject({ decision: "approve" });
  expect(run.status).toBe("failed");
  expect(await project.calls("claude")).toHaveLength(1);
});

function progressOf(run: Awaited<ReturnType<ReviewProject["run"]>>): readonly string[] {
  return run.events.flatMap((event) => (event.kind === "gate-progressed" ? [event.text] : []));
}
