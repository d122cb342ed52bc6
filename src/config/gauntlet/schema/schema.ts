import * as z from "zod";
import type { GuardName } from "../../settings.ts";
import { duration, expects, innerPath, minutes, text, wholeNumber } from "./schema-parts.ts";
import { adapters, builtinReviewSchema, inlineCheckSchema, inlineReviewSchema, closedGlob, innerGlob, priority, reviewers } from "./gate-schema.ts";
import { sharedShape } from "./global-schema.ts";
import { remoteSchema } from "./remote-schema.ts";

export const RETRY_DEFAULTS = { when_stuck: "continue", extend_on_progress: false } as const;

export const entryPointSchema = z.strictObject(
  {
    path: innerGlob.describe("`.`, a directory or file, `dir/*` (each changed child on its own) or a glob."),
    exclude: z.array(innerGlob).default([]).describe("Globs or directories whose changes do not count."),
    checks: z
      .array(z.union([text("the name of a check"), z.record(z.string(), inlineCheckSchema)]), {
        error: expects("a list of names of checks"),
      })
      .default([])
      .describe("Names of the checks to run here, or checks as in `checks`."),
    reviews: z
      .array(z.union([text("the name of a review"), z.record(z.string(), inlineReviewSchema)]), {
        error: expects("a list of names of reviews"),
      })
      .default([])
      .describe("Names of the reviews to run here, or reviews as in `reviews`."),
  },
  { error: expects("a map that begins with `path:`") },
);

const retrySchema = z.strictObject({
  when_stuck: z.enum(["continue", "stop"]).exactOptional().meta({
    default: RETRY_DEFAULTS.when_stuck,
    description:
      "`stop`: three attempts with the identical problems end the loop, with a summary for the user.",
  }),
  extend_on_progress: z.boolean().exactOptional().meta({
    default: RETRY_DEFAULTS.extend_on_progress,
    description: "An attempt that fixed something costs nothing, up to the blocks the agent's host honours.",
  }),
});

export const RUN_AHEAD_DEFAULTS = { after: 2, nice: true, idle: 10, max_per_minute: 4 } as const;

const runAheadSchema = z.union(
  [
    z.boolean(),
    z.strictObject({
      after: duration.exactOptional().meta({
        default: RUN_AHEAD_DEFAULTS.after,
        description: "How long the files must be still before the gates run. Seconds, or `1m`.",
      }),
      gates: z
        .array(text("the name of a gate"))
        .min(1)
        .exactOptional()
        .describe(
          "The gates that run ahead, as `run -g` takes them; the others run at the stop. Default: every check. Reviews cost money, so name them to have them run ahead.",
        ),
      max_parallel: wholeNumber
        .min(1)
        .exactOptional()
        .describe("The most gates that run ahead at the same time. Default: `max_parallel` of the project."),
      nice: z.boolean().exactOptional().meta({
        default: RUN_AHEAD_DEFAULTS.nice,
        description: "Run them at low priority.",
      }),
      idle: minutes.exactOptional().meta({
        default: RUN_AHEAD_DEFAULTS.idle,
        description: "The background process ends after this time without an edit: minutes, or `1h`.",
      }),
      max_per_minute: wholeNumber.min(1).max(60).exactOptional().meta({
        default: RUN_AHEAD_DEFAULTS.max_per_minute,
        description: "The most background runs that start within a minute.",
      }),
    }),
  ],
  { error: expects("true, false or a map (`key: value` lines)") },
);

const extended = innerPath("a file of the project or an npm package");

/** `warn` is another word for `tell`. */
const guard = z.enum(["off", "tell", "warn", "block"]);

const guardModes = {
  "weakened-tests": guard
    .exactOptional()
    .describe(
      "Tests that were deleted, skipped or focused, assertions that were removed, snapshots that were rewritten.",
    ),
  suppressions: guard
    .exactOptional()
    .describe(
      "Added markers that silence a linter, a type checker or coverage, and commands that can no longer fail.",
    ),
  "fewer-tests": guard.exactOptional().describe("A check that runs fewer tests than at its last pass."),
  "original-tests": guard
    .exactOptional()
    .describe(
      "A check that passes only with the changed tests or tool settings: it runs again, elsewhere, with those the session began with.",
    ),
  "unproven-tests": guard
    .exactOptional()
    .describe("New tests that pass without the change, too: they run again, elsewhere, on the files as they were."),
  "untested-changes": guard
    .exactOptional()
    .describe("Changed lines that nothing ran, by the coverage report that a check writes (`coverage`)."),
} satisfies Record<GuardName, unknown>;

const globs = z.array(closedGlob).min(1).exactOptional();

