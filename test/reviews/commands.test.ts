import { expect, test } from "vitest";
import type { Answer } from "../rig/gauntlet-project.ts";
import { outputSchema } from "../schema/json-schema.ts";
import {
  addReviewer,
  answerFindings,
  callsOf,
  finding,
  reviewProject,
  runGates,
  says,
} from "../rig/fake-reviewers.ts";

const novelty = (issue: string) => says(finding({ line: 1, issue, priority: "critical" }));

test("review runs the reviews and nothing else, and lists the findings", async () => {
  await using project = await reviewProject({ ".gauntlet/checks/red.yml": "command: exit 1\n" });
  await addReviewer(project, "claude", [says(finding())]);

  const { exitCode, stdout } = await project.gauntlet(["review"]);

  expect(exitCode).toBe(1);
  expect(stdout).toContain("src/sum.js:3 high The mean of an empty list is NaN.");
  expect(stdout).toContain("claude reviews: slot 1 of 1, round 1 of 2");
  expect(stdout).toContain("Status: Failed");
  expect(stdout).not.toContain("check:.:red");
});

test("--json carries the findings with their ids and the file to answer in", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says(finding())]);

  const { stdout } = await project.gauntlet(["review", "--json", "--gate", "careful"]);

  expect(outputSchema().safeParse(JSON.parse(stdout)).error).toBeUndefined();
  const { outcomes } = JSON.parse(stdout) as { outcomes: { review: object }[] }; // printed by us
  expect(outcomes[0]?.review).toEqual({
    open: [
      {
        id: expect.stringMatching(/^f-[0-9a-f]{8}$/),
        ...finding(),
        status: "new",
        result: "",
      },
    ],
    skipped: [],
    sheets: ["gauntlet_logs/review_._careful.slot-1.json"],
  });
});

test("a stop is blocked by a finding with instructions to answer, and allowed once it is confirmed", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nstop_hook:\n  when_active: enforce\ncli:\n  default_preference: [claude]\n",
  });
  await addReviewer(project, "claude", [says(finding()), { confirmAll: true }]);

  const { answer: blocked } = await project.stop();

  expect(blocked).toMatchObject({ decision: "block", status: "failed" });
  expect(blocked.reason).toContain("src/sum.js:3 high The mean of an empty list is NaN.");
  expect(blocked.reason).toContain('set its "status" to "fixed"');
  expect(blocked.reason).toContain("gauntlet_logs/review_._careful.slot-1.json");

  await project.write({ "src/sum.js": "export const mean = () => 0;\n" });
  await answerFindings(project, "fixed", "always 0 now");

  expect((await project.stop({ stop_hook_active: true })).answer).toMatchObject({
    decision: "approve",
    status: "passed",
  });
});

test("an agent whose reviewer is never satisfied may stop after max_rounds, and the user is notified", async () => {
  await using project = await reviewProject({
    ".gauntlet/config.yml":
      "base_branch: main\nstop_hook:\n  when_active: enforce\ncli:\n  default_preference: [claude]\n",
  });
  await addReviewer(project, "claude", [
    novelty("Overflow"),
    novelty("Leak"),
    novelty("Race"),
    novelty("Deadlock"),
  ]);
  const answers: Answer[] = [];

  for (const stop_hook_active of [false, true, true]) {
    answers.push((await project.stop({ stop_hook_active })).answer);
    await project.write({ "src/sum.js": `// edit ${answers.length}\n` });
  }

  expect(answers.map(({ decision }) => decision)).toEqual(["block", "block", "approve"]);
  expect(answers[2]?.systemMessage).toContain(
    "stopped asking after 2 rounds, still open: src/sum.js:1 critical",
  );
  expect(await callsOf(project, "claude")).toHaveLength(2);
});

test("health says which reviewers are there, which version, and how to get the others", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [says()]);

  const people = await project.gauntlet(["health"]);
  const machines = await project.gauntlet(["health", "--json"]);

  expect(people.exitCode).toBe(0);
  expect(people.stdout).toContain("✓ claude (used here): ready  1.2.3");
  expect(people.stdout).toContain("npm install -g @google/gemini-cli");
  expect(outputSchema().safeParse(JSON.parse(machines.stdout)).error).toBeUndefined();
  const { reviewers } = JSON.parse(machines.stdout) as { reviewers: { name: string; state: string }[] }; // printed by us
  expect(reviewers.map(({ name, state }) => [name, state])).toContainEqual(["claude", "ready"]);
});

test("health fails when a review of the project has no reviewer to ask, and shows which are at a limit", async () => {
  await using project = await reviewProject();
  await addReviewer(project, "claude", [{ stdout: "You've hit your usage limit" }]);
  await runGates(project);

  const { exitCode, stdout } = await project.gauntlet(["health"]);

  expect(exitCode).toBe(1);
  expect(stdout).toContain("claude (used here): at its usage limit, left alone until");
  expect(stdout).toContain('The review "careful" has no reviewer that can be asked now.');
});
