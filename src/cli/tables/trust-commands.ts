import { type Command, InvalidArgumentError, Option } from "commander";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { AllowOptions } from "../commands/trust/allow.ts";
import type { SkipOptions } from "../commands/trust/skip.ts";

/** What only the user may say: which gates may run, and that changed ones are right. */
export function addTrustCommands(program: Command, act: Act): void {
  const allow = program
    .command("allow")
    .description("let a hook that serves every project run this project's gates, as they are now")
    .addOption(new Option("--list", "show every project you allowed or denied").conflicts("print"))
    .option("--print", "print the hash of the gates: for AGENT_GAUNTLET_ALLOW, where there is no one to ask")
    .option("--json", "with --list: print it as JSON")
    .action((options: AllowOptions) =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).allowCommand(terminal, options)),
    );
  addExamples(allow, "agent-gauntlet allow", "agent-gauntlet allow --list", "agent-gauntlet allow --print");
  const deny = program
    .command("deny")
    .description("never let such a hook run anything of this project")
    .action(() =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).denyCommand(terminal)),
    );
  addExamples(deny, "agent-gauntlet deny");
  const accept = program
    .command("accept")
    .description("show how the gates were changed since the session began, and take them as they are now")
    .action(() =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).acceptCommand(terminal)),
    );
  addExamples(accept, "agent-gauntlet accept");
  const skip = program
    .command("skip")
    .description("let the agent stop unchecked, because you say so")
    .requiredOption("--reason <text>", "why: shown at the stop and recorded", readReason)
    .option("--gate <name>", "leave out only this gate")
    .addOption(
      new Option("--once", "the next stop (what is meant without --for and --session)").conflicts([
        "for",
        "session",
      ]),
    )
    .addOption(
      new Option("--for <time>", "every stop for a while: 30m, 2h").conflicts("session").argParser(readWhile),
    )
    .option("--session", "every stop of the session that stopped here last")
    .action((options: SkipOptions) =>
      act(async (terminal) => (await import("../commands/trust/skip.ts")).skipCommand(terminal, options)),
    );
  addExamples(
    skip,
    'agent-gauntlet skip --reason "the test server is down"',
    'agent-gauntlet skip --reason "flaky today" --gate e2e --for 2h',
  );
}

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "") throw new InvalidArgumentError("Say why.");
  return reason.slice(0, 300);
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** At most a week: what is longer belongs into the configuration. */
function readWhile(text: string): number {
  const [, count, unit = "m"] = /^(\d{1,4})([mhd])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * UNITS[unit === "h" || unit === "d" ? unit : "m"];
  if (!(ms > 0 && ms <= 7 * UNITS.d))
    throw new InvalidArgumentError("A time of at most a week, as in 30m, 2h or 1d.");
  return ms;
}
