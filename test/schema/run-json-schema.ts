import * as z from "zod";
import { FINDING_STATUSES, PRIORITIES } from "../../src/gates/review/finding.ts";
import { GUARD_NAMES } from "../../src/config/settings.ts";
import { STATUSES } from "../../src/stop/status.ts";

export const path = z
  .string()
  .describe("Relative to the project root, with `/` on every platform; `.` is the root.");

export const gateKind = z.enum(["check", "review", "repl", "guard"]).describe("What kind of gate it is.");

export const gateId = z
  .string()
  .describe("`<kind>:<scope>:<name>`; stable between runs, and what `--gate` takes besides a name.");

/** A guard as it is configured. */
export const guardFields = {
  name: z.enum(GUARD_NAMES).describe("The guard's name."),
  mode: z.enum(["tell", "block"]).describe("What it does with a finding."),
};

export const runStatus = z.enum(STATUSES).describe("The result; see the list of statuses.");

export const time = z.iso.datetime().describe("ISO 8601, UTC.");

const changes = z
  .strictObject({
    comparedTo: z.string().describe("In words: `origin/main (1a2b3c4)`, `the last commit`, …"),
    baseCommit: z.string().nullable().describe("The commit the change is measured from, if there is one."),
    files: z
      .array(
        z.strictObject({
          path,
          change: z
            .enum(["added", "modified", "deleted", "renamed", "untracked", "unmerged"])
            .describe("What happened to the file; what is in the work tree now has the last word."),
          from: path.nullable().describe("Where a renamed file was before; it counts as changed there too."),
        }),
      )
      .describe("Every changed file of the project."),
    notes: z
      .array(z.string())
      .describe("Surprises worth knowing: a base branch that is missing, no git at all."),
  })
  .describe("What changed.");

const skipped = z
  .array(z.strictObject({ id: gateId, reason: z.string().describe("Why the gate does not run.") }))
  .describe("Gates that are not planned.");

const findings = z.array(
  z.strictObject({
    id: z.string().describe("The same for the same finding in every round."),
    file: path,
    line: z.int().positive().nullable().describe("From 1; null when it is about the file as a whole."),
    issue: z.string().describe("What is wrong."),
    fix: z.string().describe("What the reviewer would do; may be empty."),
    priority: z.enum(PRIORITIES).describe("How urgent it is."),
    status: z.enum(FINDING_STATUSES).describe("How it was answered."),
    result: z
      .string()
      .describe("What was done about it, why it stays, or what is still wrong; may be empty."),
  }),
);

const review = z
  .strictObject({
    open: findings.describe("What is not settled, most urgent first."),
    skipped: findings.describe("What was answered with a reason."),
    sheets: z.array(path).describe("The files in which open findings are answered."),
  })
  .describe("The findings of a review.");

export const outcome = z
  .strictObject({
    id: gateId,
    kind: gateKind,
    name: z.string().describe("The gate's name in the configuration."),
    scope: path.describe("The path the gate covers."),
    workingDirectory: path.describe("Where it ran."),
    outcome: z
      .enum(["passed", "failed", "timed-out", "errored", "unavailable", "cancelled", "skipped"])
      .describe("The outcome of the gate."),
    detail: z.string().nullable().describe("One line more: `exit code 1`; a warning, if it passed with one."),
    blocks: z.boolean().describe("Whether this outcome keeps an agent from stopping."),
    warnOnly: z.boolean().describe("Whether the configuration says that this gate only warns."),
    durationMs: z.number().nonnegative().describe("How long it took, in milliseconds."),
    logPath: path.nullable().describe("The gate's full output."),
    review: review.nullable().describe("What the reviewers found; null for gates that are not reviews."),
    baseline: z
      .strictObject({
        comparedWith: z
          .string()
          .nullable()
          .describe(
            "In words: `origin/main (1a2b3c4)`, `.gauntlet/baseline.json`; null if it was not compared.",
          ),
        notCompared: z.string().nullable().describe("Why it was not compared; null if it was."),
        old: z.int().nonnegative().describe("How many of its problems were there before."),
        gone: z.int().nonnegative().describe("How many were there before and are fixed."),
        logPath: path.nullable().describe("What the check printed on the earlier tree, if it ran there now."),
      })
      .nullable()
      .describe("How a failing check compares with what was there before; null for all others."),
  })
  .describe("One gate of a run.");

const problem = z.strictObject({
  file: z
    .string()
    .nullable()
    .describe("Relative to the project root, with `/`; as the tool printed it when it lies outside."),
  line: z.int().positive().nullable().describe("From 1."),
  column: z.int().positive().nullable().describe("From 1."),
  severity: z.enum(["error", "warning"]).describe("How the tool calls it."),
  code: z.string().nullable().describe("The tool's own name for the rule: `TS2322`, `no-unused-vars`."),
  test: z.string().nullable().describe("The failing test, as its runner names it."),
  message: z.string().describe("What is wrong, in one line."),
  excerpt: z
    .string()
    .nullable()
    .describe("What helps to understand it: a difference, marked source, frames."),
  isNew: z
    .boolean()
    .nullable()
    .describe(
      "Whether the change brought it; null where the check was not compared with what was there before.",
    ),
});

const ranOutcome = outcome
  .extend({
    problems: z
      .array(problem)
      .describe("What a gate that did not pass said is wrong, in the order of repair; often empty."),
  })
  .describe("One gate of this run.");

export const run = z
  .strictObject({
    ...head("run", "check", "review"),
    status: runStatus,
    message: z.string().describe("One line for people."),
    run: z.int().nullable().describe("The number of the run, if any gate ran."),
    outcomes: z.array(ranOutcome).describe("One for each planned gate."),
    skipped,
    changes: changes.nullable().describe("What changed; null when there was no need to look."),
    consoleLog: path.nullable().describe("The log of the run as a whole."),
    attemptsLeft: z.int().nullable().describe("Blocks that may still follow."),
  })
  .describe("`run`, `check` and `review`: what was run, with its result.");

export const detect = z
  .strictObject({
    ...head("detect"),
    changes,
    gates: z
      .array(
        z.strictObject({
          id: gateId,
          kind: gateKind,
          name: z.string().describe("The gate's name in the configuration."),
          scope: path.describe("The path the gate covers."),
          workingDirectory: path.describe("Where it would run."),
          reason: z.string().describe("Why it would run."),
          files: z.array(path).describe("The changed files of its scope."),
        }),
      )
      .describe("Gates that would run."),
    guards: z
      .array(
        z.strictObject({
          id: gateId,
          ...guardFields,
          reason: z.string().describe("Why it would look."),
        }),
      )
      .describe("Guards that would look at the change."),
    skipped,
  })
  .describe("`detect`: what changed and which gates it calls for.");

/** What every output begins with. */
export function head(...commands: readonly [string, ...string[]]) {
  return {
    format: z.literal(1).describe("Raised when a field changes its meaning or goes."),
    command: z.enum(commands).describe("The command that printed this."),
  };
}
