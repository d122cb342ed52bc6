import type { Host } from "./host.ts";

/** How many blocks in a row the host honours; Claude Code lets its user move the cap (2.1.325, 2026-11-15). */
export function blockCapOf(
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const moved = host.name === "claude-code" ? Number(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) : Number.NaN;
  return Number.isInteger(moved) && moved > 0 ? moved : host.blockCap;
}
