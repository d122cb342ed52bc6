import { STOP_KINDS } from "../../core/stop/stop-event.ts";
import * as z from "zod";
import { STATUSES } from "../../core/stop/status.ts";
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
      .describe("What was looked at and run; null when a guard ended it before."),
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
