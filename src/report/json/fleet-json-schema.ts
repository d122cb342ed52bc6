import * as z from "zod";

const format = z.literal(1).describe("Raised when a field changes its meaning or goes.");

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
