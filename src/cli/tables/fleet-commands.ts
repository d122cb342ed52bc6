import { Argument, type Command, InvalidArgumentError } from "commander";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { CiOptions } from "../commands/fleet/ci.ts";
import type { KeysOptions } from "../commands/fleet/keys.ts";
import type { WorkerCommandOptions } from "../commands/fleet/worker.ts";

/** Work with other machines. */
export function addFleetCommands(program: Command, act: Act): void {
  addKeysCommand(program, act);
  addCiCommand(program, act);
  addWorkerCommands(program, act);
}

function addWorkerCommands(program: Command, act: Act): void {
  const worker = program
    .command("worker")
    .description("run gates for other machines, until TERM (needs `npm install bullmq ioredis`)")
    .option("--url <redis>", "the queue: redis://host or rediss://host (default: remote.workers.url)")
    .option("--tree <repository>", "the git repository to fetch trees from (default: remote.workers.tree)")
    .option("--concurrency <number>", "how many gates to run at the same time (1)", readCount)
    .option("--platform <name>", "whose gates to take, such as linux-x64 (that of this machine)")
    .option("--dir <directory>", "where checkouts are kept (~/.cache/agent-gauntlet/worker)")
    .option("--max-gb <number>", "how large they may become together (20)", readCount)
    .option("--fresh", "remove also what git ignores before each gate")
    .option("--cache <url>", "sign what passes with GAUNTLET_SIGNING_KEY and share it there")
    .action((options: WorkerCommandOptions) =>
      act(async (terminal) => (await import("../commands/fleet/worker.ts")).workerCommand(terminal, options)),
    );
  addExamples(
    worker,
    "agent-gauntlet worker --url redis://queue.example --tree ssh://git.example/gauntlet.git --concurrency 4",
  );
  const workers = program
    .command("workers")
    .description("show the workers that are there, and what waits for them")
    .option("--url <redis>", "the queue (default: remote.workers.url)")
    .option("--json", "print it as JSON")
    .action((options: WorkerCommandOptions) =>
      act(async (terminal) =>
        (await import("../commands/fleet/worker.ts")).workersCommand(terminal, options),
      ),
    );
  addExamples(workers, "agent-gauntlet workers", "agent-gauntlet workers --json | jq '.workers | length'");
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("Use a number from 1 to 99999.");
  return Number(text);
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
      act(async (terminal) => (await import("../commands/fleet/ci.ts")).ciCommand(terminal, action, options)),
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
        (await import("../commands/fleet/keys.ts")).keysCommand(terminal, action, { ...options, name }),
      ),
    );
  addExamples(
    keys,
    "agent-gauntlet keys create ci-2026",
    "agent-gauntlet keys show ci-2026 --public > .gauntlet/keys/ci-2026.pub",
  );
}
