import { explain, type Trouble } from "../../core/trouble.ts";
import { CONFIG_FILE } from "../../machine/find-project.ts";
import { git } from "../../machine/git.ts";
import { type CommandWorld, say } from "../command-world.ts";
import { Prompt } from "../prompt.ts";
import { type ConfigStep, createConfig, enforce, planConfig } from "./init-config.ts";
import { type HookStep, installHook, planHook } from "./init-hook.ts";

export interface InitOptions extends CommandWorld {
  readonly yes?: boolean;
  /** `--hook` and `--no-hook`; undefined asks, where there is somebody to ask. */
  readonly hook?: boolean | undefined;
  readonly dryRun?: boolean;
  /** The file that runs: `process.argv[1]`. */
  readonly script: string;
  readonly version: string;
}

/** `agent-gauntlet init`: a configuration with the project's own checks, and the Claude Code stop hook if wanted. Answers the exit code. */
export async function runInit(options: InitOptions): Promise<number> {
  await sayWhere(options);
  const config = await planConfig(options);
  if (options.dryRun === true) return preview(config, await planHook(options), options);

  const created = await createConfig(config, options);
  if (!created.ok) return complain(created.trouble, options);
  const hook = await planHook(options);
  if (hook.kind === "present") return presentHook(hook, options);
  if (!isInteractive(options)) return options.hook === true ? install(hook, options) : hintAtHook(options);

  using prompt = new Prompt(options);
  return await converse(prompt, { config, hook }, options);
}

function isInteractive({ isTTY, yes, hook }: InitOptions): boolean {
  return isTTY && yes !== true && hook === undefined;
}

interface Steps {
  readonly config: ConfigStep;
  readonly hook: HookStep;
}

async function converse(prompt: Prompt, { config, hook }: Steps, options: InitOptions): Promise<number> {
  say(options.stdout, "");
  const wanted = await prompt.ask("Install Claude Code stop hook? (y/n): ");
  if (wanted === "cancelled") return cancel(options);
  if (wanted === "no") return 0;
  const exitCode = await install(hook, options);
  if (exitCode !== 0 || config.kind !== "new") return exitCode;

  say(options.stdout, "", ENFORCE_WHY);
  const stricter = await prompt.ask("Check every stop (when_active: enforce)? (y/n): ");
  if (stricter === "cancelled") return cancel(options);
  if (stricter === "no") return 0;
  const rewritten = await enforce(config, options);
  if (!rewritten.ok) return complain(rewritten.trouble, options);
  say(options.stdout, `✓ ${CONFIG_FILE} now says when_active: enforce`);
  return 0;
}

const ENFORCE_WHY =
  "By default only the first stop of a prompt is checked: an agent that was blocked may stop the next time without its fix being verified.";

async function install(hook: HookStep, options: InitOptions): Promise<number> {
  const installed = await installHook(hook, options);
  if (!installed.ok) return complain(installed.trouble, options);
  if (!isInteractive(options))
    say(options.stdout, `${ENFORCE_WHY} Set \`when_active: enforce\` in ${CONFIG_FILE} to check every stop.`);
  return 0;
}

function presentHook({ file }: HookStep, { hook, stdout }: InitOptions): number {
  if (hook !== false) say(stdout, "", `Stop hook already installed (${file})`);
  return 0;
}

function hintAtHook({ hook, stdout }: InitOptions): number {
  if (hook !== false)
    say(
      stdout,
      "",
      "No stop hook was installed. Run `agent-gauntlet init --hook` to install it for Claude Code.",
    );
  return 0;
}

function cancel({ stdout }: InitOptions): number {
  say(stdout, "", "Cancelled. Nothing more was changed.");
  return 1;
}

function complain(trouble: Trouble, { stderr }: InitOptions): number {
  say(stderr, explain(trouble));
  return 1;
}

/** In a subdirectory of a repository it is not obvious which of the two gets the files. */
async function sayWhere({ cwd, stdout }: InitOptions): Promise<void> {
  const prefix = await git(cwd, ["rev-parse", "--show-prefix"]);
  const isBelowRoot =
    prefix.ok && prefix.value.exitCode === 0 && prefix.value.stdout.toString().trim() !== "";
  if (isBelowRoot)
    say(
      stdout,
      `Writing to the current directory, ${cwd}, not to the root of the repository: the checks then look after this directory and what is below it.`,
      "",
    );
}

function preview(config: ConfigStep, hook: HookStep, { hook: wanted, stdout, stderr }: InitOptions): number {
  if (config.kind === "new") say(stdout, `Would create ${CONFIG_FILE}:`, "", config.text);
  else say(stdout, `${CONFIG_FILE} already exists and would be left as it is.`);
  if (wanted === false) return 0;
  switch (hook.kind) {
    case "present":
      say(stdout, `Stop hook already installed (${hook.file})`);
      return 0;
    case "impossible":
      say(stderr, explain(hook.trouble));
      return 1;
    case "planned":
      say(stdout, `${wanted === true ? "Would" : "With --hook, would"} write ${hook.file}:`, "", hook.text);
      return 0;
  }
}
