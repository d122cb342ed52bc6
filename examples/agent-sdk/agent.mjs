// An agent that may not stop before the project's tests pass and its own todo list is done.
//
//   npm install agent-gauntlet @anthropic-ai/claude-agent-sdk
//   ANTHROPIC_API_KEY=… node agent.mjs "The price is wrong. Fix it."
import { fileURLToPath } from "node:url";
import { query } from "@anthropic-ai/claude-agent-sdk";
import {
  ClaudeAgentWorkspaceSection,
  commandValidator,
  compositeValidator,
  createHooks,
  Session,
  todoValidator,
} from "agent-gauntlet/sdk";

const [prompt = "The tests fail. Fix the project."] = process.argv.slice(2);

// The agent works on a copy; the directory itself is never touched.
const workspace = new ClaudeAgentWorkspaceSection({
  session: new Session(),
  mounts: [
    { hostPath: fileURLToPath(new URL("project", import.meta.url)), mountPath: ".", maxBytes: 1_000_000 },
  ],
  completionValidator: compositeValidator(
    todoValidator,
    commandValidator({ command: "node --test", timeout: 60 }),
  ),
});

const context = workspace.hookContext({
  logger: {
    debug() {},
    info: (event, fields) => console.log(event, fields),
    warn: (event, fields) => console.warn(event, fields),
    error: (event, fields) => console.error(event, fields),
  },
});

try {
  const conversation = query({
    prompt,
    options: {
      cwd: workspace.tempDir,
      hooks: createHooks(context, { timeout: 120 }),
      systemPrompt: { type: "preset", preset: "claude_code", append: workspace.render() },
      permissionMode: "acceptEdits",
      // Only needed where Claude Code is installed apart from the Agent SDK.
      pathToClaudeCodeExecutable: process.env.CLAUDE_CODE_EXECUTABLE,
    },
  });
  for await (const message of conversation) {
    if (message.type === "result") console.log("The agent says:", message.result);
  }
  console.log(`Stops blocked: ${context.retryCount}, tools used: ${context.toolCount}`);
} finally {
  workspace.cleanup();
}
