import { claudeCode } from "./adapters/claude-code.ts";
import { codex } from "./adapters/codex.ts";
import { copilot } from "./adapters/copilot.ts";
import { cursor } from "./adapters/cursor.ts";
import { droid } from "./adapters/droid.ts";
import { gemini } from "./adapters/gemini.ts";
import { grok } from "./adapters/grok.ts";
import type { Host } from "./host.ts";
import { kimi } from "./adapters/kimi.ts";
import { kilo, opencode, pi } from "./adapters/plugin-hosts.ts";
import { qwen } from "./adapters/qwen.ts";
import { unknownHost } from "./adapters/unknown.ts";
import { vscode } from "./adapters/vscode.ts";

/** Every host whose stop we can block, by name. */
export const HOSTS: readonly Host[] = [
  claudeCode,
  codex,
  gemini,
  qwen,
  copilot,
  droid,
  opencode,
  kilo,
  grok,
  kimi,
  pi,
  cursor,
  vscode,
  unknownHost,
];

/** The row of a host, or undefined for a name that is not in the table. */
export function findHost(name: string): Host | undefined {
  return HOSTS.find((host) => host.name === name);
}
