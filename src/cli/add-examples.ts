import type { Command } from "commander";

/** Shows command lines to copy below the help of a command. */
export function addExamples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText("after", ["", "Examples:", ...lines.map((line) => `  $ ${line}`)].join("\n"));
}
