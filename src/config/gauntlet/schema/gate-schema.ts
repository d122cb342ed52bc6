import * as z from "zod";
import { PARSER_NAMES } from "../../../feedback/parsers/table.ts";
import { BUILTIN_REVIEW_NAMES } from "../builtin-reviews.ts";
import { expects, duration, innerPath, isClosed, text, whyNoPattern, wholeNumber } from "./schema-parts.ts";
import { stopKind } from "./global-schema.ts";
import { STOP_KINDS } from "../../../hosts/stop-event.ts";

export const innerGlob = innerPath("a path or a glob");

export const closedGlob = innerGlob.refine(isClosed, {
  error: "has a `[` or `{` that is not closed (write `[[]` for the character itself)",
});

const patternParser = z.strictObject({
  pattern: text("a regular expression")
    .refine((pattern) => whyNoPattern(pattern) === undefined, {
      error: ({ input }) => whyNoPattern(String(input)),
    })
    .describe(
      "A regular expression for one line of output, with the named groups `file` or `test`, and `line`, `column`, `severity`, `code`, `message` where the tool prints them.",
    ),
  kind: z
    .enum(["build", "lint", "test"])
    .default("lint")
    .describe("What the tool does: decides the order of repair."),
});

const REVIEWER_NAMES = ["claude", "codex", "gemini", "github-copilot", "cursor", "opencode"] as const;

function isReviewer(name: string): boolean {
  return REVIEWER_NAMES.some((known) => known === name) || /^command:\s*\S/.test(name);
}

export const priority = z.enum(["critical", "high", "medium", "low"]);

const reviewer = z
  .union(
    [
      z.enum(REVIEWER_NAMES),
      z
        .string()
        .refine(isReviewer, {
          error: `must be ${REVIEWER_NAMES.join(", ")}, or \`command:\` followed by a shell line`,
          params: { candidates: REVIEWER_NAMES },
        })
        .meta({ pattern: "^command:\\s*\\S" }),
    ],
    { error: expects("the name of a reviewer") },
  )
  .describe("A reviewer: one we know by name, or `command:` and a shell line.");

const variableName = z.string().regex(/^[^=]+$/, "cannot be the name of a variable");

export const reviewers = z.array(reviewer).min(1);

/** How a reviewer is called, by its name. */
export const adapters = z.partialRecord(
  z.enum(REVIEWER_NAMES),
  z.strictObject({
    model: text("the name of a model")
      .optional()
      .describe("The model it uses for reviews that name none."),
    thinking_budget: z
      .enum(["off", "low", "medium", "high"])
      .optional()
      .describe("How much it thinks. Has an effect on `claude` and `codex`."),
    allow_tool_use: z
      .boolean()
      .default(true)
      .describe("`false`: it sees only the change. Has an effect on `claude` and `gemini`. Reviewers never edit."),
  }),
);

const gateShape = {
  enabled: z.boolean().default(true).describe("`false`: it never runs, wherever it is named."),
  on: z
    .array(stopKind)
    .min(1)
    .optional()
    .describe(
      "The events it runs for. Default: every event of `stop_hook.on`. `agent-gauntlet run` runs it always.",
    ),
  needs: z
    .array(text("the name of a gate"))
    .min(1)
    .optional()
    .describe(
      "Names of gates that run before it. When one of them fails, this gate is skipped with that reason.",
    ),
  parallel: z
    .boolean()
    .optional()
    .describe("May run at the same time as other gates. Default: true, unless `fail_fast` is true."),
  fail_fast: z
    .boolean()
    .default(false)
    .describe("If this gate fails, do not start the sequential gates after it. Not with `parallel: true`."),
  run_in_ci: z.boolean().default(true).describe("Run when the environment says CI."),
  run_locally: z.boolean().default(true).describe("Run on a developer's machine."),
};

const FAIL_FAST_ALONE = {
  path: ["fail_fast"],
  error:
    "does not go with `parallel: true`: only gates that run one after another can stop the ones behind them",
  when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null,
};

const ONE_PROMPT = "needs one of `prompt`, `builtin`, `prompt_file` and `skill_name`";

interface Prompts {
  readonly prompt?: string | undefined;
  readonly builtin?: string | undefined;
  readonly prompt_file?: string | undefined;
  readonly skill_name?: string | undefined;
}

function promptsIn({ prompt, builtin, prompt_file, skill_name }: Prompts): number {
  return [prompt, builtin, prompt_file, skill_name].filter((one) => one !== undefined).length;
}

