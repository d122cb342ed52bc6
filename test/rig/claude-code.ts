import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type InstalledClient, installClient } from "./client-cache.ts";
import {
  type ModelRequest,
  type ModelScript,
  type ScriptedTurn,
  startFakeAnthropicApi,
} from "./fake-anthropic-api.ts";
import { kill } from "./processes.ts";

/** The release all end-to-end tests run. Pinned: on Node 20 an unpinned install quietly picks a much older one. */
export function installClaudeCode(): Promise<InstalledClient> {
  return installClient({ package: "@anthropic-ai/claude-code", version: "2.1.328" });
}

export interface ClaudeCodeRequest {
  /** The client's executable, from `installClaudeCode`. */
  readonly bin: string;
  /** Where Claude Code is started; its `.claude/settings*.json` hooks apply. */
  readonly project: string;
  readonly turns: readonly ScriptedTurn[];
  /** Everything else about the model. */
  readonly model?: Omit<ModelScript, "turns">;
  readonly prompt?: string;
  readonly args?: readonly string[];
  /** Added to a clean environment; nothing of the caller's passes but PATH and locale. */
  readonly env?: Readonly<Record<string, string>>;
  /** A home to keep between runs (`--resume`); otherwise a fresh one that is removed. */
  readonly home?: string;
  readonly timeoutMs?: number;
}

/** One line of Claude Code's `stream-json` output. */
interface StreamEvent {
  readonly type: string;
  readonly subtype?: string;
  readonly [field: string]: unknown;
}

/** What Claude Code made of one hook's answer. */
interface HookResponse {
  readonly event: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

export interface ClaudeCodeRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The last text of the model, as `claude -p` reports it. */
  readonly result: string | undefined;
  readonly sessionId: string | undefined;
  /** Requests of the main conversation, in order. */
  readonly requests: readonly ModelRequest[];
  readonly allRequests: readonly ModelRequest[];
  readonly hooks: readonly HookResponse[];
  /** What the user sees, hooks' `systemMessage`s included, without the `Stop says: ` on each line. */
  readonly notices: readonly string[];
  readonly events: readonly StreamEvent[];
  readonly stdout: string;
  readonly stderr: string;
  /** Command lines of processes of this run that are still alive (Linux). */
  survivors(): Promise<readonly string[]>;
}

/** Runs the real client once, headless, against a scripted model, in its own home and temp directory. */
export async function runClaudeCode(request: ClaudeCodeRequest): Promise<ClaudeCodeRun> {
  await using api = await startFakeAnthropicApi({ ...request.model, turns: request.turns });
  await using home = await openHome(request.home);
  const runId = `run-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const env = { ...isolatedEnv(home.path, api.url), ...request.env, [RUN_ID]: runId };

  const ended = await runToEnd(request, env);
  if (ended.timedOut) for (const { pid } of await processesWith(`${RUN_ID}=${runId}`)) end(pid);

  const events = ended.stdout.split("\n").flatMap(parseEvent);
  const final = events.findLast((event) => event.type === "result");
  return {
    ...ended,
    events,
    result: text(final?.["result"]),
    sessionId: text(final?.["session_id"]),
    requests: api.requests.filter((asked) => asked.kind === "main"),
    allRequests: [...api.requests],
    hooks: events.filter((event) => event.subtype === "hook_response").map(hookResponse),
    notices: events.filter((event) => event.subtype === "informational").map(notice),
    survivors: async () => (await processesWith(`${RUN_ID}=${runId}`)).map((found) => found.command),
  };
}

const RUN_ID = "AGENT_GAUNTLET_E2E_RUN";

async function openHome(given: string | undefined): Promise<AsyncDisposable & { readonly path: string }> {
  const path = given ?? (await mkdtemp(join(tmpdir(), "claude-code-home-")));
  await mkdir(join(path, "tmp"), { recursive: true });
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      if (given === undefined)
        await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

const INHERITED = ["PATH", "LANG", "LC_ALL", "TZ", "SHELL", "USER", "LOGNAME"];

/** Nothing of the caller's but PATH and locale; the client talks to the given API alone. */
export function isolatedEnv(home: string, apiUrl: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    TMPDIR: join(home, "tmp"),
    CLAUDE_CODE_TMPDIR: join(home, "tmp"),
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: "sk-ant-loopback",
    NO_PROXY: "127.0.0.1",
    IS_SANDBOX: "1", // lets root use --dangerously-skip-permissions
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

interface Ended {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const HEADLESS = [
  "--dangerously-skip-permissions",
  "--output-format=stream-json",
  "--verbose",
  "--include-hook-events",
];

function runToEnd(request: ClaudeCodeRequest, env: Record<string, string>): Promise<Ended> {
  const args = ["-p", request.prompt ?? "Do the task.", ...HEADLESS, ...(request.args ?? [])];
  const child = spawn(request.bin, args, {
    cwd: request.project,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let [stdout, stderr, timedOut] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) end(-child.pid);
  }, request.timeoutMs ?? 120_000);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, timedOut, stdout, stderr });
    });
  });
}

function end(pid: number): void {
  try {
    kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // kill throws nothing but errno errors
  }
}

function parseEvent(line: string): readonly StreamEvent[] {
  return line.startsWith("{") ? [JSON.parse(line) as StreamEvent] : []; // Claude Code's documented shape
}

function hookResponse(event: StreamEvent): HookResponse {
  const exitCode = event["exit_code"];
  return {
    event: text(event["hook_event"]) ?? "",
    stdout: text(event["stdout"]) ?? "",
    stderr: text(event["stderr"]) ?? "",
    exitCode: typeof exitCode === "number" ? exitCode : undefined,
  };
}

function notice(event: StreamEvent): string {
  return (text(event["content"]) ?? "").replaceAll(/^\w+ says: /gm, "");
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Hooks run in sessions of their own, so the client's process group does not lead to them; their environment does. */
async function processesWith(variable: string): Promise<readonly { pid: number; command: string }[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (!environment.split("\0").includes(variable)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return [{ pid: Number(pid), command: command.replaceAll("\0", " ").trim() }];
    }),
  );
  return found.flat();
}
