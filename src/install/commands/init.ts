import { realPath } from "../../system/files/files.ts";
import { explain, type Trouble } from "../../trouble.ts";
import { CONFIG_FILE, configFileOf, findProject, holdsConfig } from "../../system/files/find-project.ts";
import { detectHosts } from "../host-request.ts";
import { EXIT } from "../../report/exit-code.ts";
import { nameToType } from "../installation.ts";
import { offerIgnore, offerIgnoreOfModules } from "../offer-ignore.ts";
import { canGuide, Guide } from "../guided/guide.ts";
import { guidedInit } from "../guided/guided-init.ts";
import { meetOwnHooks, offerTakeOver } from "../own-hooks.ts";
import { nextSteps } from "../next-steps.ts";
import { type Answer, Prompt } from "../../report/prompt.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { createConfig, type HookStep, installHook, planHook } from "./init-steps.ts";
import { type ConfigStep, planConfig } from "../plan-config.ts";
import { tryChecks, tryConfigured } from "../trial/try-checks.ts";
import { installFor } from "./install.ts";
import { Git } from "../../system/git/git.ts";

export interface InitOptions {
  readonly yes?: boolean;
  readonly hook?: boolean | undefined;
  readonly dryRun?: boolean;
  readonly here?: boolean;
  readonly try?: boolean;
  readonly script: string;
  readonly version: string;
}

export async function initCommand(terminal: Terminal, options: InitOptions): Promise<number> {
  const mayAsk = terminal.isInteractive && options.yes !== true && options.dryRun !== true;
  if (mayAsk && canGuide(terminal)) return guided(terminal, options);
  using prompt = mayAsk ? new Prompt(terminal) : undefined;
  const place = await choosePlace(terminal.cwd, { here: options.here, prompt });
  if (place === undefined) return cancel(terminal);
  if (place.why !== undefined) printLine(terminal.stdout, `Setting up ${place.path} (${place.why}).\n`);
  return await initAt({ ...terminal, cwd: place.path }, options, prompt);
}

async function guided(terminal: Terminal, options: InitOptions): Promise<number> {
  const guide = new Guide(terminal);
  guide.begin("agent-gauntlet: what must pass before your agent may stop");
  const place = await choosePlace(terminal.cwd, { here: options.here, prompt: guide });
  if (place === undefined) {
    guide.cancel("Cancelled. Nothing was changed.");
    return EXIT.notOk;
  }
  if (place.why !== undefined) guide.say(`Setting up ${place.path} (${place.why}).`);
  return guidedInit(guide, { ...terminal, cwd: place.path }, options);
}

async function initAt(terminal: Terminal, options: InitOptions, prompt: Prompt | undefined): Promise<number> {
  const own = await meetOwnHooks(terminal, prompt);
  const planned = await planConfig(terminal, own);
  if (options.dryRun === true)
    return preview({ config: planned, hook: await planHook(terminal, options) }, terminal, options);

  const config = options.try === true ? await tried(planned, terminal, prompt) : planned;
  if (config === undefined) return cancel(terminal);
  const created = await createConfig(config, terminal);
  if (!created.ok) return complain(created.trouble, terminal);
  await offerIgnoreOfModules(terminal, prompt);
  const exitCode = await setUpHook(terminal, options, prompt);
  if (exitCode === EXIT.ok && (await planHook(terminal, options)).kind === "present")
    await offerTakeOver(own, terminal, prompt);
  if (exitCode === EXIT.ok)
    for (const line of await nextSteps(config, terminal)) printLine(terminal.stdout, line);
  return exitCode;
}

async function tried(
  config: ConfigStep,
  terminal: Terminal,
  prompt: Prompt | undefined,
): Promise<ConfigStep | undefined> {
  if (config.kind === "new") return tryChecks(config, terminal, prompt);
  await tryConfigured(terminal);
  return config;
}

