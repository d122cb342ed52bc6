/* oxlint-disable unicorn/no-process-exit -- an agent that ends in mid-turn is what tests need */
// An agent of the Agent Client Protocol that does what its prompts say. A prompt of the user is JSON, { "do": [step, …], "next": [[step, …], …] }:
// "next" has the steps for the prompts that follow in the same turn and are not the user's. Logs each line that it reads to $ACP_AGENT_LOG.
import { spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const write = (line) => process.stdout.write(`${line}\n`);
const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
const update = (sessionId, one) => send({ method: "session/update", params: { sessionId, update: one } });
const textUpdate = (text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

const sessions = new Map();
const asked = new Map();
let lastRequest = 0;

const request = (method, params) =>
  new Promise((answered) => {
    const id = (lastRequest += 1);
    asked.set(id, answered);
    send({ id, method, params });
  });

function stopHook({ cwd, id }, [program, ...args], flag) {
  const input = JSON.stringify({ session_id: id, cwd, hook_event_name: "Stop", ...flag });
  spawnSync(program, args, { cwd, input, encoding: "utf8" });
}

const STEPS = {
  say: (session, text) => update(session.id, textUpdate(text)),
  update: (session, one) => update(session.id, one),
  big: (session, bytes) => update(session.id, textUpdate("x".repeat(bytes))),
  raw: (_session, text) => write(text),
  send: (_session, message) => send(message),
  ask: async (session, [method, params]) => {
    const answer = await request(method, { sessionId: session.id, ...params });
    update(session.id, textUpdate(JSON.stringify(answer)));
  },
  write: ({ cwd }, files) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  },
  run: ({ cwd }, [program, ...args]) => spawnSync(program, args, { cwd, encoding: "utf8" }),
  hook: (session, argv) => stopHook(session, argv, { stop_hook_active: false }),
  continuedHook: (session, argv) => stopHook(session, argv, { stop_hook_active: true }),
  untilCancelled: (session) => new Promise((cancelled) => (session.cancelled = cancelled)),
  exit: (_session, code) => process.exit(code),
  kill: () => process.kill(process.pid, "SIGKILL"),
};

async function play(session, steps) {
  for (const step of steps) {
    if ("stop" in step) return { result: { stopReason: step.stop, usage: { totalTokens: 1 } } };
    if ("fail" in step) return { error: step.fail };
    const [name, value] = Object.entries(step)[0];
    await STEPS[name](session, value);
    if (name === "untilCancelled") return { result: { stopReason: "cancelled" } };
  }
  return { result: { stopReason: "end_turn", usage: { totalTokens: 1 } } };
}

function open(id, cwd) {
  sessions.set(id, { id, cwd, next: [] });
  const modes = ["default", "plan"].map((mode) => ({ id: mode, name: mode }));
  return { result: { sessionId: id, modes: { currentModeId: "default", availableModes: modes } } };
}

async function answer({ method, params }) {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params.protocolVersion,
          agentInfo: { name: "scripted", version: "1.2.3" },
          agentCapabilities: { loadSession: true, _meta: { some: "thing" } },
          authMethods: [],
        },
      };
    case "session/new":
      return open(`session-${sessions.size + 1}`, params.cwd);
    case "session/load":
    case "session/resume":
      update(params.sessionId, {
        sessionUpdate: "user_message_chunk",
        content: { type: "text", text: "before" },
      });
      return open(params.sessionId, params.cwd);
    case "session/fork":
      return open(`${params.sessionId}-fork`, params.cwd);
    case "session/prompt": {
      const session = sessions.get(params.sessionId);
      const [{ text }] = params.prompt;
      if (text.startsWith("<agent-gauntlet>")) return play(session, session.next.shift() ?? []);
      if (!text.includes("{")) return play(session, [{ say: "Done." }]);
      const script = JSON.parse(text.slice(text.indexOf("{")));
      session.next = script.next ?? [];
      return play(session, script.do ?? []);
    }
    case "session/set_mode":
    case "session/list":
    case "_example/echo":
      return { result: { ...params, _meta: null } };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    if (process.env.ACP_AGENT_LOG)
      appendFileSync(process.env.ACP_AGENT_LOG, `${line.slice(0, 1000)} (${line.length})\n`);
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return send({ id: null, error: { code: -32700, message: "Parse error" } });
    }
    if (message.method === undefined) return asked.get(message.id)?.(message.result ?? message.error);
    if (message.method === "session/cancel") return sessions.get(message.params.sessionId)?.cancelled?.();
    if (message.id === undefined) return;
    send({ id: message.id, ...(await answer(message)) });
  })
  .on("close", () => {
    if (process.env.ACP_AGENT_STAYS !== "1") process.exit(0);
    setInterval(() => {}, 60_000);
  });
