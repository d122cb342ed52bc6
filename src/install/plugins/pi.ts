/**
 * Pi's extensions are asked before the agent settles and may continue it (`agent_before_settle`; 0.87.1 and 1.5.0, 2026-11-15).
 * An extension is plain code for Pi: the file's name ends in `.ts`, but nothing in it needs types.
 */
export const PI_EXTENSION = `
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
