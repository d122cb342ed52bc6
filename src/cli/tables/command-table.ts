import { Command, CommanderError, Argument } from "commander";
import { EXIT } from "../exit-code.ts";
import { processTerminal, type Terminal } from "../output/terminal.ts";
import { didYouMean } from "../../core/did-you-mean.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { BaselineOptions } from "../commands/trust/baseline.ts";
import type { CleanOptions } from "../commands/clean.ts";
import type { CompletionOptions } from "../commands/completion.ts";
import type { InitOptions } from "../commands/init/init.ts";
import type { McpOptions } from "../commands/mcp.ts";
import { programFile } from "../../machine/process/runtime.ts";
import { addExamples } from "./command-options.ts";
import { addHookLookingCommands, addInstallCommands } from "./host-commands.ts";
import { addFleetCommands } from "./fleet-commands.ts";
import { addProofCommands, addTrustCommands } from "./proof-commands.ts";
import { addLookingCommands, addRunCommands } from "./gate-commands.ts";

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

/** Runs one command; what it returns is the exit code. */
export type Act = (use: (terminal: Terminal) => Promise<number>) => Promise<void>;

/** The command table: names, flags and texts. What a command does is in `commands/`, loaded when it is asked for. */
export function gauntletCommands(act: Act): Command {
  const program = new Command("agent-gauntlet")
    .description(
      "Decides whether a coding agent may stop: runs your project's gates and blocks with exactly what to fix.",
    )
    .version(packageJson.version)
    .helpCommand(false)
    .showHelpAfterError("(run with --help to see the options)")
    .exitOverride();
  addExamples(program, "agent-gauntlet init", "agent-gauntlet run", "agent-gauntlet detect --why");
  program.commandsGroup("Set up:");
  addInitCommand(program, act);
  addInstallCommands(program, act);
  program.commandsGroup("Run the gates:");
  addRunCommands(program, act);
  addBaselineCommand(program, act);
  program.commandsGroup("Look, without running anything:");
  addLookingCommands(program, act);
  program.commandsGroup("Prove what was checked:");
  addProofCommands(program, act);
  program.commandsGroup("Work with other machines:");
  addFleetCommands(program, act);
  program.commandsGroup("Understand the stop hook:");
  addHookLookingCommands(program, act);
  program.commandsGroup("Decide what only you can:");
  addTrustCommands(program, act);
  program.commandsGroup("More:");
  addOtherCommands(program, act);
  addMcpCommand(program, act);
  addHookCommands(program);
  addHelpCommand(program);
  return program;
}

function addBaselineCommand(program: Command, act: Act): void {
  const baseline = program
    .command("baseline")
    .description("write down the problems this project lives with, so that only others block")
    .option("--prune", "only remove what is fixed; needs no terminal")
    .option("--json", "print the result as JSON; the file can then only shrink")
    .action((options: BaselineOptions) =>
      act(async (terminal) =>
        (await import("../commands/trust/baseline.ts")).baselineCommand(terminal, options),
      ),
    );
  addExamples(baseline, "agent-gauntlet baseline", "agent-gauntlet baseline --prune");
}

function addMcpCommand(program: Command, act: Act): void {
  const mcp = program
    .command("mcp")
    .description("serve the gates to an agent over MCP on stdio (agents start it, not people)")
    .option("--project <directory>", "the project, where the agent starts servers elsewhere")
    .action((options: McpOptions) =>
      act(async (terminal) => (await import("../commands/mcp.ts")).mcpCommand(terminal, options)),
    );
  addExamples(mcp, "claude mcp add gauntlet -- agent-gauntlet mcp");
}

/** The entry answers these before this table is loaded; they are here for --help only. */
function addHookCommands(program: Command): void {
  program
    .command("stop-hook")
    .description("answer an agent's stop hook (agents call it, not people)")
    .option("--host <name>", "which agent asks, when the event does not say")
    .option("--only-allowed", "run nothing of a project that `agent-gauntlet allow` does not know")
    .allowUnknownOption()
    .action(async () => {});
  program
    .command("prompt-hook")
    .description(
      "take down `gauntlet skip: why` and `gauntlet accept` from a prompt (agents call it, not people)",
    )
    .allowUnknownOption()
    .action(async () => {});
  program
    .command("session-start")
    .description("remember where an agent's session begins (agents call it, not people)")
    .option("--host <name>", "which agent calls")
    .allowUnknownOption()
    .action(async () => {});
  const statusline = program
    .command("statusline")
    .description("print one line for Claude Code's status line (it calls this, with JSON on stdin)")
    .action(async () => {});
  addExamples(statusline, '"statusLine": { "type": "command", "command": "agent-gauntlet statusline" }');
  program
    .command("brepl")
    .description("stop hooks of .brepl/hooks.edn for Clojure projects (see `agent-gauntlet brepl --help`)")
    .allowUnknownOption()
    .action(async () => {});
}

function addInitCommand(program: Command, act: Act): void {
  const init = program
    .command("init")
    .description("write .gauntlet/config.yml with this project's checks, and install the stop hook")
    .option("-y, --yes", "ask nothing; the hook is installed only with --hook")
    .option("--hook", "install the Claude Code stop hook without asking")
    .option("--no-hook", "do not install it, do not ask")
    .option("--here", "in this directory, even if it is not the root of the repository")
    .option("--try", "run each check once and show whether it passes")
    .option("--dry-run", "show what would be written")
    .action((options: Omit<InitOptions, "script" | "version">) =>
      act(async (terminal) =>
        (await import("../commands/init/init.ts")).initCommand(terminal, {
          ...options,
          script: programFile(),
          version: packageJson.version,
        }),
      ),
    );
  addExamples(
    init,
    "agent-gauntlet init",
    "agent-gauntlet init --yes --hook --try",
    "agent-gauntlet init --dry-run",
  );
}

function addOtherCommands(program: Command, act: Act): void {
  program
    .command("clean")
    .description("put the logs away in previous/, forget failures and attempts")
    .option("--all", "also remove the ledger and all else that is kept about this project outside of it")
    .option("--json", "print it as JSON")
    .action((options: CleanOptions) =>
      act(async (terminal) => (await import("../commands/clean.ts")).cleanCommand(terminal, options)),
    );
  program
    .command("demo")
    .description("play a stop in a scratch repository: blocked, fixed, allowed")
    .action(() => act(async (terminal) => (await import("../commands/demo.ts")).demoCommand(terminal)));
  const completion = program
    .command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .action((shell: CompletionOptions["shell"]) =>
      act(async (terminal) =>
        (await import("../commands/completion.ts")).completionCommand(terminal, { shell }),
      ),
    );
  addExamples(
    completion,
    'eval "$(agent-gauntlet completion bash)"',
    "agent-gauntlet completion fish | source",
  );
}

function addHelpCommand(program: Command): void {
  program
    .command("help")
    .description("show help for a command")
    .argument("[command]")
    .action((name?: string) => {
      const asked = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (asked !== undefined) return asked.outputHelp();
      const hint = didYouMean(
        name ?? "",
        program.commands.map((one) => one.name()),
      );
      program.error(`error: unknown command '${name}'${hint === undefined ? "" : `\n(${hint})`}`);
    });
}
