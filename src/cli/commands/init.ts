import { explain, type Trouble } from "../../core/trouble.ts";
import { CONFIG_FILE } from "../../machine/files/find-project.ts";
import { Git } from "../../machine/git/git.ts";

import { isNative } from "../../machine/process/this-program.ts";
import { detectHosts } from "../choose-hosts.ts";
import { EXIT } from "../exit-code.ts";
import { Prompt } from "../prompt.ts";
import { printLine, type Terminal } from "../terminal.ts";
import { type ConfigStep, createConfig, enforce, planConfig } from "./init-config.ts";
import { type HookStep, installHook, planHook } from "./init-hook.ts";
import { installFor } from "./install.ts";

export interface InitOptions {
  readonly yes?: boolean;
  /** `--hook` and `--no-hook`; undefined asks, where there is somebody to ask. */
  readonly hook?: boolean | undefined;
  readonly dryRun?: boolean;
  /** The file that runs now. */
  readonly script: string;
  readonly version: string;
}

/** Gives a project a configuration with its own checks, and Claude Code the stop hook if that is wanted. */
export async function initCommand(terminal: Terminal, options: InitOptions): Promise<number> {
  await sayWhere(terminal);
  const config = await planConfig(terminal.cwd);
  if (options.dryRun === true)
    return preview({ config, hook: await planHook(terminal, options) }, terminal, options);

  const created = await createConfig(config, terminal);
  if (!created.ok) return complain(created.trouble, terminal);
  const exitCode = await setUpHook(config, terminal, options);
  if (exitCode === EXIT.ok) sayNext(config, terminal);
  return exitCode;
}

async function setUpHook(config: ConfigStep, terminal: Terminal, options: InitOptions): Promise<number> {
  if (options.hook === false) return EXIT.ok;
  const hook = await planHook(terminal, options);
  if (hook.kind === "present") return sayPresent(hook, terminal);
  if (options.hook === true) return installUnasked(hook, terminal);
  if (options.yes === true || !terminal.isInteractive) return hintAtHook(terminal);

  using prompt = new Prompt(terminal);
  const exitCode = await converse(prompt, { config, hook }, terminal);
  return exitCode === EXIT.ok ? await offerOthers(prompt, terminal) : exitCode;
}

function sayNext(config: ConfigStep, { stdout }: Terminal): void {
  const isEmpty = config.kind === "new" && config.starter.checks.length === 0 && !config.starter.hasOwnChecks;
  if (isEmpty)
    printLine(stdout, `No checks were recognised, so nothing is checked yet: add yours to ${CONFIG_FILE}.`);
  const then = isEmpty ? " once that is done" : "";
  const command = isNative() ? "agent-gauntlet run" : "npx agent-gauntlet run"; // npx finds the program wherever npm has put it
  printLine(stdout, `Next: \`${command}\` runs the checks${then}.`);
}

interface Steps {
  readonly config: ConfigStep;
  readonly hook: HookStep;
}

async function converse(prompt: Prompt, { config, hook }: Steps, terminal: Terminal): Promise<number> {
  const { stdout } = terminal;
  printLine(stdout);
  const wanted = await prompt.ask("Install Claude Code stop hook? (y/n): ");
  if (wanted === "cancelled") return cancel(terminal);
  if (wanted === "no") return EXIT.ok;
  const installed = await installHook(hook, terminal);
  if (!installed.ok) return complain(installed.trouble, terminal);
  if (config.kind === "exists") return EXIT.ok;

  printLine(stdout, `\n${WHY_ENFORCE}`);
  const stricter = await prompt.ask("Check every stop (when_active: enforce)? (y/n): ");
  if (stricter === "cancelled") return leave(terminal);
  if (stricter === "no") return EXIT.ok;
  const rewritten = await enforce(config, terminal);
  if (!rewritten.ok) return complain(rewritten.trouble, terminal);
  printLine(stdout, `✓ ${CONFIG_FILE} now says when_active: enforce`);
  return EXIT.ok;
}

/** The other agents of this machine, which have their own files. */
async function offerOthers(prompt: Prompt, terminal: Terminal): Promise<number> {
  const others = detectHosts(terminal).filter((host) => host.name !== "claude-code");
  if (others.length === 0 || prompt.isClosed) return EXIT.ok;
  printLine(terminal.stdout);
  const titles = others.map((host) => host.title).join(", ");
  const wanted = await prompt.ask(`Also found: ${titles}. Install the stop hook there too? (y/n): `);
  if (wanted === "cancelled") return leave(terminal);
  return wanted === "yes" ? installFor(terminal, others, { yes: true }) : EXIT.ok;
}

const WHY_ENFORCE =
  "By default only the first stop of a prompt is checked: an agent that was blocked may stop the next time without its fix being verified.";

async function installUnasked(hook: HookStep, terminal: Terminal): Promise<number> {
  const installed = await installHook(hook, terminal);
  if (!installed.ok) return complain(installed.trouble, terminal);
  printLine(
    terminal.stdout,
    `${WHY_ENFORCE} Set \`when_active: enforce\` in ${CONFIG_FILE} to check every stop.`,
  );
  return EXIT.ok;
}

function sayPresent({ file }: HookStep, { stdout }: Terminal): number {
  printLine(stdout, `Stop hook already installed (${file})`);
  return EXIT.ok;
}

function hintAtHook({ stdout }: Terminal): number {
  printLine(
    stdout,
    "No stop hook was installed. Run `agent-gauntlet init --hook` to install it for Claude Code.",
  );
  return EXIT.ok;
}

function cancel({ stdout }: Terminal): number {
  printLine(stdout, "\nCancelled. Nothing more was changed.");
  return EXIT.notOk;
}

/** Nobody answered an offer: what was asked for is done, so that is no failure. */
function leave({ stdout }: Terminal): number {
  printLine(stdout);
  return EXIT.ok;
}

function complain(trouble: Trouble, { stderr }: Terminal): number {
  printLine(stderr, explain(trouble));
  return EXIT.notOk;
}

/** In a subdirectory of a repository it is not obvious which of the two gets the files. */
async function sayWhere({ cwd, stdout }: Terminal): Promise<void> {
  const prefix = await new Git(cwd).ask(["rev-parse", "--show-prefix"]);
  if (!prefix.ok || prefix.value.exitCode !== 0 || prefix.value.stdout.toString().trim() === "") return;
  printLine(
    stdout,
    `Writing to the current directory, ${cwd}, not to the root of the repository: the checks then look after this directory and what is below it.\n`,
  );
}

function preview({ config, hook }: Steps, { stdout, stderr }: Terminal, options: InitOptions): number {
  if (config.kind === "new") printLine(stdout, `Would create ${CONFIG_FILE}:\n\n${config.text}`);
  else printLine(stdout, `${CONFIG_FILE} already exists and would be left as it is.`);
  if (options.hook === false) return EXIT.ok;
  switch (hook.kind) {
    case "present":
      printLine(stdout, `Stop hook already installed (${hook.file})`);
      return EXIT.ok;
    case "impossible":
      printLine(stderr, explain(hook.trouble));
      return EXIT.notOk;
    case "planned":
      printLine(
        stdout,
        `${options.hook === true ? "Would" : "With --hook, would"} write:\n\n${hook.preview}`,
      );
      return EXIT.ok;
  }
}