async function setUpHook(
  terminal: Terminal,
  options: InitOptions,
  prompt: Prompt | undefined,
): Promise<number> {
  if (options.hook === false) return EXIT.ok;
  const hook = await planHook(terminal, options);
  if (hook.kind === "present") return sayPresent(hook, terminal);
  if (options.hook === true) return installAsked(hook, terminal, prompt);
  if (prompt === undefined) return hintAtHook(terminal);

  printLine(terminal.stdout);
  const wanted = await prompt.ask("Install Claude Code stop hook?", "no");
  if (wanted === "cancelled") return cancel(terminal);
  const exitCode = wanted === "yes" ? await installAsked(hook, terminal, prompt) : hintAtHook(terminal);
  return exitCode === EXIT.ok ? await offerOthers(prompt, terminal) : exitCode;
}

async function installAsked(hook: HookStep, terminal: Terminal, prompt: Prompt | undefined): Promise<number> {
  const installed = await installHook(hook, terminal);
  if (!installed.ok) return complain(installed.trouble, terminal);
  await offerIgnore(terminal, hook.file, prompt);
  return EXIT.ok;
}

async function offerOthers(prompt: Prompt, terminal: Terminal): Promise<number> {
  const others = detectHosts(terminal).filter((host) => host.name !== "claude-code");
  if (others.length === 0 || prompt.closed.aborted) return EXIT.ok;
  printLine(terminal.stdout);
  const titles = others.map((host) => host.title).join(", ");
  const wanted = await prompt.ask(`Also found: ${titles}. Install the stop hook there too?`, "no");
  if (wanted === "cancelled") printLine(terminal.stdout);
  return wanted === "yes" ? installFor(terminal, others, { yes: true }) : EXIT.ok;
}

function sayPresent({ file }: HookStep, { stdout }: Terminal): number {
  printLine(stdout, `Stop hook already installed (${file})`);
  return EXIT.ok;
}

function hintAtHook(terminal: Terminal): number {
  const command = `${nameToType(terminal)} init --hook`;
  printLine(terminal.stdout, `No stop hook was installed. Run \`${command}\` to install it for Claude Code.`);
  return EXIT.ok;
}

function cancel({ stdout }: Terminal): number {
  printLine(stdout, "\nCancelled. Nothing more was changed.");
  return EXIT.notOk;
}

function complain(trouble: Trouble, { stderr }: Terminal): number {
  printLine(stderr, explain(trouble));
  return EXIT.notOk;
}

interface Steps {
  readonly config: ConfigStep;
  readonly hook: HookStep;
}

function preview({ config, hook }: Steps, { stdout, stderr, cwd }: Terminal, options: InitOptions): number {
  if (config.kind === "new") printLine(stdout, `Would create ${CONFIG_FILE}:\n\n${config.text}`);
  else printLine(stdout, `${configFileOf(cwd)} already exists and would be left as it is.`);
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

interface Asker {
  readonly ask: (question: string, otherwise: "yes" | "no") => Promise<Answer>;
}

interface Place {
  readonly path: string;
  /** What is to be said of it, unless it is where the user is. */
  readonly why?: string;
}

/**
 * Where `init` writes. In a subdirectory of a repository that is the root, which gates every change, unless the user wants
 * this directory alone. Undefined when the question was cancelled.
 */
async function choosePlace(
  cwd: string,
  { here, prompt }: { readonly here?: boolean | undefined; readonly prompt: Asker | undefined },
): Promise<Place | undefined> {
  const top = await repositoryRoot(cwd);
  if (top === undefined || top === realPath(cwd) || holdsConfig(cwd)) return { path: cwd };
  if (here) return { path: cwd, why: THIS_ALONE };
  const project = findProject(cwd);
  if (project !== undefined) return { path: project, why: "the project this directory belongs to" };
  if (prompt === undefined)
    return { path: top, why: "the root of the repository; --here takes the current directory instead" };
  const answer = await prompt.ask(`This is a subdirectory. Set up the whole repository, ${top}?`, "yes");
  if (answer === "cancelled") return undefined;
  return answer === "yes" ? { path: top, why: "the root of the repository" } : { path: cwd, why: THIS_ALONE };
}

const THIS_ALONE = "this directory alone: changes elsewhere in the repository are not checked";

async function repositoryRoot(cwd: string): Promise<string | undefined> {
  const top = await new Git(cwd).ask(["rev-parse", "--show-toplevel"]);
  if (!top.ok || top.value.exitCode !== 0) return undefined;
  return top.value.stdout.toString().replace(/\n$/, "") || undefined;
}
