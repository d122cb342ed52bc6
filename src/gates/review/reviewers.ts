import { parseJson } from "../../json.ts";
import type { ReviewerSettings } from "../gate.ts";
import { z } from "zod";
import { shellCommand } from "../../system/process/executables.ts";
import type { AbsolutePath } from "../../path.ts";

/** One tool that can review. A table row; it never spawns. */
export interface Reviewer {
  readonly name: string;
  readonly title: string;
  readonly executable: string;
  /** Must be on PATH, if that is not `executable`. */
  readonly detect?: string;
  readonly versionArgs: readonly string[];
  /** Asks without a model whether it is logged in. */
  readonly loginArgs?: readonly string[];
  readonly install: string;
  readonly invocation: (request: ReviewRequest) => Invocation;
  readonly replyIn: (stdout: string) => Reply;
  readonly usageLimit: RegExp;
  readonly notLoggedIn: RegExp;
}

interface ReviewRequest extends ReviewerSettings {
  readonly root: AbsolutePath;
}

/** The prompt goes to stdin: an argument may be too long, and other users could read it. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Run in a directory with only these files, not in the project. */
  readonly scratch?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly text: string;
  readonly failed: boolean;
}

export interface ReviewerTrouble {
  readonly kind:
    "missing" | "not-logged-in" | "usage-limit" | "timed-out" | "nonsense" | "failed" | "resting";
  readonly detail: string;
}

/**
 * Claude Code (2.1.325, 2026-11-15): only reads inside the project exist for the model. User settings stay, because the login
 * may be there; project settings, hooks, plugins' servers and skills do not load.
 */