const guardsSchema = z.strictObject({
  ...guardModes,
  ignore: globs.describe("Globs of files that no guard says anything about."),
});

const protectedFilesSchema = z.strictObject({
  add: globs.describe("Globs of more files that decide what passing means."),
  remove: globs.describe("Globs of files that are none of these, whatever their names say."),
});

export const configSchema = z.strictObject({
  extends: z
    .union([extended, z.array(extended).min(1)], {
      error: expects("a file of the project or an npm package, or a list of them"),
    })
    .optional()
    .describe(
      "Files of the project (`shared/gauntlet.yml`) or installed npm packages with a `gauntlet.yml`, over which this file is laid: gates are merged by name, and this file wins.",
    ),
  name: z.unknown().optional().describe("Ignored: the name of the project for people."),
  base_branch: text("the name of a branch")
    .refine((name) => !name.startsWith("-"), { error: "must not begin with `-`" })
    .default("origin/main")
    .describe("The branch that changes are compared with."),
  log_dir: innerPath("a directory of the project")
    .refine(isOwnDirectory, { error: "must be a dedicated directory, not `.`, `.git` or `.gauntlet`" })
    .default("gauntlet_logs")
    .describe("Where logs and state go, relative to the project root."),
  allow_parallel: z.boolean().default(true).describe("`false` runs one gate after another."),
  max_parallel: wholeNumber.min(1).default(16).describe("The most gates that run at the same time."),
  max_retries: wholeNumber
    .min(0)
    .default(3)
    .describe("How often a failing stop is blocked before it is allowed, with a warning. 0 never blocks."),
  retry: retrySchema.optional().describe("When a loop of blocks ends early, and when it may go on longer."),
  only_new: z
    .boolean()
    .default(false)
    .describe(
      "`true`: a check that fails blocks only for problems that were not there before the agent began.",
    ),
  baseline: z
    .strictObject({
      setup: text("a shell command")
        .optional()
        .describe(
          "Installs what checks need in a checkout of an earlier tree (`npm ci`), where installed dependencies cannot be copied.",
        ),
    })
    .optional()
    .describe("How a failing check is compared with an earlier tree."),
  entry_points: z
    .union(
      [
        z.literal("auto"),
        z
          .array(entryPointSchema, { error: expects("a list of maps that begin with `path:`") })
          .min(
            1,
            "must have at least one entry; without `entry_points`, every gate covers the whole project",
          ),
      ],
      { error: expects("a list of maps that begin with `path:`, or `auto`") },
    )
    .optional()
    .describe(
      "Which gates cover which paths. Default: one entry point `.` with every gate. `auto`: every package of the workspace, with every gate, for changes in it and in what it depends on.",
    ),
  checks: z
    .record(z.string(), inlineCheckSchema, { error: expects("a map of names and commands") })
    .optional()
    .describe("Checks by name, in place of files in `.gauntlet/checks/`."),
  reviews: z
    .union([z.array(builtinReviewSchema), z.record(z.string(), inlineReviewSchema)], {
      error: expects("a list of built-in reviews, or a map of names and prompts"),
    })
    .optional()
    .describe("Names of built-in reviews, or reviews by name in place of files in `.gauntlet/reviews/`."),
  cli: z
    .strictObject({
      default_preference: reviewers
        .optional()
        .describe("Reviewers in order of preference, for reviews without a `cli_preference` of their own."),
      adapters: adapters.optional().describe("How reviewers are called, by name."),
    })
    .optional()
    .describe("The tools that do AI reviews."),
  on_give_up: text("a shell command")
    .optional()
    .describe("A shell line that runs when a stop is allowed although gates fail: for a notification."),
  guards: guardsSchema
    .optional()
    .describe(
      "What happens when a change makes the gates greener without a fix: `tell` the user, or `block` until it is undone or answered.",
    ),
  run_ahead: runAheadSchema
    .optional()
    .describe(
      "`true`, or a map: run the gates in the background while the agent works, so that the stop finds the answer. Run `install` after a change. Off by default.",
    ),
  protected_files: protectedFilesSchema
    .optional()
    .describe(
      "Which files count as tests and tool settings for `original-tests` and `unproven-tests`, on top of those that `detect --why` shows.",
    ),
  remote: remoteSchema.optional().describe("What is shared with other machines."),
  ...sharedShape,
  rerun_new_issue_threshold: priority
    .default("high")
    .describe("After the first round of a review, new findings count only from this priority on."),
});

function isOwnDirectory(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length > 0 && parts[0] !== ".git" && !(parts.length === 1 && parts[0] === ".gauntlet");
}
