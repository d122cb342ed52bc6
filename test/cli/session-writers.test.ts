import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const PARTS = ["a", "b", "c", "d", "e", "f"];

test("stops and prompts that write one session at the same moment lose nothing of each other", async () => {
  const files = PARTS.map((part) => [
    `${part}/.gauntlet/config.yml`,
    'base_branch: main\nchecks: { red: "exit 1" }\n',
  ]);
  await using project = await GauntletProject.create(Object.fromEntries(files));
  await project.commit("start");
  for (const part of PARTS) await project.write({ [`${part}/a.txt`]: "1" });
  const inPart = (part: string) => ({ session_id: "session-1", cwd: join(project.root, part) });
  const prompt = { ...inPart("a"), hook_event_name: "UserPromptSubmit", prompt: "gauntlet accept" };

  await Promise.all([
    ...PARTS.map((part) => project.stop(inPart(part))),
    project.gauntlet(["prompt-hook"], { stdin: JSON.stringify(prompt) }),
  ]);

  const statuses = await Promise.all(PARTS.map((part) => project.at(part).json(["status"])));
  expect(statuses.map(({ sessions }) => sessions)).toMatchObject(
    PARTS.map(() => [{ id: "session-1", attempts: 1 }]),
  );
});
