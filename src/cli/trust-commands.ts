import { type Command, Option } from "commander";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { AllowOptions } from "./commands/allow.ts";

/** What only the user may say: which gates may run, and that changed ones are right. */
export function addTrustCommands(program: Command, act: Act): void {
  const allow = program
    .command("allow")
    .description("let a hook that serves every project run this project's gates, as they are now")
    .addOption(new Option("--list", "show every project you allowed or denied").conflicts("print"))
    .option("--print", "print the hash of the gates: for AGENT_GAUNTLET_ALLOW, where nobody can be asked")
    .option("--json", "with --list: print it as JSON")
    .action((options: AllowOptions) =>
      act(async (terminal) => (await import("./commands/allow.ts")).allowCommand(terminal, options)),
    );
  addExamples(allow, "agent-gauntlet allow", "agent-gauntlet allow --list", "agent-gauntlet allow --print");
  const deny = program
    .command("deny")
    .description("never let such a hook run anything of this project")
    .action(() => act(async (terminal) => (await import("./commands/allow.ts")).denyCommand(terminal)));
  addExamples(deny, "agent-gauntlet deny");
  const accept = program
    .command("accept")
    .description("show how the gates were changed since the session began, and take them as they are now")
    .action(() => act(async (terminal) => (await import("./commands/allow.ts")).acceptCommand(terminal)));
  addExamples(accept, "agent-gauntlet accept");
}
