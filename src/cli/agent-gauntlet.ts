#!/usr/bin/env node
import { main } from "./main.ts";

/** The stop hook runs dozens of times a day and loads nothing it does not need; every other command goes through the table. */
void main(async () => {
  if (process.argv[2] === "stop-hook") {
    const { runStopHook } = await import("./commands/stop-hook.ts");
    return runStopHook(process.argv.slice(3));
  }
  const { runGauntlet } = await import("./gauntlet.ts");
  return runGauntlet(process.argv);
});
