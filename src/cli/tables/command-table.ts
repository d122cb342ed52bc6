import { Argument, Command, Option } from "commander";
import { didYouMean } from "../../core/did-you-mean.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { BaselineOptions } from "../commands/baseline.ts";
import type { CleanOptions } from "../commands/clean.ts";
import type { ConfigOptions } from "../commands/config.ts";
import type { CompletionOptions } from "../commands/completion.ts";
import type { DashboardOptions } from "../commands/dashboard.ts";
import type { DetectOptions } from "../commands/detect.ts";
import type { HealthOptions } from "../commands/health.ts";
import type { InitOptions } from "../commands/init.ts";
import type { ListOptions } from "../commands/list.ts";
import type { McpOptions } from "../commands/mcp.ts";
import type { ParseOptions } from "../commands/parse.ts";
import type { ReportOptions } from "../commands/report.ts";
import type { StatusOptions } from "../commands/status.ts";
import type { ValidateOptions } from "../commands/validate.ts";
import { programFile } from "../../machine/process/runtime.ts";
import { addExamples, readCount, readPort } from "./command-options.ts";
import { addHookLookingCommands, addInstallCommands } from "./host-commands.ts";
import { addFleetCommands } from "./fleet-commands.ts";
import { addProofCommands } from "./proof-commands.ts";
import { addChangeOptions, addRunCommands } from "./run-commands.ts";
import type { Terminal } from "../output/terminal.ts";
import { addTrustCommands } from "./trust-commands.ts";

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
  addParseCommand(program, act);
  addHealthCommand(program, act);
  addDashboardCommand(program, act);
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
      act(async (terminal) => (await import("../commands/baseline.ts")).baselineCommand(terminal, options)),
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

function addLookingCommands(program: Command, act: Act): void {
  const detect = addChangeOptions(
    program.command("detect").description("show what changed and which gates it calls for"),
  )
    .option("--why", "also show the gates that are skipped, and why")
    .option("--json", "print the plan as JSON")
    .action((options: DetectOptions) =>
      act(async (terminal) => (await import("../commands/detect.ts")).detectCommand(terminal, options)),
    );
  addExamples(detect, "agent-gauntlet detect --why", "agent-gauntlet detect --base origin/release --json");
  program
    .command("list")
    .description("show the entry points and their gates")
    .option("--names", "print only the names of the gates")
    .option("--json", "print them as JSON")
    .action((options: ListOptions) =>
      act(async (terminal) => (await import("../commands/list.ts")).listCommand(terminal, options)),
    );
  program
    .command("status")
    .description("show the last run, open failures and attempts left")
    .addOption(new Option("--short", "print one short line, for tmux or a prompt").conflicts("json"))
    .option("--json", "print it as JSON")
    .action((options: StatusOptions) =>
      act(async (terminal) => (await import("../commands/status.ts")).statusCommand(terminal, options)),
    );
  const report = program
    .command("report")
    .description("show the last run again, without running anything")
    .option("--run <n>", "an earlier run, by its number", readCount)
    .addOption(
      new Option("--format <name>", "how to show it")
        .choices(["text", "junit", "sarif", "github", "html"])
        .default("text"),
    )
    .action((options: ReportOptions) =>
      act(async (terminal) => (await import("../commands/report.ts")).reportCommand(terminal, options)),
    );
  addExamples(
    report,
    "agent-gauntlet report",
    "agent-gauntlet report --run 3",
    "agent-gauntlet report --format html > report.html",
    "agent-gauntlet report --format sarif > gauntlet.sarif",
  );
  addConfigCommands(program, act);
}

function addConfigCommands(program: Command, act: Act): void {
  program
    .command("config")
    .description("show every setting as it holds, and where it comes from")
    .option("--json", "print them as JSON")
    .action((options: ConfigOptions) =>
      act(async (terminal) => (await import("../commands/config.ts")).configCommand(terminal, options)),
    );
  program
    .command("validate")
    .description("check every configuration file")
    .option("--json", "print the problems as JSON")
    .action((options: ValidateOptions) =>
      act(async (terminal) => (await import("../commands/validate.ts")).validateCommand(terminal, options)),
    );
}

function addParseCommand(program: Command, act: Act): void {
  const parse = program
    .command("parse")
    .description("show what is read from a log on stdin, and what an agent would get")
    .requiredOption(
      "--parser <name>",
      "a parser, or a check whose `parser` is to be tried; `auto` recognises the tool",
    )
    .action((options: ParseOptions) =>
      act(async (terminal) => (await import("../commands/parse.ts")).parseCommand(terminal, options)),
    );
  addExamples(
    parse,
    "agent-gauntlet parse --parser lint < lint.log",
    "npm test 2>&1 | agent-gauntlet parse --parser auto",
  );
}

function addHealthCommand(program: Command, act: Act): void {
  program
    .command("health")
    .description("show which AI reviewers are installed and can be asked now")
    .option("--json", "print it as JSON")
    .action((options: HealthOptions) =>
      act(async (terminal) => (await import("../commands/health.ts")).healthCommand(terminal, options)),
    );
}

function addDashboardCommand(program: Command, act: Act): void {
  const dashboard = program
    .command("dashboard")
    .description("serve a local page over the stops, gates and sessions of all projects")
    .option("--port <number>", "listen here (a free port otherwise)", readPort)
    .action((options: DashboardOptions) =>
      act(async (terminal) => (await import("../commands/dashboard.ts")).dashboardCommand(terminal, options)),
    );
  addExamples(dashboard, "agent-gauntlet dashboard", "agent-gauntlet dashboard --port 4711");
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
        (await import("../commands/init.ts")).initCommand(terminal, {
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
