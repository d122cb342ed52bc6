import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** A check that reports every line of `problems` as a separate error. */
const CHECK = 'test ! -s problems || { sed "s/^/src.ts:1:1: error: /" problems; exit 1; }';

async function project(retry: string): Promise<GauntletProject> {
  return GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  test: ${JSON.stringify(CHECK)}\n${retry}\nstop_hook:\n  when_active: enforce\n`,
    problems: "a\nb\nc\nd\n",
  });
}

test("when_stuck: stop gives up at the third identical attempt and hands the problems over to the user", async () => {
  await using stuck = await project("max_retries: 6\nretry:\n  when_stuck: stop");

  const stops = [await stuck.stop(), await stuck.stop(), await stuck.stop()].map(({ answer }) => answer);

  expect(stops.map(({ status }) => status)).toEqual(["failed", "failed", "retry_limit_exceeded"]);
  expect(stops[2]?.systemMessage).toContain("src.ts:1:1");
});

test("extend_on_progress: fixing one problem after another does not use the budget up", async () => {
  await using moving = await project("max_retries: 1\nretry:\n  extend_on_progress: true");
  const statuses: string[] = [];

  for (const problems of ["a\nb\nc\nd\n", "b\nc\nd\n", "c\nd\n", "d\n", "d\n", ""]) {
    await moving.write({ problems });
    statuses.push((await moving.stop()).answer.status);
  }

  expect(statuses).toEqual(["failed", "failed", "failed", "failed", "retry_limit_exceeded", "passed"]);
});
