import { writeAll } from "../files/files.ts";

/** `AGENT_GAUNTLET_TRACE=1` prints on stderr how many milliseconds after the start of the program each phase was done. */
export function trace(phase: string): void {
  if (process.env["AGENT_GAUNTLET_TRACE"] !== "1") return;
  writeAll(2, `[trace] ${(process.uptime() * 1000).toFixed(1).padStart(7)} ms  ${phase}\n`);
}
