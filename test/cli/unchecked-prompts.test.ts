import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** Long enough ago that no stop hook of it can be about to start. */
const ONE_MINUTE = 60_000;

const ANSWERED = { type: "assistant", message: { role: "assistant", stop_reason: "end_turn" } };
const USES_A_TOOL = { type: "assistant", message: { role: "assistant", stop_reason: "tool_use" } };
const RESULT = { type: "user", message: { role: "user", content: [{ type: "tool_result", content: "hi" }] } };
const INTERRUPTED = {
  type: "user",
  message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] },
};
const API_ERROR = { ...ANSWERED, isApiErrorMessage: true };
const SUBAGENT_ANSWERED = { ...ANSWERED, isSidechain: true };
const HOOK_STARTED = {
  type: "system",
  subtype: "stop_hook_summary",
  hookInfos: [{ command: "agent-gauntlet stop-hook" }],
};

function asked(promptId: string) {
  return { type: "user", promptId, message: { role: "user", content: "do it" } };
}

interface Said {
  readonly systemMessage?: string;
}

/** A session as Claude Code 2.1.326 plays it: its transcript grows, and the prompt hook hears each prompt. */
class PlayedSession {
  readonly #entries: object[] = [];

  readonly project: GauntletProject;
  readonly id: string;

  constructor(project: GauntletProject, id = "session-1") {
    this.project = project;
    this.id = id;
  }

