import * as z from "zod";
import { OUTCOME_KINDS } from "../../src/gates/outcome.ts";
import { STATUSES } from "../../src/stop/status.ts";

const format = z.literal(1).describe("Raised when a field changes its meaning or goes.");
const commitId = z.string().nullable();
const support = z.enum(["reuse", "baseline", "rerun", "worker"]);

export const verdict = z.strictObject({
  at: z.iso.datetime().describe("When it was given; ISO 8601, UTC."),
  durationMs: z.number().nonnegative().describe("From the question to the answer."),
  door: z
    .enum(["stop-hook", "brepl", "sdk", "acp", "run", "check", "review", "mcp", "library"])
    .describe("Who asked: an agent through a hook or the SDK, a command, a tool call or a program."),
  host: z.string().nullable().describe("The agent program; null for a command."),
  session: z.string().nullable().describe("The agent's session; a hash of it where it is not a plain name."),
  worktree: z.string().nullable().describe("The linked work tree; null for the main one."),
  status: z.enum(STATUSES).describe("The result; see the list of statuses."),
  decision: z
    .enum(["allow", "block"])
    .nullable()
    .describe("Whether the agent might stop; null for a command."),
  run: z.int().nullable().describe("The number of the run, if any gate ran."),
  attemptsLeft: z.int().nullable().describe("Blocks that may still follow."),
  branch: z.string().nullable().describe("Null when HEAD was detached, or without git."),
  commit: commitId.describe("The commit that was checked out."),
  tree: commitId.describe("The git tree of the files that were judged, untracked ones included."),
  baseCommit: commitId.describe("The commit the change was measured from."),
  gates: z.string().nullable().describe("The hash of the gates' definitions."),
  whole: z
    .boolean()
    .describe(
      "Whether this is a pass that represents the tree: all gates affected by the change, on files that stood still.",
    ),
  outcomes: z
    .array(
      z.strictObject({
        id: z.string().describe("The gate."),
        outcome: z.enum(OUTCOME_KINDS).describe("The result of the gate."),
        durationMs: z.number().nonnegative().describe("How long it took."),
        blocks: z.boolean().describe("Whether it kept the agent from stopping."),
        warns: z.boolean().describe("Whether it is more than a plain pass without blocking."),
        rests: support.nullable().describe("What its pass rests on besides this run of it."),
        flaky: z.array(z.string()).describe("The tests that failed before it passed when repeated."),
      }),
    )
    .describe("Gate by gate; empty when none ran."),
  rests: z
    .array(support)
    .describe("What the verdict rests on: an earlier pass (`reuse`), a `baseline`, a `rerun`."),
  version: z.string().describe("Of agent-gauntlet."),
});

export const flakySchema = z
  .strictObject({
    gate: z.string().describe("The gate."),
    test: z.string().nullable().describe("The test, with its file; null where the output names none."),
    times: z.int().positive().describe("How often it failed and then passed when repeated."),
    first: z.iso.datetime().describe("When that was seen first."),
    last: z.iso.datetime().describe("When that was seen last."),
  })
  .describe("A test that passed only when its check was repeated.");

/** `log --json`. */
export const logSchema = z
  .strictObject({
    format,
    command: z.literal("log").describe("The command that printed this."),
    check: z
      .strictObject({
        lines: z.int().describe("How many lines the ledger has."),
        broken: z
          .strictObject({
            line: z.int().describe("The first line that does not fit, from 1."),
            why: z.string().describe("In words."),
          })
          .nullable()
          .describe("Where the chain is broken; null when it is whole."),
      })
      .nullable()
      .describe("With `--check`."),
    flaky: z.array(flakySchema).nullable().describe("With `--flaky`, the most frequent first."),
    verdicts: z.array(verdict).describe("The newest first."),
  })
  .describe("`log`: the verdicts that were given in this project.");

/** `verify --json`. */
export const verifySchema = z
  .strictObject({
    format,
    command: z.literal("verify").describe("The command that printed this."),
    verified: z.boolean().describe("Whether all of them are; the exit code says the same."),
    subjects: z
      .array(
        z.strictObject({
          name: z.string().describe("As it was asked for: a revision, a ref, `the work tree`."),
          commit: commitId.describe("Null for the work tree."),
          verified: z.boolean().describe("Whether there is a pass for exactly these files and gates."),
          reason: z.string().describe("Why, or why not."),
          verdict: verdict.nullable().describe("The pass in this machine's ledger."),
        }),
      )
      .describe("What was looked up."),
  })
  .describe("`verify`: whether files passed their gates.");

/** `attest --json`. */
export const attestSchema = z
  .strictObject({
    format,
    command: z.literal("attest").describe("The command that printed this."),
    commit: z.string().describe("What was attested."),
    tree: z.string().describe("Its files."),
    signer: z.string().describe("The fingerprint of the key."),
    ref: z.string().describe("The git ref that holds the note."),
  })
  .describe("`attest`: what was signed.");
