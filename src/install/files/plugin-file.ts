import { fail, ok, type Result } from "../../trouble.ts";
import type { Host, PluginFile } from "../../hosts/host.ts";
import type { FileFormat } from "./host-files.ts";
import { type FileChange, HOOK_TIMEOUT_MS } from "../hook-registration.ts";

interface WantedPlugin {
  readonly host: Host;
  readonly registration: PluginFile;
  readonly command: string;
  readonly file: string;
}

/** Raise it when the text of a plugin changes: `doctor` then asks for a new `install`. */
const PLUGIN_VERSION = 2;

/** A file that is ours from the first line to the last. One that is not is never touched. */
export function pluginFormat(wanted: WantedPlugin): FileFormat {
  return {
    install: (text) => install(text, wanted),
    uninstall: (text) => ok({ kind: text !== undefined && isOurs(text) ? "removed" : "unchanged" }),
    find: (text) => {
      const command = commandIn(text);
      const entry = { event: wanted.registration.events.stop, timeout: HOOK_TIMEOUT_MS / 1000 };
      return command === undefined
        ? []
        : [{ ...entry, command, isOutdated: text !== pluginText({ ...wanted, command }) }];
    },
    isSkipped: () => false,
  };
}

function install(text: string | undefined, wanted: WantedPlugin): Result<FileChange> {
  const plugin = pluginText(wanted);
  if (text === plugin) return ok({ kind: "unchanged" });
  if (text === undefined || isOurs(text)) return ok({ kind: "written", text: plugin });
  return fail({
    kind: "host-settings-invalid",
    diagnostic: { severity: "error", file: wanted.file, message: "was not written by agent-gauntlet" },
    snippet: plugin,
  });
}

const MARK = "// agent-gauntlet plugin, version";

function pluginText({ host, registration, command }: WantedPlugin): string {
  return [
    `${MARK} ${PLUGIN_VERSION}: asks the project's gates whether the agent may stop.`,
    `// Written by "agent-gauntlet install --host ${host.name}", which replaces it; "agent-gauntlet uninstall" removes it.`,
    'import { spawn } from "node:child_process";',
    "",
    `const HOST = ${JSON.stringify(host.name)};`,
    `const COMMAND = ${JSON.stringify(command)};`,
    `const TIMEOUT_MS = ${HOOK_TIMEOUT_MS};`,
    TEXTS[registration.plugin],
    ASK_HOOK,
  ].join("\n");
}

function isOurs(text: string): boolean {
  return text.startsWith(MARK);
}

function commandIn(text: string): string | undefined {
  const quoted = isOurs(text) ? /^const COMMAND = (".*");\r?$/m.exec(text)?.[1] : undefined;
  if (quoted === undefined) return undefined;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return "";
  }
}

/** The end of every plugin: runs the hook's command with a payload on stdin and resolves to its answer. Never rejects. */
const ASK_HOOK = `
function ask(payload, signal, command = COMMAND) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: payload.cwd, shell: true, detached: process.platform !== "win32" });
    const end = () => {
      try {
        process.platform === "win32" ? child.kill() : process.kill(-child.pid, "SIGTERM");
      } catch {
        // it has ended by itself
      }
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    signal?.addEventListener("abort", end);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", (error) => (stderr += error.message));
    child.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve(signal?.aborted ? {} : (parse(stdout) ?? noAnswer(stderr)));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload) + "\\n");
  });
}

// Remembers where a session begins, before its agent does anything.
async function begin(id, cwd) {
  if (!id || begun.has(id)) return;
  begun.add(id);
  await ask({ client: HOST, hook_event_name: "SessionStart", session_id: id, cwd }, undefined, START);
}

const START = COMMAND.replace(" stop-hook", " session-start");
const begun = new Set();

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noAnswer(stderr) {
  const why = stderr.trim().split("\\n").at(-1);
  return { systemMessage: "agent-gauntlet: the stop was not checked, its hook gave no answer: " + why };
}
`;

/**
 * OpenCode and its fork Kilo have no stop hook: the plugin waits for `session.idle` and prompts again with the reason. Seen with
 * OpenCode 1.18.33 and Kilo 7.7.9 (2026-11-15): `opencode run` exits on idle but awaits `dispose`, so a pending gate is waited for
 * there; a second instance in the same process hears the same events, so each answer of the model is asked about once.
 */
