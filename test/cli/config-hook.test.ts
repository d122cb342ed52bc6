import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const LOCAL = ".claude/settings.local.json";
const OFF = '{ "disableAllHooks": true }';
const CAPPED = '{ "env": { "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1" } }';

/** A session of Claude Code that began with our hooks in the settings of the project. */
async function begun(mode: "tell" | "hold"): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks: { ready: "true" }\nstop_hook: { when_gates_change: ${mode} }\n`,
  });
  await project.commit("start");
  await project.gauntlet(["install", "--host", "claude-code", "--shared"]);
  await play(project, "session-start", { hook_event_name: "SessionStart", source: "startup" });
  return project;
}

async function play(project: GauntletProject, hook: string, event: object): Promise<unknown> {
  const payload = { session_id: "session-1", cwd: project.root, ...event };
  const done = await project.gauntlet([hook], { stdin: JSON.stringify(payload) });
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  return done.stdout === "" ? undefined : JSON.parse(done.stdout);
}

function change(project: GauntletProject): Promise<unknown> {
  return play(project, "config-hook", { hook_event_name: "ConfigChange", source: "local_settings" });
}

interface Change {
  readonly what: string;
  readonly act: Readonly<Record<string, string>>;
  readonly named: RegExp;
}

const SHARED = ".claude/settings.json";

const CHANGES: readonly Change[] = [
  { what: "switches all hooks off", act: { [LOCAL]: OFF }, named: /`disableAllHooks` is set in/ },
  { what: "removes our hooks", act: { [SHARED]: "{}" }, named: /the stop hook was removed from/ },
  { what: "lowers the cap of blocks", act: { [LOCAL]: CAPPED }, named: /BLOCK_CAP in .* after one block/ },
];

test.for(CHANGES)(
  "with hold, a change that $what is refused, and with tell shown once",
  async ({ act, named }) => {
    await using held = await begun("hold");
    await using told = await begun("tell");
    for (const project of [held, told]) await project.write(act);

    const answers = { held: await change(held), again: await change(held), told: await change(told) };

    const reason: unknown = expect.stringMatching(named);
    expect(answers.held).toMatchObject({ decision: "block", reason, systemMessage: reason });
    expect(answers.again).toEqual(answers.held);
    expect(answers.told).toEqual({ systemMessage: reason });
    expect(await change(told)).toBeUndefined();
  },
);

test("a settings file that Claude Code will skip is refused as well, and so is one that is gone", async () => {
  await using project = await begun("hold");
  const whole = project.read(SHARED);

  await project.write({ [SHARED]: `${whole}}` });
  const broken = await change(project);
  await rm(join(project.root, SHARED));
  const gone = await change(project);
  await project.write({ [SHARED]: whole });

  expect(broken).toMatchObject({ decision: "block", reason: expect.stringContaining("is not valid JSON") });
  expect(gone).toMatchObject({ decision: "block", reason: expect.stringContaining("was removed from") });
  expect(await change(project)).toBeUndefined();
});

test("the stop says what was refused, until its user accepts it", async () => {
  await using project = await begun("hold");
  await project.write({ [LOCAL]: OFF });
  await change(project);

  const { answer } = await project.stop();
  const accept = { hook_event_name: "UserPromptSubmit", prompt: "gauntlet accept" };
  await play(project, "prompt-hook", accept);
  await project.stop();

  expect(answer.systemMessage).toMatch(/`disableAllHooks` is set in .*This session goes on with its hooks/);
  expect(await change(project)).toBeUndefined();
});

test("other changes of settings pass without a word, one that was there at the start included", async () => {
  await using project = await begun("hold");
  await project.write({ [LOCAL]: CAPPED });
  const atStart = await play(project, "prompt-hook", {
    hook_event_name: "UserPromptSubmit",
    prompt: "do it",
    prompt_id: "one",
  });

  await project.write({ [SHARED]: project.read(SHARED).replace("{", '{ "model": "x",') });

  expect(atStart).toMatchObject({ systemMessage: expect.stringContaining("after one block") });
  expect(await change(project)).toBeUndefined();
});
