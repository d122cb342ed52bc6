import { type Command, Option } from "commander";
import type { Act } from "./command-table.ts";
import type { RunOptions, DetectOptions } from "../commands/run.ts";
import { addExamples, collect, readReportTargets, readCount, readPort } from "./command-options.ts";
import type { ConfigOptions, ListOptions, ValidateOptions } from "../commands/configuration.ts";
import type { DashboardOptions } from "../commands/dashboard.ts";
import type { HealthOptions } from "../commands/health.ts";
import type { ParseOptions } from "../commands/parse.ts";
import type { ReportOptions } from "../commands/report.ts";
import type { StatusOptions } from "../commands/status.ts";

/** The commands that run gates, with their flags. */
export function addRunCommands(program: Command, act: Act): void {
  const run = program
    .command("run")
    .description("run every gate the changes call for")
    .action(runAction(act));
  const check = program.command("check").description("run only the checks").action(runAction(act, "check"));
  const review = program
    .command("review")
    .description("run only the AI reviews")
    .action(runAction(act, "review"));
  for (const command of [run, check, review]) addRunOptions(command);
  addExamples(
    run,
    "agent-gauntlet run",
    "agent-gauntlet run -g lint -g test",
    "agent-gauntlet run -g 'packages/*' --skip e2e",
    "agent-gauntlet run --failed",
    "agent-gauntlet run --watch",
    "agent-gauntlet run --json | jq .status",
    "agent-gauntlet run --report junit=reports/gauntlet.xml,sarif=reports/gauntlet.sarif",
  );
  addExamples(check, "agent-gauntlet check --uncommitted");
  addExamples(review, "agent-gauntlet review", "agent-gauntlet review -g security --commit HEAD");
}

function runAction(act: Act, kind?: "check" | "review") {
  return (options: RunOptions): Promise<void> =>
    act(async (terminal) => {
      const { runCommand } = await import("../commands/run.ts");
      return runCommand(terminal, { ...options, ...(kind === undefined ? {} : { kind }) });
    });
}

function addRunOptions(command: Command): void {
  addChangeOptions(addChoiceOptions(command))
    .addOption(
      new Option("--only-new", "let checks block only for problems that were not there before").conflicts(
        "allProblems",
      ),
    )
    .option("--all-problems", "count every problem, also with `only_new` or a committed baseline")
    .option("--no-cache", "also run checks that passed before with the same `inputs`")
    .option("--no-fix", "do not run the `fix` of a check that fails")
    .option("-q, --quiet", "print only failures and the status")
    .option("-v, --verbose", "also print what changed and why gates are skipped")
    .option("--json", "print the result as JSON on stdout")
    .addOption(
      new Option("--watch", "run again whenever files change, until q is pressed").conflicts([
        "json",
        "commit",
        "staged",
      ]),
    )
    .option(
      "--report <list>",
      "also write html=PATH, junit=PATH, sarif=PATH, json=PATH, github (automatic in GitHub Actions)",
      readReportTargets,
    );
}

/** Which gates a run or a look is about. */
function addChoiceOptions(command: Command): Command {
  return command
    .option(
      "-g, --gate <name>",
      "only this gate, or those of a path or glob (may be given several times)",
      collect,
    )
    .option("--skip <name>", "leave this gate out (may be given several times)", collect)
    .option("--all", "every check, whatever has changed")
    .addOption(new Option("--failed", "only the gates that failed in the last run").conflicts("all"));
}

/** What a run or a look is to compare with. */
function addChangeOptions(command: Command): Command {
  return command
    .addOption(
      new Option("-b, --base <revision>", "compare with this branch or commit").conflicts([
        "commit",
        "uncommitted",
      ]),
    )
    .addOption(
      new Option("-c, --commit <revision>", "look only at what this commit changed").conflicts("uncommitted"),
    )
    .addOption(
      new Option("--staged", "look only at what the next commit holds").conflicts([
        "base",
        "commit",
        "uncommitted",
      ]),
    )
    .option("-u, --uncommitted", "look only at what is not committed");
}

/** The commands that run nothing. */
export function addLookingCommands(program: Command, act: Act): void {
  addDetectCommand(program, act);
  program
    .command("list")
    .description("show the entry points and their gates")
    .option("--names", "print only the names of the gates")
    .option("--json", "print them as JSON")
    .action((options: ListOptions) =>
      act(async (terminal) => (await import("../commands/configuration.ts")).listCommand(terminal, options)),
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
  addParseCommand(program, act);
  addHealthCommand(program, act);
  addDashboardCommand(program, act);
}

function addDetectCommand(program: Command, act: Act): void {
  const detect = addChangeOptions(
    addChoiceOptions(program.command("detect")).description("show what changed and which gates it calls for"),
  )
    .option("--why", "also show the gates that are skipped, and why")
    .option("--json", "print the plan as JSON")
    .action((options: DetectOptions) =>
      act(async (terminal) => (await import("../commands/run.ts")).detectCommand(terminal, options)),
    );
  addExamples(
    detect,
    "agent-gauntlet detect --why",
    "agent-gauntlet detect --failed",
    "agent-gauntlet detect --base origin/release --json",
  );
}

function addConfigCommands(program: Command, act: Act): void {
  program
    .command("config")
    .description("show every setting as it holds, and where it comes from")
    .option("--json", "print them as JSON")
    .action((options: ConfigOptions) =>
      act(async (terminal) =>
        (await import("../commands/configuration.ts")).configCommand(terminal, options),
      ),
    );
  program
    .command("validate")
    .description("check every configuration file")
    .option("--json", "print the problems as JSON")
    .action((options: ValidateOptions) =>
      act(async (terminal) =>
        (await import("../commands/configuration.ts")).validateCommand(terminal, options),
      ),
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
