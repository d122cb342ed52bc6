import { STOP_KINDS } from "../../src/hosts/stop-event.ts";
import * as z from "zod";
import { STATUSES } from "../../src/stop/status.ts";
import { verdict } from "./proof-json-schema.ts";

const format = z.literal(1).describe("Raised when a field changes its meaning or goes.");

const reasoned = z.array(
  z.strictObject({ id: z.string().describe("The gate."), why: z.string().describe("In words.") }),
);

const level = z.enum(["ok", "warning", "problem"]).describe("A problem makes the exit code 1.");

/** `doctor --json`. */
export const doctorSchema = z
  .strictObject({
    format,
    command: z.literal("doctor").describe("The command that printed this."),
    configuration: z
      .strictObject({ level, text: z.string().describe("For people.") })
      .describe("Whether this project's configuration gates anything."),
    hosts: z
      .array(
        z.strictObject({
          host: z.string().describe("As `--host` takes it."),
          registered: z.boolean().describe("Whether the host will run the stop hook."),
          findings: z
            .array(
              z.strictObject({
                check: z
                  .enum(["registered", "command", "program", "timeout", "fired", "round-trip"])
                  .describe("What was looked at."),
                level,
                text: z.string().describe("For people."),
              }),
            )
            .describe("What was looked at."),
        }),
      )
      .describe("Every agent that is installed or registered."),
  })
  .describe("`doctor`: whether the stop hook works, agent by agent.");

/** `explain --json`. */
export const explainSchema = z
  .strictObject({
    format,
    command: z.literal("explain").describe("The command that printed this."),
    at: z.iso.datetime().describe("When the stop was answered; ISO 8601, UTC."),
    event: z
      .strictObject({
        host: z.string().nullable().describe("Who asked."),
        kind: z.enum(STOP_KINDS).nullable().describe("What was about to end."),
        agentType: z.string().nullable().describe("The type of the sub-agent or teammate that asked."),
        hostVersion: z.string().nullable().describe("Where the host says so."),
        sessionId: z.string().nullable().describe("The host's own, where it names sessions."),
        promptId: z.string().nullable().describe("Changes with every prompt, where the host says so."),
        cwd: z.string().nullable().describe("Where the agent was."),
        continued: z
          .boolean()
          .nullable()
          .describe("Whether the agent went on because an earlier stop was blocked."),
        permissionMode: z.string().nullable().describe("As the host calls it; `plan` defers a stop."),
        backgroundTasks: z
          .array(
            z.strictObject({
              kind: z.enum(["agent", "shell", "other"]).describe("Only agents can defer a stop."),
              description: z.string().describe("In the host's words."),
            }),
          )
          .describe("Work the host said was still going on."),
      })
      .describe(
        "What was asked; only host and session are known of a stop that another of its session followed.",
      ),
    verdict: z
      .strictObject({
        decision: z.enum(["allow", "block"]).describe("Whether the agent might stop."),
        status: z.enum(STATUSES).describe("The result; see the list of statuses."),
        message: z.string().describe("One line for people."),
        feedback: z.string().nullable().describe("What the agent was given to read."),
        notice: z
          .string()
          .nullable()
          .describe("What there was to say to the user, in full; of more than three lines the user saw two."),
      })
      .describe("What was decided."),
    run: z
      .strictObject({
        number: z.int().nullable().describe("The number of the run, if any gate ran."),
        comparedTo: z.string().nullable().describe("In words, what the changes are measured against."),
        files: z.array(z.string()).describe("What changed; at most 200."),
        planned: reasoned.describe("Gates that were to run, and why."),
        skipped: reasoned.describe("Gates that were not, and why."),
        outcomes: reasoned.describe("The outcome of each gate."),
        attemptsLeft: z.int().nullable().describe("Blocks that may still follow."),
        consoleLog: z.string().nullable().describe("The log of the run as a whole."),
      })
      .nullable()
      .describe("What was looked at and run; null when it ended before any gate was planned."),
    answer: z
      .strictObject({
        stdout: z.string().describe("One line."),
        exitCode: z.int().describe("0, except for hosts that take 2 for a block."),
      })
      .nullable()
      .describe("What was written to the host; null where another stop of the session followed."),
    recorded: verdict.nullable().describe("Its line in the ledger; null outside of projects."),
  })
  .describe("`explain`: why the last stop was blocked, allowed or deferred.");

/** `keys --json`. */
export const keysSchema = z
  .strictObject({
    format,
    command: z.literal("keys").describe("The command that printed this."),
    id: z.string().describe("The id of the key, as records name it."),
    source: z.string().describe("Where the private half is: a file, or a variable of the environment."),
    publicKey: z.string().describe("The public half, in PEM form."),
    trustedBy: z
      .string()
      .nullable()
      .describe("The file by which this project trusts it; null if it does not."),
  })
  .describe("`keys`: the key that signs passes for other machines.");

const id = z.string().describe("The gate.");

/** `ci plan --json`. */
export const ciPlanSchema = z
  .strictObject({
    format,
    command: z.literal("ci").describe("The command that printed this."),
    commit: z.string().nullable().describe("What is checked out."),
    tree: z.string().nullable().describe("The git tree of the files that are checked out."),
    comparedTo: z.string().describe("What the change is measured from, in words."),
    baseCommit: z.string().nullable().describe("The commit; whom to trust is read from it."),
    base: z.string().nullable().describe("What to give to `run --base`; null: nothing."),
    gates: z
      .array(z.strictObject({ id, reason: z.string().describe("Why it must run.") }))
      .describe("The gates to run."),
    proven: z
      .array(z.strictObject({ id, proof: z.string().describe("Who says so, when, where.") }))
      .describe("The gates that a trusted signer says passed for exactly these files."),
    skipped: z
      .array(z.strictObject({ id, reason: z.string().describe("Why not.") }))
      .describe("The gates that the change does not call for."),
    matrix: z
      .strictObject({
        include: z
          .array(
            z.strictObject({
              name: z.string().describe("Of the job."),
              gates: z.string().describe("Ids of gates, one in each line."),
            }),
          )
          .describe("At most 256 jobs."),
      })
      .describe("For the `matrix` of GitHub Actions, or whatever starts jobs elsewhere."),
  })
  .describe("`ci plan`: what a build has to run.");

/** `workers --json`. */
export const workersSchema = z
  .strictObject({
    format,
    command: z.literal("workers").describe("The command that printed this."),
    workers: z
      .array(
        z.strictObject({
          id: z.string().describe("Of the worker."),
          host: z.string().describe("The name of its machine."),
          pid: z.int().describe("Its process there."),
          platform: z.string().describe("Whose gates it takes: `linux-x64`."),
          concurrency: z.int().describe("How many gates it runs at the same time."),
          running: z.int().describe("How many it runs now."),
          done: z.int().describe("How many it has run."),
          since: z.iso.datetime().describe("When it started; ISO 8601, UTC."),
          version: z.string().describe("Of agent-gauntlet."),
        }),
      )
      .describe("The workers that live."),
    queues: z
      .array(
        z.strictObject({
          platform: z.string().describe("Of the gates."),
          waiting: z.int().describe("How many wait for a worker."),
        }),
      )
      .describe("What waits for them."),
  })
  .describe("`workers`: who runs gates for others.");
