import { type Command, CommanderError } from "commander";
import { gauntletCommands } from "./tables/command-table.ts";
import { EXIT } from "./exit-code.ts";
import { processTerminal } from "./output/terminal.ts";

/** Reads the command line, runs the one command it names, and returns its exit code. */
export async function runGauntlet(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  let exitCode: number = EXIT.ok;
  const program: Command = gauntletCommands(async (use) => {
    exitCode = await use(terminal);
  });
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.notOk;
  }
}
