import { type Command, Option } from "commander";
import type { Act } from "./command-table.ts";
import type { RunOptions } from "../commands/run.ts";
import { addExamples, collect, readReportTargets } from "./command-options.ts";

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
export function addChoiceOptions(command: Command): Command {
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
export function addChangeOptions(command: Command): Command {
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
