import { type Command, Option } from "commander";
import { HOSTS } from "../../hosts/host-table.ts";
import { GIT_HOOK_NAMES } from "../../install/git-hook.ts";
import { addExamples, collect, readCount } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { DoctorOptions } from "../commands/hosts/doctor.ts";
import type { ExplainOptions } from "../commands/hosts/explain.ts";
import type { InstallOptions } from "../commands/hosts/install.ts";
import type { SimulateOptions } from "../commands/hosts/simulate.ts";
import type { UninstallOptions } from "../commands/hosts/uninstall.ts";

const HOST_NAMES = HOSTS.filter((host) => host.registration !== undefined)
  .map((host) => host.name)
  .join(", ");

/** Put the hook in, take it out. */
export function addInstallCommands(program: Command, act: Act): void {
  const install = addInstallOptions(program.command("install"))
    .description("register the stop hook with the agents you use")
    .option("--all-detected", "every agent found on this machine")
    .addOption(
      new Option(
        "--git-hook [name]",
        "be part of a git hook instead: pre-push (the default) verifies every push, pre-commit runs the gates on what is staged",
      ).choices(GIT_HOOK_NAMES),
    )
    .action((options: InstallOptions) =>
      act(async (terminal) =>
        (await import("../commands/hosts/install.ts")).installCommand(terminal, options),
      ),
    );
  addExamples(
    install,
    "agent-gauntlet install --host claude-code",
    "agent-gauntlet install --all-detected --dry-run",
    "agent-gauntlet install --git-hook",
    "agent-gauntlet install --git-hook pre-commit",
    "agent-gauntlet install --host claude-code --shared",
  );
  const uninstall = addInstallOptions(program.command("uninstall"))
    .description("take our stop hooks out again, and nothing else")
    .addOption(
      new Option(
        "--git-hook [name]",
        "take our lines out of this repository's git hooks instead: out of pre-push, pre-commit, or both",
      ).choices(GIT_HOOK_NAMES),
    )
    .action((options: UninstallOptions) =>
      act(async (terminal) =>
        (await import("../commands/hosts/uninstall.ts")).uninstallCommand(terminal, options),
      ),
    );
  addExamples(
    uninstall,
    "agent-gauntlet uninstall",
    "agent-gauntlet uninstall --host codex --user",
    "agent-gauntlet uninstall --git-hook",
  );
}

/** See whether the hook works, play it, explain it. */
export function addHookLookingCommands(program: Command, act: Act): void {
  program
    .command("doctor")
    .description("check for each agent whether the stop hook is registered, runs and ever fired")
    .option("--json", "print the findings as JSON")
    .action((options: DoctorOptions) =>
      act(async (terminal) => (await import("../commands/hosts/doctor.ts")).doctorCommand(terminal, options)),
    );
  const simulate = program
    .command("simulate")
    .description("play a stop as an agent would and show what it and you would see")
    .option("--host <name>", `which agent: ${HOST_NAMES}`, "claude-code")
    .option("--event <file>", "the payload to play, instead of one made up")
    .option(
      "--start [commit]",
      "play the start of the session first: with the files as they are now, or with those of a commit",
    )
    .option("--times <n>", "how many stops in a row, as long as the agent goes on", readCount, 1)
    .action((options: SimulateOptions) =>
      act(async (terminal) =>
        (await import("../commands/hosts/simulate.ts")).simulateCommand(terminal, options),
      ),
    );
  addExamples(
    simulate,
    "agent-gauntlet simulate",
    "agent-gauntlet simulate --start HEAD~1",
    "agent-gauntlet simulate --host codex --times 5",
  );
  const explain = program
    .command("explain")
    .description("show why the last stop was blocked, allowed or deferred")
    .option("--last [n]", "the last stop (the default), or the n-th last one", readCount)
    .option("--session <id>", "only of this session (the beginning of its id is enough)")
    .option("--anywhere", "look at the last stop of each session, in whatever directory it was")
    .option("--json", "print it as JSON")
    .action((options: ExplainOptions) =>
      act(async (terminal) =>
        (await import("../commands/hosts/explain.ts")).explainCommand(terminal, options),
      ),
    );
  addExamples(explain, "agent-gauntlet explain", "agent-gauntlet explain --last 2");
}

function addInstallOptions(command: Command): Command {
  return command
    .option("--host <name>", `an agent, may be given several times: ${HOST_NAMES}`, collect)
    .option("--project", "in this project (the default)")
    .option("--shared", "in the settings file the team commits, with a command that works on every machine")
    .option("--user", "in your home directory, for every project")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask");
}
