import { runStopHook } from "./commands/stop-hook.ts";
import { main } from "./main.ts";

/** Stop hooks run dozens of times a day, so their first answers are loaded at once; every other command is loaded by name. */
export function startGauntlet(): Promise<void> {
  return main(async () => {
    if (process.argv[2] === "stop-hook" && process.argv[3] !== "--help")
      return runStopHook(process.argv.slice(3));
    if (process.argv[2] === "session-start" && process.argv[3] !== "--help") {
      const { runSessionStart } = await import("./commands/session-start.ts"); // a stop does without it
      return runSessionStart(process.argv.slice(3));
    }
    if (process.argv[2] === "prompt-hook" && process.argv[3] !== "--help") {
      const { runPromptHook } = await import("./commands/prompt-hook.ts"); // a stop does without it
      return runPromptHook();
    }
    if (process.argv[2] === "brepl") {
      const { runBrepl } = await import("./brepl-commands.ts");
      return runBrepl(process.argv.slice(3), "agent-gauntlet brepl");
    }
    const { runGauntlet } = await import("./gauntlet.ts");
    return runGauntlet(process.argv);
  });
}