const claude: Reviewer = {
  name: "claude",
  title: "Claude Code",
  executable: "claude",
  versionArgs: ["--version"],
  loginArgs: ["auth", "status"],
  install: "npm install -g @anthropic-ai/claude-code, then run `claude` once to log in",
  invocation: ({ model, thinkingBudget, mayUseTools }) => ({
    args: [
      "-p",
      "--output-format=json",
      mayUseTools ? "--tools=Read,Grep,Glob" : "--tools=",
      "--permission-mode=default",
      "--setting-sources=user",
      '--settings={"disableAllHooks":true}',
      "--strict-mcp-config",
      "--disable-slash-commands",
      "--no-session-persistence",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    env: {
      CLAUDE_CODE_MAX_RETRIES: "2", // its own default waits minutes on a limit
      ...(thinkingBudget && { MAX_THINKING_TOKENS: THINKING_TOKENS[thinkingBudget] }),
    },
  }),
  replyIn: (stdout) => resultReply(parseJson(stdout), stdout),
  usageLimit:
    /usage limit|hit your .{0,40}limit|rate limit|credit balance is too low|\(429\)|out of extra usage/i,
  notLoggedIn: /not logged in|please run \/login|invalid api key|oauth token (?:has )?expired|\b401\b/i,
};

const THINKING_TOKENS = { off: "0", low: "4000", medium: "10000", high: "31999" } as const;

/**
 * Codex CLI (0.166.0, 2026-11-15): a read-only sandbox, nothing saved, no hooks, plugins or MCP servers. The user's
 * configuration stays, because the model provider may be there.
 */
const codex: Reviewer = {
  name: "codex",
  title: "Codex CLI",
  executable: "codex",
  versionArgs: ["--version"],
  loginArgs: ["login", "status"],
  install: "npm install -g @openai/codex, then run `codex login`",
  invocation: ({ model, thinkingBudget }) => ({
    args: [
      "exec",
      "--json",
      "--ephemeral",
      "--sandbox=read-only",
      "--skip-git-repo-check",
      "--ignore-rules",
      ...override('approval_policy="never"', "features.hooks=false", "features.plugins=false"),
      ...(thinkingBudget === undefined
        ? []
        : override(`model_reasoning_effort="${EFFORTS[thinkingBudget]}"`)),
      ...override("features.apps=false", "features.multi_agent=false", "mcp_servers={}"),
      ...(model === undefined ? [] : [`--model=${model}`]),
      "-",
    ],
  }),
  replyIn: lastMessage,
  usageLimit: /usage limit|rate limit|quota|too many requests|insufficient_quota|\b429\b|out of credits/i,
  notLoggedIn: /not logged in|codex login|unauthorized|\b401\b|missing environment variable|api key/i,
};

const EFFORTS = { off: "minimal", low: "low", medium: "medium", high: "high" } as const;

function override(...settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

const event = z.object({
  type: z.string(),
  message: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
  item: z.object({ type: z.string(), text: z.string().optional() }).optional(),
});

/** One event a line; the agent's last message is the answer. */
function lastMessage(stdout: string): Reply {
  const events = stdout.split("\n").flatMap((line) => {
    const read = event.safeParse(parseJson(line));
    return read.success ? [read.data] : [];
  });
  if (events.length === 0) return { text: stdout, failed: false };
  const message = events.findLast(({ item }) => item?.type === "agent_message")?.item?.text;
  if (message !== undefined) return { text: message, failed: false };
  const errors = events.flatMap(({ message: said, error }) => [said, error?.message].filter(isText));
  return { text: errors.join("\n"), failed: true };
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

/**
 * Gemini CLI (0.61.0, 2026-11-15): no flag against hooks, but the settings of its directory can switch them off and leave only
 * reading tools. So it runs in a directory of ours and reads the project from there.
 */
const gemini: Reviewer = {
  name: "gemini",
  title: "Gemini CLI",
  executable: "gemini",
  versionArgs: ["--version"],
  install: "npm install -g @google/gemini-cli, then run `gemini` once to log in or set GEMINI_API_KEY",
  invocation: ({ model, mayUseTools, root }) => ({
    args: [
      "--output-format=json",
      "--extensions=none",
      "--allowed-mcp-server-names=none",
      `--include-directories=${root}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", NO_BROWSER: "true" }, // the directory is ours and empty
    scratch: {
      ".gemini/settings.json": JSON.stringify(
        mayUseTools ? READ_ONLY : { ...READ_ONLY, tools: { core: [] } },
      ),
    },
  }),
  replyIn: responseOrError,
  usageLimit: /quota|RESOURCE_EXHAUSTED|rate limit|usage limit|too many requests|\b429\b/i,
  notLoggedIn: /set an auth method|api key not valid|unauthenticated|\b401\b|login required|GEMINI_API_KEY/i,
};

const READ_ONLY = {
  hooksConfig: { enabled: false },
  skills: { enabled: false },
  general: { enableAutoUpdate: false, checkpointing: { enabled: false } },
  tools: {
    core: ["read_file", "read_many_files", "glob", "grep_search", "search_file_content", "list_directory"],
  },
};

const output = z.object({
  response: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

function responseOrError(stdout: string): Reply {
  const read = output.safeParse(parseJson(stdout));
  if (!read.success) return { text: stdout, failed: false };
  const { response, error } = read.data;
  return { text: response ?? error?.message ?? "", failed: error !== undefined && error !== null };
}

/**
 * GitHub Copilot CLI (1.0.102, 2026-11-15): takes the prompt from a pipe, runs repository hooks only in trusted folders, and
 * prints the bare answer with `--silent`. No flag prevents its session log.
 */
const githubCopilot: Reviewer = {
  name: "github-copilot",
  title: "GitHub Copilot CLI",
  executable: "copilot",
  versionArgs: ["--version"],
  install: "npm install -g @github/copilot, then run `copilot` and type /login",
  invocation: ({ model }) => ({
    args: [
      "--silent",
      "--no-color",
      "--no-custom-instructions",
      "--no-auto-update",
      "--no-ask-user",
      "--disable-builtin-mcps",
      "--available-tools=view,grep,glob",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  replyIn: (stdout) => ({ text: stdout, failed: false }),
  usageLimit: /usage limit|rate limit|quota|premium requests|too many requests|\b429\b|out of credits/i,
  notLoggedIn: /no authentication information|not logged in|\/login|unauthorized|\b401\b/i,
};

/** Cursor's agent CLI, from its documentation and users' reports only (2026-11): not on npm. Ask mode cannot edit. */
const cursor: Reviewer = {
  name: "cursor",
  title: "Cursor CLI",
  executable: "cursor-agent",
  versionArgs: ["--version"],
  loginArgs: ["status"],
  install: "see cursor.com/cli, then run `cursor-agent login`",
  invocation: ({ model }) => ({
    args: [
      "-p",
      "--output-format=json",
      "--mode=ask",
      "--trust",
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  replyIn: (stdout) => resultReply(parseJson(stdout), stdout),
  usageLimit: /hit your .{0,40}limit|usage limit|rate limit|too many requests|\b429\b/i,
  notLoggedIn: /not logged in|cursor-agent login|authentication required|unauthorized|\b401\b/i,
};

/** OpenCode, from its documentation only (2026-11). Its `plan` agent asks before it edits, and nobody answers here. */
const opencode: Reviewer = {
  name: "opencode",
  title: "OpenCode",
  executable: "opencode",
  versionArgs: ["--version"],
  install: "npm install -g opencode-ai, then run `opencode auth login`",
  invocation: ({ model }) => ({
    args: ["run", "--agent=plan", ...(model === undefined ? [] : [`--model=${model}`])],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: { edit: "deny", bash: "deny", webfetch: "deny" },
      }),
      OPENCODE_DISABLE_AUTOUPDATE: "true",
    },
  }),
  replyIn: (stdout) => ({ text: stdout, failed: false }),
  usageLimit: /usage limit|rate limit|quota|too many requests|\b429\b|out of credits/i,
  notLoggedIn: /no providers? (?:found|configured)|auth login|unauthorized|invalid api key|\b401\b/i,
};

const PREFIX = "command:";

/** Any shell line that reads the prompt from stdin and prints the answer. */
function commandReviewer(preference: string): Reviewer | undefined {
  const line = preference.startsWith(PREFIX) ? preference.slice(PREFIX.length).trim() : "";
  if (line === "") return undefined;
  const [shell, ...args] = shellCommand(line);
  return {
    name: preference,
    title: line,
    executable: shell,
    detect: /^[\w./-]+/.exec(line)?.[0] ?? "sh",
    versionArgs: [],
    install: `put the command on PATH: ${line}`,
    invocation: ({ model }) => ({
      args,
      env: model === undefined ? undefined : { GAUNTLET_REVIEW_MODEL: model },
    }),
    replyIn: (stdout) => ({ text: stdout, failed: false }),
    usageLimit: /usage limit|rate limit|quota exceeded|too many requests|hit your .{0,40}limit|\b429\b/i,
    notLoggedIn: /not logged in|unauthorized|invalid api key|\b401\b/i,
  };
}

export const REVIEWERS: readonly Reviewer[] = [claude, codex, gemini, githubCopilot, cursor, opencode];

export function findReviewer(preference: string): Reviewer | undefined {
  return REVIEWERS.find(({ name }) => name === preference.trim()) ?? commandReviewer(preference.trim());
}

const resultObject = z.object({ result: z.string(), is_error: z.boolean().optional() });

/** Claude Code and Cursor print one object: `result` is what the model said, or an error. */
function resultReply(value: unknown, stdout: string): Reply {
  const read = resultObject.safeParse(value);
  return read.success
    ? { text: read.data.result, failed: read.data.is_error === true }
    : { text: stdout, failed: false };
}
