import { Argument, type Command } from "commander";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { KeysOptions } from "./commands/keys.ts";

/** Work with other machines. */
export function addFleetCommands(program: Command, act: Act): void {
  addKeysCommand(program, act);
}

function addKeysCommand(program: Command, act: Act): void {
  const keys = program
    .command("keys")
    .description("create or show the key that signs passes for other machines")
    .addArgument(new Argument("<action>", "what to do").choices(["create", "show"]))
    .argument("[name]", "which key of yours (default; `show` prefers $GAUNTLET_SIGNING_KEY)")
    .option("--public", "print only the public half")
    .option("--json", "print it as JSON")
    .action((action: "create" | "show", name: string | undefined, options: KeysOptions) =>
      act(async (terminal) =>
        (await import("./commands/keys.ts")).keysCommand(terminal, action, { ...options, name }),
      ),
    );
  addExamples(
    keys,
    "agent-gauntlet keys create ci-2026",
    "agent-gauntlet keys show ci-2026 --public > .gauntlet/keys/ci-2026.pub",
  );
}
