import { Argument, Command, CommanderError } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { didYouMean } from "../words.ts";
import { EXIT } from "../report/exit-code.ts";
import { processTerminal, type Terminal } from "../report/terminal.ts";
import { type CommandRow, COMMANDS } from "./command-rows.ts";

export async function runGauntlet(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  let exitCode: number = EXIT.ok;
  const program = gauntletCommands(async (use) => {
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

type Act = (use: (terminal: Terminal) => Promise<number>) => Promise<void>;

export function gauntletCommands(act: Act): Command {
  const program = new Command("agent-gauntlet")
    .description(
      "Decides whether a coding agent may stop: runs your project's gates and blocks with exactly what to fix.",
    )
    .version(packageJson.version)
    .helpCommand(false)
    .showHelpAfterError("(run with --help to see the options)")
    .exitOverride();
  addExamples(program, ["agent-gauntlet init", "agent-gauntlet run", "agent-gauntlet detect --why"]);
  for (const [group, rows] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${group}:`);
    for (const row of rows) addCommand(program, row, act);
  }
  addHelpCommand(program);
  return program;
}

function addCommand(program: Command, row: CommandRow, act: Act): void {
  const command = program.command(row.name).description(row.summary);
  for (const { name, summary, choices } of row.arguments ?? []) {
    const argument = new Argument(name, summary);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const option of row.options ?? []) command.addOption(option);
  addExamples(command, row.examples ?? []);
  const { run } = row;
  if (run === undefined) {
    command.allowUnknownOption().action(async () => {}); // the entry has answered it before this table was loaded
    return;
  }
  command.action((...asked: unknown[]) => {
    const words = asked.slice(0, -1) as never[]; // the last one is commander's own
    return act((terminal) => run(terminal, ...words));
  });
}

function addExamples(command: Command, lines: readonly string[]): void {
  if (lines.length === 0) return;
  command.addHelpText("after", ["", "Examples:", ...lines.map((line) => `  $ ${line}`)].join("\n"));
}

function addHelpCommand(program: Command): void {
  program
    .command("help")
    .description("show help for a command")
    .argument("[command]")
    .action((name?: string) => {
      const asked = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (asked !== undefined) return asked.outputHelp();
      const names = program.commands.map((one) => one.name());
      const hint = didYouMean(name ?? "", names);
      program.error(`error: unknown command '${name}'${hint === undefined ? "" : `\n(${hint})`}`);
    });
}
