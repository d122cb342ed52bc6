import { describe, expect, test } from "vitest";
import { type Answer, GauntletProject } from "../rig/gauntlet-project.ts";

const SCRIPT = "check.sh";
const ORIGINAL = "sh other.sh && grep -q fine a.txt\n";
const WEAKENED = "sh other.sh\n";

/** A project whose one gate runs a script, in a session whose first stop passed. */
async function begun(mode: "tell" | "hold"): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nchecks: { words: sh ${SCRIPT} }\nstop_hook: { when_active: enforce, when_gates_change: ${mode} }\n`,
    [SCRIPT]: ORIGINAL,
    "other.sh": "true\n",
    "a.txt": "fine\n",
  });
  await project.commit("start");
  await project.write({ "b.txt": "1" });
  expect((await project.stop()).answer.status).toBe("passed");
  return project;
}

/** Writes the script and stops; the agent continues after a block. */
async function stopWith(project: GauntletProject, script: string, event = {}): Promise<Answer> {
  await project.write({ [SCRIPT]: script });
  return (await project.stop({ stop_hook_active: true, ...event })).answer;
}

describe("with `hold`, a changed script blocks", () => {
  test("again when it is changed a second time", async () => {
    await using project = await begun("hold");

    const harmless = await stopWith(project, `# words\n${ORIGINAL}`);
    const same = await stopWith(project, `# words\n${ORIGINAL}`);
    await project.write({ "a.txt": "broken\n" });
    const weakened = await stopWith(project, WEAKENED);

    expect([harmless.decision, same.decision, weakened.decision]).toEqual(["block", "approve", "block"]);
    expect(weakened.systemMessage).toContain("check.sh changed");
  });

  test("again when it was restored in between", async () => {
    await using project = await begun("hold");

    const first = await stopWith(project, WEAKENED);
    const restored = await stopWith(project, ORIGINAL);
    const again = await stopWith(project, WEAKENED);

    expect([first.decision, restored.decision, again.decision]).toEqual(["block", "approve", "block"]);
    expect(again.systemMessage).toContain("check.sh changed");
  });

  test("but not again when another one of two is restored", async () => {
    await using project = await begun("hold");

    const first = await stopWith(project, `# words\n${ORIGINAL}`);
    await project.write({ "other.sh": "exit 0\n" });
    const both = await stopWith(project, `# words\n${ORIGINAL}`);
    await project.write({ "other.sh": "true\n" });
    const left = await stopWith(project, `# words\n${ORIGINAL}`);

    expect([first.decision, both.decision, left.decision]).toEqual(["block", "block", "approve"]);
  });

  test("no more than max_retries times for one prompt, and the user sees each change", async () => {
    await using project = await begun("hold");
    const answers: Answer[] = [];
    for (let change = 1; change <= 5; change++)
      answers.push(await stopWith(project, `sh other.sh # ${change}\n`, { prompt_id: "one" }));

    const other = await stopWith(project, "sh other.sh # another\n", { prompt_id: "two" });

    expect(answers.map(({ decision }) => decision)).toEqual([
      "block",
      "block",
      "block",
      "approve",
      "approve",
    ]);
    expect(answers.map(({ systemMessage = "" }) => systemMessage.includes("check.sh changed"))).toEqual(
      answers.map(() => true),
    );
    expect(answers[3]).toMatchObject({ status: "retry_limit_exceeded" });
    expect(other.decision).toBe("block");
  });
});

describe("with `tell`, a changed script is shown", () => {
  test("once while it stays as it is, and again when it was restored in between", async () => {
    await using project = await begun("tell");

    const first = await stopWith(project, WEAKENED);
    const same = await stopWith(project, WEAKENED);
    const restored = await stopWith(project, ORIGINAL);
    const again = await stopWith(project, WEAKENED);

    expect([first, same, restored, again].map(({ systemMessage }) => systemMessage !== undefined)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(again.systemMessage).toContain("check.sh changed");
  });

  test("again when the configuration was restored in between", async () => {
    await using project = await begun("tell");
    const config = project.read(".gauntlet/config.yml");
    const weak = config.replace(`sh ${SCRIPT}`, '"true"');
    const shown: boolean[] = [];
    for (const text of [weak, weak, config, weak]) {
      await project.write({ ".gauntlet/config.yml": text });
      shown.push((await project.stop()).answer.systemMessage !== undefined);
    }

    expect(shown).toEqual([true, false, false, true]);
  });
});

test("what git was told to overlook is shown again when it was put back in between", async () => {
  await using project = await begun("tell");
  const event = { session_id: "session-2", cwd: project.root, hook_event_name: "SessionStart" };
  await project.gauntlet(["session-start"], { stdin: JSON.stringify(event) });
  const before = project.read(".git/info/exclude");
  const shown: boolean[] = [];
  for (const text of ["new.txt\n", "new.txt\n", before, "new.txt\n"]) {
    await project.write({ ".git/info/exclude": text });
    const { answer } = await project.stop({ session_id: "session-2" });
    shown.push(answer.systemMessage?.includes("what git overlooks") === true);
  }

  expect(shown).toEqual([true, false, false, true]);
});
