import { runStopHook } from "./hooks/stop-hook.ts";
import { main } from "../system/process/main.ts";

const loadSessionHooks = () => import("./hooks/session-hooks.ts");

/** What hosts start by themselves, dozens of times a day: without the table of commands. Stops come first, loaded at once. */
const STARTED_BY_HOSTS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  "stop-hook": runStopHook,
  "session-start": async (args) => (await loadSessionHooks()).runSessionStart(args),
  "prompt-hook": async () => (await loadSessionHooks()).runPromptHook(),
  "config-hook": async () => (await loadSessionHooks()).runConfigHook(),
  "edit-hook": async (args) => (await import("./hooks/edit-hook.ts")).runEditHook(args),
  "run-ahead": async (args) => (await import("./hooks/run-ahead.ts")).runAheadHere(args),
  statusline: async () => (await import("./commands/statusline.ts")).runStatusline(),
  brepl: async (args) => (await import("../brepl/commands.ts")).runBrepl(args, "agent-gauntlet brepl"),
};

export function startGauntlet(): Promise<void> {
  return main(async () => {
    const [, , name = "", ...args] = process.argv;
    const start = Object.hasOwn(STARTED_BY_HOSTS, name) ? STARTED_BY_HOSTS[name] : undefined;
    if (start !== undefined && (args[0] !== "--help" || name === "brepl")) return start(args);
    const { runGauntlet } = await import("./command-table.ts");
    return runGauntlet(process.argv);
  });
}