  get #transcript(): string {
    return join(this.project.home, `${this.id}.jsonl`);
  }

  async prompt(promptId: string, env: Readonly<Record<string, string>> = {}): Promise<Said | undefined> {
    const payload = {
      session_id: this.id,
      transcript_path: this.#transcript,
      cwd: this.project.root,
      prompt_id: promptId,
      hook_event_name: "UserPromptSubmit",
      prompt: "do it",
    };
    const done = await this.project.gauntlet(["prompt-hook"], { stdin: JSON.stringify(payload), env });
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    await this.write(asked(promptId));
    return done.stdout === "" ? undefined : (JSON.parse(done.stdout) as Said); // our own answer
  }

  /** What the agent does, in its transcript: `later` in milliseconds from now. */
  async write(entry: object, later = 1000): Promise<void> {
    const timestamp = new Date(Date.now() + later).toISOString();
    this.#entries.push({ isSidechain: false, timestamp, ...entry });
    await writeFile(this.#transcript, this.#entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }

  /** Nothing has been written for a while. */
  async leave(): Promise<void> {
    const before = new Date(Date.now() - ONE_MINUTE);
    await utimes(this.#transcript, before, before);
  }

  stop(promptId: string) {
    return this.project.stop({
      session_id: this.id,
      transcript_path: this.#transcript,
      prompt_id: promptId,
    });
  }
}

function gatedProject(): Promise<GauntletProject> {
  return GauntletProject.withChecks({ ready: "true" });
}

test("a prompt that ended without our stop hook is named at the next prompt, once, and by status", async () => {
  await using project = await gatedProject();
  const session = new PlayedSession(project);

  const first = await session.prompt("one");
  await session.write(USES_A_TOOL);
  await session.write(RESULT);
  await session.write(ANSWERED);
  const second = await session.prompt("two");
  await session.write(USES_A_TOOL, 2000);
  const third = await session.prompt("three");
  const { stdout } = await project.gauntlet(["status"]);

  expect(first).toBeUndefined();
  expect(second?.systemMessage).toMatch(
    /^Gauntlet: your last prompt ended without a check: .*`agent-gauntlet doctor`/,
  );
  expect(third).toBeUndefined();
  expect(stdout).toMatch(/Not checked: 1 prompt ended without our stop hook, the last just now: /);
  expect(await project.json(["status"])).toMatchObject({ unchecked: [{ at: expect.any(String) }] });
});

test("status does not count it any more once everything passed", async () => {
  await using project = await gatedProject();
  const session = new PlayedSession(project);
  await session.prompt("one");
  await session.write(ANSWERED, -500);
  const said = await session.prompt("two");

  await project.write({ "a.txt": "1" });
  await session.stop("two");

  expect(said).toBeDefined();
  expect(await project.json(["status"])).toMatchObject({ unchecked: [] });
});

test.for([
  { what: "was stopped by us", entries: [ANSWERED], isStopped: true },
  { what: "was interrupted", entries: [USES_A_TOOL, RESULT, INTERRUPTED] },
  { what: "was interrupted while its stop hook ran", entries: [ANSWERED, INTERRUPTED] },
  { what: "ended by an error of the API", entries: [API_ERROR] },
  { what: "is still being worked on", entries: [USES_A_TOOL, RESULT] },
  { what: "has only a sub-agent's answer", entries: [USES_A_TOOL, SUBAGENT_ANSWERED] },
  { what: "got no answer", entries: [] },
])("nothing is said of a prompt that $what", async ({ entries, isStopped }) => {
  await using project = await gatedProject();
  const session = new PlayedSession(project);
  await session.prompt("one");
  for (const entry of entries) await session.write(entry, 0);
  if (isStopped === true) await session.stop("one");

  expect(await session.prompt("two")).toBeUndefined();
  expect(await project.json(["status"])).toMatchObject({ unchecked: [] });
});

test("the next session names what the last one left unchecked, and what switched its hooks off", async () => {
  await using project = await gatedProject();
  await project.write({ ".claude/settings.json": '{ "disableAllHooks": true }' });
  const muted = new PlayedSession(project);
  await muted.prompt("one");
  await muted.write(ANSWERED);
  await muted.write(asked("never heard"));
  await muted.write(ANSWERED);

  const whileItMayStillStop = await new PlayedSession(project, "session-2").prompt("two");
  await muted.leave();
  const { stdout } = await project.gauntlet(["status"]);
  const next = await new PlayedSession(project, "session-3").prompt("three");
  const another = await new PlayedSession(project, "session-4").prompt("four");

  expect(whileItMayStillStop).toBeUndefined();
  expect(stdout).toContain("Not checked: 2 prompts ended without our stop hook");
  expect(next?.systemMessage).toMatch(
    /the last 2 prompts of session session- ended without a check, just now: `disableAllHooks` is set in \S+\/settings\.json\. Remove/,
  );
  expect(another).toBeUndefined();
});

test("a hook that was started and killed is named as such", async () => {
  await using project = await gatedProject();
  const session = new PlayedSession(project);
  await session.prompt("one");
  await session.write(ANSWERED);
  await session.write(HOOK_STARTED);

  const said = await session.prompt("two");

  expect(said?.systemMessage).toContain("the stop hook was started, but killed before it answered");
});

const DEV_MOD = ".claude/dev-mods/session-1/quiet";

async function writeMod(project: GauntletProject, folder: string, code: string): Promise<void> {
  const at = join(project.home, folder);
  await mkdir(join(at, "hooks"), { recursive: true });
  await mkdir(join(at, ".claude-plugin"), { recursive: true });
  await writeFile(join(at, ".claude-plugin/plugin.json"), '{ "name": "quiet" }');
  await writeFile(join(at, "hooks/hooks.json"), '{ "modules": ["./register.mjs"] }');
  await writeFile(join(at, "hooks/register.mjs"), code);
}

test.for([DEV_MOD, ".claude/skills/quiet", "elsewhere/quiet"])(
  "a plugin in %s whose code answers stops is named once, before anything went unchecked",
  async (folder) => {
    await using project = await gatedProject();
    await writeMod(project, folder, "export const register = (on) => on('classic.Stop', async () => ({}));");
    const env = { CLAUDE_CODE_PLUGIN_DIRS: join(project.home, "elsewhere/quiet") };
    const session = new PlayedSession(project);

    const first = await session.prompt("one", env);
    const second = await session.prompt("two", env);

    expect(first?.systemMessage).toContain(`the plugin quiet (${join(project.home, folder)}) answers stops`);
    expect(second).toBeUndefined();
  },
);

test("other code of a plugin is named only as the likeliest cause of an unchecked prompt", async () => {
  await using project = await gatedProject();
  await writeMod(
    project,
    DEV_MOD,
    "export const register = (on) => on('classic.PreToolUse', async () => ({}));",
  );
  const session = new PlayedSession(project);

  const first = await session.prompt("one");
  await session.write(ANSWERED);
  const second = await session.prompt("two");

  expect(first).toBeUndefined();
  expect(second?.systemMessage).toContain("the plugin quiet");
});

test("agents that also run Claude Code's hooks are told nothing", async () => {
  await using project = await gatedProject();
  await writeMod(project, DEV_MOD, "on('classic.Stop')");
  const payload = {
    session_id: "session-1",
    cwd: project.root,
    hook_event_name: "UserPromptSubmit",
    prompt: "x",
  };
  const copilot = { ...payload, timestamp: "2026-11-16T02:37:08.443Z", prompt_id: "one" };

  for (const event of [payload, copilot])
    expect((await project.gauntlet(["prompt-hook"], { stdin: JSON.stringify(event) })).stdout).toBe("");
});