const checkShape = {
  command: text("a shell command").describe("The shell line to run; the check passes when it exits with 0."),
  working_directory: innerPath("a directory of the project")
    .optional()
    .describe("Where to run, relative to the project root. Default: the directory of the entry point."),
  ...gateShape,
  on: z
    .array(z.enum([...STOP_KINDS, "edit"]))
    .min(1)
    .optional()
    .describe(
      "The events it runs for. Default: every event of `stop_hook.on`. With `edit` it also runs for just the edited files right after each edit; `[edit]` alone keeps every other event. `agent-gauntlet run` runs it always.",
    ),
  edit_timeout: duration
    .optional()
    .describe("With `on: [edit]`: when a run after an edit is stopped without a word. Default: 5."),
  edit_fix: z
    .boolean()
    .optional()
    .describe("With `on: [edit]`: run `fix` on the edited files too, and tell the agent which files it changed."),
  timeout: duration.default(240).describe("When the check is killed and counts as failed: or `90s`, `2m`."),
  fix_instructions: innerPath("a file inside `.gauntlet/`", "`.gauntlet/`")
    .optional()
    .describe("A text file inside `.gauntlet/` that tells the agent how to fix a failure."),
  fix_instructions_file: innerPath("a file inside `.gauntlet/`", "`.gauntlet/`")
    .optional()
    .describe("Another name for `fix_instructions`."),
  fix_with_skill: text("the name of a skill")
    .optional()
    .describe("The skill that the agent is told to use if the check fails."),
  fix: text("a shell command")
    .refine((command) => !/(["'])\{files\}\1/.test(command), {
      error: "must have `{files}` without quotation marks around it",
    })
    .optional()
    .describe(
      "A shell line that fixes what the check finds. It runs once when the check fails, before the gates check the files; then the check runs again. Never in plan mode or CI.",
    ),
  env: z
    .record(
      variableName,
      z.union([z.string(), z.number(), z.boolean()], { error: expects("text, a number, or true or false") }),
    )
    .default({})
    .describe("Environment variables for the command, on top of the inherited ones."),
  shell: text("the name or path of a shell")
    .optional()
    .describe("The shell that runs the command. Default: `sh`, on Windows `cmd`."),
  warn_only: z.boolean().default(false).describe("A failure is reported as a warning and never blocks."),
  reruns: wholeNumber
    .min(0)
    .max(5)
    .default(0)
    .describe("How often a failed run is repeated before it counts. Passing then is a pass with a warning."),
  rerun_command: text("a shell command")
    .optional()
    .describe(
      "What a rerun runs in place of the command. `{failed_files}` means the files in which something failed.",
    ),
  parser: z
    .union([z.enum(PARSER_NAMES), patternParser], {
      error: expects("the name of a parser, or `pattern` and `kind`"),
    })
    .optional()
    .describe(
      "The parser that reads the output: a name, `none`, or a `pattern` of your own. Default: whatever tools are recognised in it.",
    ),
  report: innerPath("a file of the project")
    .optional()
    .describe(
      "A report the command writes (JUnit XML, SARIF, JSON of ESLint or Jest, TAP), relative to the project root: read in place of the output.",
    ),
  coverage: innerPath("a file of the project")
    .optional()
    .describe(
      "A coverage report the command writes (lcov, Cobertura, JaCoCo, a Go profile, JSON of Istanbul or coverage.py), relative to the project root: read by the guard `untested-changes`.",
    ),
  only_new: z
    .boolean()
    .optional()
    .describe(
      "Only problems that were not there before the agent began block. Default: `only_new` of config.yml.",
    ),
  inputs: z
    .array(closedGlob)
    .min(1)
    .optional()
    .describe(
      "Globs of every file that can change the result. While these are as they were when the check last passed, it is not run again.",
    ),
  run_on: z
    .enum(["workers"])
    .optional()
    .describe("`workers`: run it on a machine of `remote.workers`. Default: here."),
  platform: z
    .string()
    .regex(/^[a-z\d]+-[a-z\d]+$/, "must be a system and a processor, such as `linux-x64`")
    .optional()
    .describe("With `run_on: workers`: the platform it needs, `linux-x64`. Default: the same as here."),
  toolchain: z
    .array(text("a shell command"))
    .min(1)
    .optional()
    .describe(
      "Commands such as `node --version`: a pass from another machine counts only where they print the same. Needs `remote.cache`.",
    ),
  files: z
    .array(closedGlob)
    .min(1)
    .optional()
    .describe("Globs of the changed files that `{files}` in the command means. Default: all of them."),
  name: z
    .unknown()
    .optional()
    .describe("Ignored: the name of a check is its file name, or its key in config.yml."),
};

export const checkSchema = z
  .strictObject(checkShape)
  .refine(failFastIsSequential, FAIL_FAST_ALONE)
  .refine(({ fix_instructions: one, fix_instructions_file: other }) => one === undefined || other === undefined, {
    path: ["fix_instructions_file"],
    error: "is another name for `fix_instructions`: keep one of them",
  })
  .refine(({ command, fix, files }) => files === undefined || `${command}${fix}`.includes("{files}"), {
    path: ["files"],
    error: "needs `{files}` in the command or the fix, which says where the names go",
  })
  .refine(({ command, on }) => on?.includes("edit") !== true || command.includes("{files}"), {
    path: ["on"],
    error: "`edit` needs `{files}` in the command: the check runs for just the edited files",
  })
  .refine(({ edit_timeout: time, on }) => time === undefined || on?.includes("edit"), {
    path: ["edit_timeout"],
    error: "needs `on: [edit]`",
  })
  .refine(({ edit_fix: mayFix, on, fix }) => mayFix !== true || (on?.includes("edit") && fix !== undefined), {
    path: ["edit_fix"],
    error: "needs `on: [edit]` and a `fix`",
  })
  .refine(({ command }) => !isQuoted(command, "{files}"), {
    path: ["command"],
    error: unquoted("{files}"),
  })
  .refine(({ rerun_command: command = "" }) => !isQuoted(command, "{failed_files}"), {
    path: ["rerun_command"],
    error: unquoted("{failed_files}"),
  })
  .refine(({ rerun_command: command = "" }) => !command.includes("{files}"), {
    path: ["rerun_command"],
    error: "knows `{failed_files}`, not `{files}`",
  })
;

const reviewShape = {
  cli_preference: reviewers
    .optional()
    .describe("Reviewers in order of preference. Default: `cli.default_preference` of config.yml."),
  num_reviews: wholeNumber.min(1).default(1).describe("How many independent reviews to ask for."),
  model: text("the name of a model").optional().describe("The model the reviewer should use."),
  ...gateShape,
  timeout: duration.default(240).describe("When a review is killed: or `90s`, `2m`."),
  max_rounds: wholeNumber.min(1).default(2).describe("After this many rounds the review stops asking."),
  min_priority: priority.default("low").describe("Findings below this priority are left out."),
  on_unavailable: z
    .enum(["warn", "block"])
    .default("warn")
    .describe("What it means when no reviewer can answer: a warning, or a block."),
};

const promptShape = {
  builtin: z.enum(BUILTIN_REVIEW_NAMES).optional().describe("Use this built-in prompt."),
  prompt_file: innerPath("a file inside `.gauntlet/`", "`.gauntlet/`")
    .optional()
    .describe("A file inside `.gauntlet/` that holds the prompt."),
  skill_name: text("the name of a skill")
    .optional()
    .describe("A skill of the project (`.claude/skills/<name>/SKILL.md`) that is the prompt."),
};

/** The front matter of `.gauntlet/reviews/<name>.md`. */
export const reviewSchema = z
  .strictObject({ ...promptShape, ...reviewShape })
  .refine((review) => promptsIn(review) <= 1, { error: ONE_PROMPT })
  .refine(failFastIsSequential, FAIL_FAST_ALONE);

const inlineReviewObject = z
  .strictObject({
    prompt: text("a prompt").optional().describe("What the reviewer is asked to look for."),
    ...promptShape,
    ...reviewShape,
  })
  .refine((review) => promptsIn(review) === 1, { error: ONE_PROMPT })
  .refine(failFastIsSequential, FAIL_FAST_ALONE);

/** `.gauntlet/reviews/<name>.yml`. */
export const reviewFileSchema = inlineReviewObject;

export const inlineCheckSchema = z
  .union([text("a shell command"), checkSchema], {
    error: expects("a shell command, or a map with `command`"),
  })
  .describe("A shell command, or a map with `command` and more.");

export const inlineReviewSchema = z
  .union([text("a prompt"), inlineReviewObject], {
    error: expects("a prompt, or a map with `prompt` or `builtin`"),
  })
  .describe("A prompt, or a map with `prompt` or `builtin` and more.");

export const builtinReviewSchema = z.enum(BUILTIN_REVIEW_NAMES);

export type CheckFields = z.output<typeof checkSchema>;
export type ReviewFields = z.output<typeof inlineReviewObject>;
export type AdapterFields = z.output<typeof adapters>;

function isQuoted(command: string, placeholder: string): boolean {
  return ["'", '"'].some((mark) => command.includes(`${mark}${placeholder}${mark}`));
}

function unquoted(placeholder: string): string {
  return `must have \`${placeholder}\` without quotation marks around it: each name arrives as one argument by itself`;
}

function failFastIsSequential(check: { fail_fast?: boolean; parallel?: boolean }): boolean {
  return check.fail_fast !== true || check.parallel !== true;
}
