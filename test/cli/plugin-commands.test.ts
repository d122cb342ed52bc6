import { expect, test } from "vitest";

import { GauntletProject } from "../rig/gauntlet-project.ts";
import { recording } from "../rig/hosts/recorded.ts";

interface ChatAnswer {
  readonly decision?: string;
  readonly reason?: string;
}

const { payload: PROMPT } = recording("claude-code", "prompt");

async function blockedProject(): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({ ready: "grep -q fixed state.txt" }, { "state.txt": "" });
  await project.write({ "state.txt": "broken\n" });
  await project.stop({ session_id: PROMPT["session_id"] });
  return project;
}

/** What the prompt hook answers to a prompt of the session that was blocked; undefined where the model gets the prompt. */
async function say(project: GauntletProject, prompt: string): Promise<ChatAnswer | undefined> {
  const stdin = `${JSON.stringify({ ...PROMPT, cwd: project.root, transcript_path: undefined, prompt })}\n`;
  const { stdout, exitCode } = await project.gauntlet(["prompt-hook", "--only-allowed"], { stdin });
  expect(exitCode).toBe(0);
  return stdout === "" ? undefined : (JSON.parse(stdout) as ChatAnswer); // our own answer
}

test("/gauntlet:status and /gauntlet:explain are answered to the user, and the model is not asked", async () => {
  await using project = await blockedProject();

  const status = await say(project, "/gauntlet:status");
  const explained = await say(project, "/gauntlet:explain please");

  expect(status).toMatchObject({
    decision: "block",
    reason: expect.stringMatching(/still failing: ready/),
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
  });
  expect(explained?.reason).toContain("Blocked (failed)");
  expect(project.has("gauntlet_logs/console.2.log")).toBe(false);
});

test("/gauntlet:explain is about the session it is asked in", async () => {
  await using project = await blockedProject();
  await project.write({ "state.txt": "fixed\n" });
  await project.stop({ session_id: "another" });

  expect((await say(project, "/gauntlet:explain"))?.reason).toContain("Blocked (failed)");
});

test("/gauntlet:skip lets the next stop go by with the user's words, and asks for them where there are none", async () => {
  await using project = await blockedProject();
  const stop = async () => (await project.stop({ session_id: PROMPT["session_id"] })).answer;

  const without = await say(project, "/gauntlet:skip");
  const checked = await stop();
  const withReason = await say(project, "/gauntlet:skip the server is down");
  await say(project, "/gauntlet:status"); // a look takes nothing back
  const skipped = await stop();
  const next = await stop();

  expect(without?.reason).toContain("Say why");
  expect(withReason).toBeUndefined();
  expect([checked, skipped, next].map(({ status }) => status)).toEqual(["failed", "skipped", "failed"]);
  expect(skipped.systemMessage).toContain('you said in the chat: "the server is down"');
});

test("other commands and words are for the model", async () => {
  await using project = await blockedProject();

  for (const prompt of ["/gauntlet:run", "what is /gauntlet:status"])
    expect(await say(project, prompt)).toBeUndefined();
});
