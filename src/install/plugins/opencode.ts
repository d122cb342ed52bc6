/**
 * OpenCode and its fork Kilo have no stop hook: the plugin waits for `session.idle` and prompts again with the reason. Seen with
 * OpenCode 1.18.33 and Kilo 7.7.9 (2026-11-15): `opencode run` exits on idle but awaits `dispose`, so a pending gate is waited for
 * there; a second instance in the same process hears the same events, so each answer of the model is asked about once.
 */
export const OPENCODE_PLUGIN = `
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
