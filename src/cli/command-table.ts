import { Argument, Command, CommanderError } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { PACKAGE } from "../package-name.ts";
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

/** Every command can be called; help shows those that people use, or all but those for agents. */
export function gauntletCommands(act: Act, shown: "first" | "all" = "first"): Command {
  const program = new Command("agent-gauntlet")
    .description(
      "Each time your coding agent tries to finish, agent-gauntlet runs your checks and sends it back if any fail.",
    )
    .version(packageJson.version)
    .helpCommand(false)
    .showHelpAfterError("(run with --help to see the options)")
    .exitOverride();
  addExamples(program, ["agent-gauntlet init", "agent-gauntlet run", "agent-gauntlet run lint test"]);
  if (shown === "first")
    program.addHelpText("after", `\nAll commands: agent-gauntlet help --all\nDocs: npm docs ${PACKAGE}`);
  program.on("command:*", ([name = ""]: readonly string[]) => refuseUnknown(program, name));
  for (const [group, rows] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${group}:`);
    for (const row of rows)
      addCommand(program, row, {
        act,
        isHidden: row.shown === "hidden" || (shown === "first" && row.shown !== "first"),
      });
  }
  addHelpCommand(program);
  return program;
}

function addCommand(
  program: Command,
  row: CommandRow,
  { act, isHidden }: { readonly act: Act; readonly isHidden: boolean },
): void {
  const command = program.command(row.name, { hidden: isHidden }).description(row.summary);
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
    .option("--all", "every command")
    .action((name: string | undefined, { all }: { readonly all?: boolean }) => {
      if (all) return gauntletCommands(async () => {}, "all").outputHelp();
      const asked = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (asked === undefined) return refuseUnknown(program, name ?? "");
      asked.outputHelp();
    });
}

/** What people type who know other tools. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  test: "run",
  tests: "run",
  start: "run",
  lint: "run lint",
  build: "run build",
  gates: "list",
  history: "log",
  logs: "log",
  why: "explain",
  setup: "init",
  hook: "install",
  hooks: "install",
};

function refuseUnknown(program: Command, name: string): void {
  const meant = Object.hasOwn(OTHER_NAMES, name) ? `did you mean \`${OTHER_NAMES[name]}\`?` : undefined;
  const hint =
    meant ??
    didYouMean(
      name,
      program.commands.map((one) => one.name()),
    );
  program.error(`error: unknown command '${name}'${hint === undefined ? "" : `\n(${hint})`}`);
}
