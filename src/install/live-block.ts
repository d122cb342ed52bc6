import type { Environment } from "../system/process/environment.ts";
import { DOCTOR_VARIABLE } from "../system/process/environment.ts";
import { findOnPath } from "../system/process/executables.ts";
import { startLoopbackModel } from "../system/process/loopback-model.ts";
import { runProcess } from "../system/process/run-process.ts";
import type { Finding } from "./diagnose-host.ts";

const PATIENCE_MS = 20_000;

/**
 * Starts the real Claude Code with the user's settings, against a model on this machine, and looks whether a block of our stop hook
 * reaches that. The hook is told to block and to run and record nothing (2.1.328, 2026-11-19).
 */
export async function tryBlock(cwd: string, env: Environment): Promise<Finding> {
  const [program] = findOnPath("claude", env);
  if (program === undefined)
    return finding("warning", "--live needs `claude` on the PATH: no block was tried");
  const seen = new AbortController();
  const word = `doctor-${process.pid}-${Date.now()}`;
  await using model = await startLoopbackModel((text) => {
    if (text.includes(word)) seen.abort();
  });
  const own = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "loopback", ANTHROPIC_AUTH_TOKEN: "" };
  const settings = JSON.stringify({ env: own });
  let said = "";
  const end = await runProcess(
    {
      argv: [
        program,
        "-p",
        "Say: Done.",
        "--settings",
        settings,
        "--strict-mcp-config",
        "--no-session-persistence",
      ],
      cwd,
      env: { ...env, ...own, ...QUIET, [DOCTOR_VARIABLE]: word },
      timeoutMs: PATIENCE_MS,
      onOutput: (chunk) => void (said += chunk.toString()),
    },
    seen.signal,
  );
  if (seen.signal.aborted)
    return finding("ok", "a block goes through: Claude Code was started and went on with it");
  const why =
    end.kind === "timed-out" ? `within ${PATIENCE_MS / 1000} s` : `before it ended: ${lastLine(said)}`;
  return finding("problem", `no block of ours reached the model that Claude Code was started with, ${why}`);
}

const QUIET = {
  NO_PROXY: "127.0.0.1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_USE_BEDROCK: "",
  CLAUDE_CODE_USE_VERTEX: "",
};

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) || "it said nothing";
}

function finding(level: Finding["level"], text: string): Finding {
  return { check: "round-trip", level, text };
}
