#!/usr/bin/env node
import { main } from "./main.ts";

/** Stop hooks run dozens of times a day and load nothing they do not need; every other command goes through the table. */
void main(async () => {
  if (process.argv[2] === "stop-hook" && process.argv[3] !== "--help") {
    const { runStopHook } = await import("./commands/stop-hook.ts");
    return runStopHook(process.argv.slice(3));
  }
  if (process.argv[2] === "brepl") {
    const { runBrepl } = await import("./brepl-commands.ts");
    return runBrepl(process.argv.slice(3), "agent-gauntlet brepl");
  }
  const { runGauntlet } = await import("./gauntlet.ts");
  return runGauntlet(process.argv);
});
