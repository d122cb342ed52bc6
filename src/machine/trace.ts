import { writeAll } from "./write-all.ts";

/** `AGENT_GAUNTLET_TRACE=1` tells on stderr how many milliseconds after the start of Node each phase was done. */
export function trace(phase: string): void {
  if (process.env["AGENT_GAUNTLET_TRACE"] !== "1") return;
  const ms = process.uptime() * 1000;
  writeAll(2, `[trace] ${ms.toFixed(1).padStart(7)} ms  +${(ms - last).toFixed(1).padStart(6)}  ${phase}\n`);
  last = ms;
}

let last = 0;
