import * as z from "zod";
import { doctorSchema, explainSchema, ciPlanSchema, keysSchema, workersSchema } from "./host-json-schema.ts";
import { auditSchema } from "./audit-json-schema.ts";
import { attestSchema, flakySchema, logSchema, verifySchema } from "./proof-json-schema.ts";
import {
  detect,
  gateId,
  gateKind,
  guardFields,
  head,
  outcome,
  path,
  run,
  runStatus,
  time,
} from "./run-json-schema.ts";

/**
 * The contract of every `--json` output: `schema/output.schema.json` is made from it and tests hold the real outputs
 * against it. A field without a value is null, never absent. Readers must tolerate new fields.
 */
export function outputSchema() {
  return z.union([
    run,
    detect,
    list,
    validate,
    status,
    clean,
    config,
    baseline,
    health,
    allow,
    doctorSchema,
    auditSchema,
    explainSchema,
    logSchema,
    verifySchema,
    attestSchema,
    keysSchema,
    ciPlanSchema,
    workersSchema,
    trouble,
  ]);
}

const list = z
  .strictObject({
    ...head("list"),
    entryPoints: z
      .array(
        z.strictObject({
          path: z.string().describe("`.`, a path, `dir/*` or a glob, as configured."),
          exclude: z.array(z.string()).describe("Paths and globs that do not belong to it."),
          gates: z
            .array(
              z.strictObject({
                kind: gateKind,
                name: z.string().describe("The gate's name."),
                warnOnly: z.boolean().describe("Whether a failure is only a warning."),
                parallel: z.boolean().describe("Whether it may run beside other gates."),
              }),
            )
            .describe("Its gates."),
        }),
      )
      .describe("Every entry point, in the order of the configuration."),
    guards: z
      .array(z.strictObject(guardFields))
      .describe("What `guards:` switches on; they look at the whole change."),
  })
  .describe("`list`: what is configured.");

const validate = z
  .strictObject({
    ...head("validate"),
    valid: z.boolean().describe("Whether there is no error; warnings do not count."),
    diagnostics: z
      .array(
        z.strictObject({
          severity: z.enum(["error", "warning"]).describe("Errors keep the gates from running."),
          file: z.string().describe("Relative to the project root where possible."),
          line: z.int().positive().nullable().describe("From 1; null when it is about the file itself."),
          column: z.int().positive().nullable().describe("From 1."),
          message: z.string().describe("What is wrong."),
          excerpt: z.string().nullable().describe("The offending line."),
          hint: z.string().nullable().describe("What to do about it."),
        }),
      )
      .describe("Every problem of every file."),
  })
  .describe("`validate`: every problem in the configuration.");

const status = z
  .strictObject({
    ...head("status"),
    running: z
      .strictObject({ pid: z.int().describe("Its process."), since: time })
      .nullable()
      .describe("The run that goes on now; what it checks has not passed yet."),
    lastStop: z
      .strictObject({
        at: time,
        decision: z.enum(["allow", "block"]).describe("Whether the agent might stop."),
        status: runStatus,
        host: z.string().nullable().describe("The agent program."),
        session: z.string().nullable().describe("Its session."),
      })
      .nullable()
      .describe("The last stop that was answered, whether or not a gate ran."),
    lastRun: z
      .strictObject({
        run: z.int().describe("Its number."),
        status: runStatus,
        completedAt: time,
        branch: z.string().nullable().describe("Null when HEAD was detached, or without git."),
        head: z.string().nullable().describe("The commit that was checked out."),
        outcomes: z.array(outcome).describe("Gate by gate."),
      })
      .nullable()
      .describe("The last run that executed gates."),
    lastPass: z
      .strictObject({
        run: z.int().describe("Its number."),
        status: runStatus,
        at: time,
        baseCommit: z.string().nullable().describe("What it was compared with."),
      })
      .nullable()
      .describe("The pass that a stop of the same work tree may reuse."),
    sessions: z
      .array(
        z.strictObject({
          id: z.string().describe("The agent's session; `command-line` for runs by hand."),
          attempts: z.int().describe("Blocks given so far."),
          attemptsLeft: z.int().describe("Blocks that may still follow."),
          gaveUp: z.boolean().describe("Whether the retry limit was exceeded."),
          openFailures: z.array(gateId).describe("Gates that failed and have not passed since."),
        }),
      )
      .describe("Sessions with something open."),
    flaky: z.array(flakySchema).describe("Tests that passed only when repeated, the most frequent first."),
    skips: z
      .array(
        z.strictObject({
          reason: z.string().describe("The user's words."),
          at: time,
          gate: z.string().nullable().describe("Only this gate; null for all."),
          until: time.nullable().describe("When it ends; null: after the next stop, or with the session."),
          session: z.string().nullable().describe("Only this session."),
        }),
      )
      .describe("What `skip` let go unchecked and still holds."),
    unhooked: z
      .array(z.string())
      .describe("Settings files of agents without the stop hook that the last session here began with."),
    unchecked: z
      .array(z.strictObject({ at: time, why: z.string().describe("The likeliest cause, and what to do.") }))
      .describe("Prompts that ended without our stop hook since the last pass."),
  })
  .describe("`status`: where things stand.");

