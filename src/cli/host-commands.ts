import type { Command } from "commander";
import type { Act } from "./command-table.ts";
import type { DoctorOptions } from "./commands/doctor.ts";
import type { ExplainOptions } from "./commands/explain.ts";
import type { InstallOptions } from "./commands/install.ts";
import type { SimulateOptions } from "./commands/simulate.ts";
import type { UninstallOptions } from "./commands/uninstall.ts";

/** The commands about agents: put the hook in, take it out, see whether it works, play it, explain it. */
export function addHostCommands(program: Command, act: Act): void {
  addInstallCommands(program, act);
  program
    .command("doctor")
    .description("check for each agent whether the stop hook is registered, runs and ever fired")
    .option("--json", "print the findings as JSON")
    .action((options: DoctorOptions) =>
      act(async (terminal) => (await import("./commands/doctor.ts")).doctorCommand(terminal, options)),
    );
  program
    .command("simulate")
    .description("play a stop as an agent would and show what it and you would see")
    .requiredOption("--host <name>", "which agent")
    .option("--event <file>", "the payload to play, instead of one made up")
    .option("--times <n>", "how many stops in a row, as long as the agent goes on", "1")
    .action((options: SimulateOptions) =>
      act(async (terminal) => (await import("./commands/simulate.ts")).simulateCommand(terminal, options)),
    );
  program
    .command("explain")
    .description("tell why the last stop was blocked, allowed or deferred")
    .option("--last [n]", "the last stop (the default), or the n-th last session's")
    .option("--anywhere", "of any project, not only of this one")
    .option("--json", "print it as JSON")
    .action((options: ExplainOptions) =>
      act(async (terminal) => (await import("./commands/explain.ts")).explainCommand(terminal, options)),
    );
}

function addInstallCommands(program: Command, act: Act): void {
  addInstallOptions(program.command("install"))
    .description("register the stop hook with the agents you use")
    .option("--all-detected", "every agent found on this machine")
    .action((options: InstallOptions) =>
      act(async (terminal) => (await import("./commands/install.ts")).installCommand(terminal, options)),
    );
  addInstallOptions(program.command("uninstall"))
    .description("take our stop hooks out again, and nothing else")
    .action((options: UninstallOptions) =>
      act(async (terminal) => (await import("./commands/uninstall.ts")).uninstallCommand(terminal, options)),
    );
}

function addInstallOptions(command: Command): Command {
  return command
    .option("--host <name>", "an agent (may be given several times)", collect, [])
    .option("--project", "in this project (the default)")
    .option("--user", "in your home directory, for every project")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask");
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
