import { Argument, type Command } from "commander";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { CiOptions } from "../commands/ci.ts";
import type { KeysOptions } from "../commands/keys.ts";

/** Work with other machines. */
export function addFleetCommands(program: Command, act: Act): void {
  addKeysCommand(program, act);
  addCiCommand(program, act);
}

function addCiCommand(program: Command, act: Act): void {
  const ci = program
    .command("ci")
    .description("write a workflow for GitHub Actions, or plan what a build has to run")
    .addArgument(
      new Argument("<action>", "init: write the workflow; plan: print what is to run").choices([
        "init",
        "plan",
      ]),
    )
    .option("-b, --base <revision>", "plan: compare with this commit (empty or zeros: the base branch)")
    .option(
      "--allowed-signers <file>",
      "whose attestations count: a file of the base commit, from the root of the repository",
    )
    .option("--dry-run", "init: print the workflow, write nothing")
    .option("--json", "print the plan as JSON")
    .action((action: "init" | "plan", options: CiOptions) =>
      act(async (terminal) => (await import("../commands/ci.ts")).ciCommand(terminal, action, options)),
    );
  addExamples(ci, "agent-gauntlet ci init", "agent-gauntlet ci plan --json | jq .matrix");
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
        (await import("../commands/keys.ts")).keysCommand(terminal, action, { ...options, name }),
      ),
    );
  addExamples(
    keys,
    "agent-gauntlet keys create ci-2026",
    "agent-gauntlet keys show ci-2026 --public > .gauntlet/keys/ci-2026.pub",
  );
}