const baseline = z
  .strictObject({
    ...head("baseline"),
    file: path.describe("The committed baseline."),
    problems: z.int().nonnegative().describe("How many problems it has, or would have."),
    added: z.int().nonnegative().describe("How many of them it did not have before."),
    removed: z.int().nonnegative().describe("How many it had and are fixed."),
    undecided: z.array(z.string()).describe("Checks about which nothing is known, with why."),
    written: z.boolean().describe("Whether the file was changed; it never grows with `--json`."),
  })
  .describe("`agent-gauntlet baseline --json`.");

const clean = z
  .strictObject({
    ...head("clean"),
    archived: z.int().describe("How many logs were put away."),
    previous: path.describe("Where they are now."),
  })
  .describe("`clean`: what was put away.");

const config = z
  .strictObject({
    ...head("config"),
    settings: z
      .array(
        z.strictObject({
          key: z.string().describe("`stop_hook.timeout`, `checks.lint.command`."),
          value: z.unknown().describe("As it is written, or the default."),
          source: z.string().describe("`.gauntlet/config.yml:4`, the name of a variable, or `default`."),
        }),
      )
      .describe("Every setting as it holds."),
  })
  .describe("`config`: every setting and where it comes from.");

const health = z
  .strictObject({
    ...head("health"),
    reviewers: z
      .array(
        z.strictObject({
          name: z.string().describe("As written in `cli_preference`."),
          state: z
            .enum(["ready", "resting", "not-logged-in", "missing"])
            .describe("Whether it can be asked now."),
          used: z.boolean().describe("Whether a review of this project names it."),
          version: z.string().nullable().describe("As it reports it."),
          path: z.string().nullable().describe("Where it was found."),
          restingUntil: time
            .nullable()
            .describe("When `resting`: it has reached its limit and is left alone."),
          install: z.string().describe("How to get it."),
        }),
      )
      .describe("Every reviewer we know, and the commands this project names."),
  })
  .describe("`health`: which reviewers can be asked.");

const allow = z
  .strictObject({
    ...head("allow"),
    projects: z
      .array(
        z.strictObject({
          root: z.string().describe("The project's directory."),
          decision: z.enum(["allowed", "denied"]).describe("What the user said."),
          at: time,
          hash: z
            .string()
            .nullable()
            .describe("Of the gates that were allowed, as `allow --print` shows it."),
        }),
      )
      .describe("Every project the user decided about."),
  })
  .describe("`allow --list`: what hooks that serve every project may run.");

const trouble = z
  .strictObject({
    ...head(
      "detect",
      "list",
      "config",
      "validate",
      "status",
      "clean",
      "explain",
      "log",
      "verify",
      "attest",
      "keys",
      "ci",
      "allow",
    ),
    status: z.enum(["no_config", "error", "lock_conflict"]).describe("What kind of trouble."),
    message: z.string().describe("What happened and what to do about it."),
  })
  .describe("Any command but a run that could not do its work; the exit code is 1.");
