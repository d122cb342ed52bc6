import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { grok } from "./grok.ts";
import type { Host } from "./host.ts";
import { kimi } from "./kimi.ts";
import { kilo, opencode, pi } from "./plugin-hosts.ts";
import { qwen } from "./qwen.ts";
import { unknownHost } from "./unknown.ts";
import { vscode } from "./vscode.ts";

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