const OPENCODE_PLUGIN = `
// Shared by all instances of the plugin in one process.
const asked = new Map();
const blocked = new Map();
const pending = new Set();
const isOneShot = process.argv.slice(2).find((word) => !word.startsWith("-")) === "run";

export const AgentGauntlet = async ({ client, directory }) => {
  const stopping = new AbortController();
  return {
    "chat.message": async ({ sessionID }) => begin(sessionID, directory),
    event: async ({ event }) => {
      if (event.type !== "session.idle") return;
      const work = gate({ client, directory, id: event.properties.sessionID, signal: stopping.signal })
        .catch(() => {})
        .finally(() => pending.delete(work));
      pending.add(work);
    },
    dispose: async () => {
      if (!isOneShot) stopping.abort();
      while (pending.size > 0) await Promise.allSettled([...pending]);
    },
  };
};

async function gate({ client, directory, id, signal }) {
  const session = (await client.session.get({ path: { id } })).data;
  if (session?.parentID) return; // a sub-agent's session: its parent will stop too
  const messages = await messagesOf(client, id);
  const last = messages.at(-1);
  if (last?.info.role !== "assistant" || last.info.error) return; // aborted or failed: not a stop
  if (asked.get(id) === last.info.id) return;
  asked.set(id, last.info.id);
  const prompt = messages.findLast(isByUser)?.info.id;
  const answer = await ask(
    {
      client: HOST,
      hook_event_name: "Stop",
      session_id: id,
      prompt_id: prompt,
      cwd: session?.directory ?? directory,
      stop_hook_active: blocked.get(id) === prompt,
      last_assistant_message: last.parts.filter((part) => part.type === "text").map((part) => part.text).join("\\n"),
    },
    signal,
  );
  if (answer.systemMessage) await notify(client, answer.systemMessage);
  if (answer.decision !== "block") return;
  if ((await messagesOf(client, id)).at(-1)?.info.id !== last.info.id) return; // the user was faster
  blocked.set(id, prompt);
  await client.session.prompt({ path: { id }, body: { ...sameModel(last.info), parts: [reasonPart(answer.reason)] } });
}

async function messagesOf(client, id) {
  return (await client.session.messages({ path: { id } })).data ?? [];
}

function isByUser({ info, parts }) {
  return info.role === "user" && !parts.some((part) => part.metadata?.agentGauntlet);
}

function reasonPart(reason) {
  return { type: "text", text: reason, metadata: { agentGauntlet: true } };
}

function sameModel({ mode, agent, providerID, modelID }) {
  const model = providerID && modelID ? { providerID, modelID } : undefined;
  return { agent: agent ?? mode, ...(model ? { model } : {}) };
}

async function notify(client, message) {
  if (isOneShot) console.error(message);
  else await client.tui.showToast({ body: { title: "agent-gauntlet", message, variant: "warning" } }).catch(() => {});
}
`;

/**
 * Pi's extensions are asked before the agent settles and may continue it (`agent_before_settle`; 0.87.1 and 1.5.0, 2026-11-15).
 * An extension is plain code for Pi: the file's name ends in `.ts`, but nothing in it needs types.
 */
const PI_EXTENSION = `
let blocked = false;
let prompts = 0;

export default function agentGauntlet(pi) {
  pi.on("before_agent_start", async (_event, context) => {
    blocked = false;
    prompts += 1;
    await begin(context?.sessionManager?.getSessionId?.(), context?.cwd ?? process.cwd());
  });
  pi.on("agent_before_settle", async (event, context) => {
    if (event.outcome !== "completed") return undefined; // aborted or failed: not a stop
    const session = context.sessionManager?.getSessionId?.();
    const answer = await ask({
      client: HOST,
      hook_event_name: "Stop",
      session_id: session,
      prompt_id: session + "." + prompts,
      transcript_path: context.sessionManager?.getSessionFile?.(),
      cwd: context.cwd,
      stop_hook_active: blocked,
      last_assistant_message: lastText(event.context?.llmMessages ?? []),
    });
    if (answer.systemMessage) notify(context, answer.systemMessage);
    if (answer.decision !== "block") return undefined;
    blocked = true;
    const entry = { type: "custom_message", customType: "agent-gauntlet", content: answer.reason, display: true };
    return { entries: [...event.entries, entry], continue: true };
  });
}

function lastText(messages) {
  const content = messages.filter((message) => message.role === "assistant").at(-1)?.content;
  if (!Array.isArray(content)) return content;
  return content.filter((part) => part.type === "text").map((part) => part.text).join("\\n");
}

function notify(context, message) {
  if (context.hasUI) context.ui.notify(message, "warning");
  else console.error(message);
}
`;

const TEXTS: Readonly<Record<PluginFile["plugin"], string>> = {
  opencode: OPENCODE_PLUGIN,
  pi: PI_EXTENSION,
};
