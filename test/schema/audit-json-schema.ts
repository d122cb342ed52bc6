import * as z from "zod";
import { head } from "./run-json-schema.ts";

/** `audit --json`. */
export const auditSchema = z
  .strictObject({
    ...head("audit"),
    holds: z.boolean().describe("Whether every hook holds the agent; the exit code is 0 then."),
    network: z.boolean().describe("Whether the hooks could reach the network: this system cannot cut it."),
    hooks: z
      .array(
        z.strictObject({
          file: z.string().describe("Where it is registered, relative to the project."),
          host: z.string().describe("Whose hook it is, as `--host` takes it."),
          events: z.array(z.string()).describe("By the host's names."),
          command: z.string().describe("As it is registered."),
          scripts: z.array(z.string()).describe("The files of the project that it runs."),
          holds: z.boolean().describe("Whether it holds the agent, or is no gate at all."),
          verdicts: z
            .array(
              z.strictObject({
                name: z
                  .enum([
                    "holds",
                    "never blocks",
                    "lets go after one",
                    "never ends",
                    "misses new files",
                    "misses committed work",
                    "misses uncommitted work",
                    "breaks",
                    "floods",
                    "says nothing",
                    "edits the tree",
                    "blocks when green",
                    "no gate",
                    "not tried",
                  ])
                  .describe("What is true of it."),
                detail: z.string().nullable().describe("Why, or where it breaks, for people."),
                file: z.string().nullable().describe("The script with the line that decides."),
                line: z.int().positive().nullable().describe("Its number."),
                text: z.string().nullable().describe("What it says."),
              }),
            )
            .describe("The worst first."),
          scenarios: z
            .array(
              z.strictObject({
                name: z.string().describe("What was played."),
                stops: z.int().nonnegative().describe("How many stops in a row."),
                blocked: z.int().nonnegative().describe("How many of them it blocked."),
              }),
            )
            .describe("In fresh copies of the project."),
        }),
      )
      .describe("Every hook that was asked for."),
  })
  .describe("`audit`: whether the project's own stop hooks hold an agent.");
