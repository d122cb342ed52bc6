import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { opencode } from "../../../src/hosts/plugin-hosts.ts";
import { hostFile, formatOf } from "../../../src/install/files/host-files.ts";
import { absolutePath } from "../../../src/path.ts";
import { tempDir } from "../../rig/temp-dir.ts";

interface Message {
  readonly info: { readonly id: string; readonly role: string; readonly [field: string]: unknown };
  readonly parts: readonly object[];
}

interface Plugin {
  event: (heard: { event: { type: string; properties: { sessionID: string } } }) => Promise<void>;
  dispose: () => Promise<void>;
}

/** OpenCode's side: one session with its messages, and what the plugin asked for. */
class Session {
  readonly prompts: { body: object }[] = [];
  readonly toasts: string[] = [];
  readonly facts: object;
  readonly messages: Message[];

  constructor(messages: Message[], facts: object = {}) {
    this.messages = messages;
    this.facts = facts;
  }

  readonly client = {
    session: {
      get: async () => ({ data: this.facts }),
      messages: async () => ({ data: this.messages }),
      prompt: async (prompt: { body: object }) => void this.prompts.push(prompt),
    },
    tui: {
      showToast: async (toast: { body: { message: string } }) => void this.toasts.push(toast.body.message),
    },
  };
}

const USER: Message = { info: { id: "u1", role: "user" }, parts: [{ type: "text", text: "do it" }] };
const DONE: Message = {
  info: { id: "a1", role: "assistant", mode: "build", providerID: "p", modelID: "m" },
  parts: [{ type: "text", text: "Done." }],
};

/** The plugin as `install` writes it, with a hook that notes the question and gives this answer. */
async function loadPlugin(directory: string, answer: string): Promise<(session: Session) => Promise<Plugin>> {
  const file = hostFile(opencode, "project", {
    root: absolutePath(directory),
    home: absolutePath("/h"),
    env: {},
  });
  if (file === undefined) throw new Error("OpenCode has a file in a project");
  const hook = join(directory, "hook.sh");
  await writeFile(hook, `cat >> '${directory}/asked.jsonl'; printf '%s\\n' '${answer}'\n`);
  const planned = formatOf(file, { command: `sh '${hook}' stop-hook`, hooks: ["stop"] }).install(undefined);
  const text = planned.ok && planned.value.kind === "written" ? planned.value.text : "";
  await writeFile(join(directory, "plugin.mjs"), text);
  const loaded: unknown = await import(pathToFileURL(join(directory, "plugin.mjs")).href);
  const { AgentGauntlet } = loaded as { AgentGauntlet: (input: object) => Promise<Plugin> }; // what the file exports
  return ({ client }) => AgentGauntlet({ client, directory });
}

const IDLE = { event: { type: "session.idle", properties: { sessionID: "s1" } } };
const BLOCK = '{"decision":"block","reason":"fix it"}';

async function questions(directory: string): Promise<readonly unknown[]> {
  const text = await readFile(join(directory, "asked.jsonl"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/** Until everything that the plugin began has ended. */
async function settle(session: Session, count: number): Promise<void> {
  await expect.poll(() => session.prompts.length + session.toasts.length).toBe(count);
}

test("asks the hook when a session is idle, and prompts again with the reason and the same model", async () => {
  await using directory = await tempDir();
  const open = await loadPlugin(directory.path, BLOCK);
  const session = new Session([USER, DONE], { directory: directory.path });
  const plugin = await open(session);

  await plugin.event(IDLE);
  await settle(session, 1);

  expect(await questions(directory.path)).toEqual([
    {
      client: "opencode",
      hook_event_name: "Stop",
      session_id: "s1",
      prompt_id: "u1",
      cwd: directory.path,
      stop_hook_active: false,
      last_assistant_message: "Done.",
    },
  ]);
  expect(session.prompts).toMatchObject([
    {
      path: { id: "s1" },
      body: {
        agent: "build",
        model: { providerID: "p", modelID: "m" },
        parts: [{ type: "text", text: "fix it" }],
      },
    },
  ]);
});

test("says that the agent goes on after a block until the user prompts again", async () => {
  await using directory = await tempDir();
  const open = await loadPlugin(directory.path, BLOCK);
  const session = new Session([USER, DONE], { directory: directory.path });
  const plugin = await open(session);
  const ours: Message = { info: { id: "u2", role: "user" }, parts: [{ metadata: { agentGauntlet: true } }] };

  await plugin.event(IDLE);
  await settle(session, 1);
  session.messages.push(ours, { ...DONE, info: { ...DONE.info, id: "a2" } });
  await plugin.event(IDLE);
  await settle(session, 2);
  session.messages.push(
    { ...USER, info: { ...USER.info, id: "u3" } },
    { ...DONE, info: { ...DONE.info, id: "a3" } },
  );
  await plugin.event(IDLE);
  await settle(session, 3);

  expect(await questions(directory.path)).toMatchObject([
    { prompt_id: "u1", stop_hook_active: false },
    { prompt_id: "u1", stop_hook_active: true },
    { prompt_id: "u3", stop_hook_active: false },
  ]);
});

test("asks once about one answer of the model, although two instances hear of it", async () => {
  await using directory = await tempDir();
  const open = await loadPlugin(directory.path, BLOCK);
  const session = new Session([USER, DONE], { directory: directory.path });
  const [one, other] = [await open(session), await open(session)];

  await Promise.all([one.event(IDLE), other.event(IDLE), one.event(IDLE)]);
  await settle(session, 1);

  expect(await questions(directory.path)).toHaveLength(1);
});

test.each([
  ["a sub-agent's session", [USER, DONE], { parentID: "s0" }],
  [
    "an aborted answer",
    [USER, { ...DONE, info: { ...DONE.info, error: { name: "MessageAbortedError" } } }],
    {},
  ],
  ["a session without an answer", [USER], {}],
])("does not ask about %s", async (_, messages, facts) => {
  await using directory = await tempDir();
  const open = await loadPlugin(directory.path, BLOCK);
  const session = new Session(messages, { directory: directory.path, ...facts });
  const plugin = await open(session);

  await plugin.event(IDLE);
  await plugin.dispose();

  expect(await questions(directory.path)).toEqual([]);
  expect(session.prompts).toEqual([]);
});

test("shows the user what must be known, also that the hook gave no answer", async () => {
  await using directory = await tempDir();
  const open = await loadPlugin(directory.path, "no JSON");
  const session = new Session([USER, DONE], { directory: directory.path });
  const plugin = await open(session);

  await plugin.event(IDLE);
  await settle(session, 1);

  expect(session.toasts).toEqual([expect.stringContaining("the stop was not checked")]);
  expect(session.prompts).toEqual([]);
});
