import { join } from "node:path";
import type { InitOptions } from "../commands/init.ts";
import { absolutePath } from "../../path.ts";
import { EXIT } from "../../report/exit-code.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { CONFIG_FILE, configFileOf } from "../../system/files/find-project.ts";
import { createUserFile } from "../../system/files/user-file.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { explain } from "../../trouble.ts";
import { isActive, whyInactive } from "../detect/project.ts";
import { applyEdit, previewChange } from "../files/settings-file.ts";
import { meetOwnHooks, offerTakeOver } from "../own-hooks.ts";
import { nextSteps } from "../next-steps.ts";
import { addToIgnored, looseAmong } from "../offer-ignore.ts";
import { type ConfigStep, type NewConfig, planConfig, withDecisions } from "../plan-config.ts";
import type { HostPlan } from "../plan-hosts.ts";
import { findBlind } from "../trial/find-blind.ts";
import { readyTrials, runTrial, type Tried, trialsOf } from "../trial/run-trial.ts";
import { decide, describeBlind, describeTried, mayBeOnlyNew } from "../trial/try-checks.ts";
import { chooseAgents } from "./choose-agents.ts";
import type { Guide } from "./guide.ts";

/** Asks for everything first, with what is usual as the answer to Enter, and writes after the last yes. */
export async function guidedInit(guide: Guide, terminal: Terminal, options: InitOptions): Promise<number> {
  const own = await meetOwnHooks(terminal, guide);
  const planned = await planConfig(terminal, own);
  const config = planned.kind === "new" ? await chooseChecks(guide, planned, { terminal, options }) : planned;
  if (config === undefined) return cancel(guide);
  if (config.kind === "exists") guide.say(`${configFileOf(terminal.cwd)} exists and is left as it is.`);
  const hooks = await chooseAgents(guide, terminal, options);
  if (hooks === undefined) return cancel(guide);
  const writes = await whatToWrite(config, hooks, terminal);
  if (writes.length > 0 && !(await mayWrite(guide, writes))) return cancel(guide);
  for (const { write } of writes) {
    const problem = await write();
    if (problem === undefined) continue;
    printLine(terminal.stderr, problem);
    return EXIT.notOk;
  }
  if (writes.length > 0) guide.step(`Written: ${writes.map(({ file }) => file).join(", ")}`);
  for (const note of hooks.notes) guide.say(note);
  if (hooks.files.length > 0) await offerTakeOver(own, terminal, guide);
  const steps = await nextSteps(config, terminal);
  for (const step of steps.slice(0, -1))
    if (step.startsWith("! ")) guide.warn(step.slice(2));
    else guide.say(step);
  guide.end(steps.at(-1) ?? "");
  return EXIT.ok;
}

function cancel(guide: Guide): number {
  guide.cancel("Cancelled. Nothing was changed.");
  return EXIT.notOk;
}

interface Around {
  readonly terminal: Terminal;
  readonly options: InitOptions;
}

async function chooseChecks(guide: Guide, found: NewConfig, around: Around): Promise<NewConfig | undefined> {
  const checks = found.scopes.flatMap((scope) => scope.checks);
  if (!checks.some(isActive)) {
    guide.warn(NONE_FOUND);
    return found;
  }
  const choices = checks.map((check) => {
    const { name, command, source } = check;
    const why = whyInactive(check);
    const hint = `${shortened(command)} · ${why ?? source}`;
    return { value: name, label: name, hint, disabled: why !== undefined };
  });
  const active = checks.filter(isActive).map(({ name }) => name);
  const chosen = await guide.choose(
    "Found these checks. Which must pass before the agent may stop?",
    choices,
    active,
  );
  if (chosen === undefined) return undefined;
  const scopes = found.scopes.map((scope) => ({
    ...scope,
    checks: scope.checks.filter((check) => !isActive(check) || chosen.includes(check.name)),
  }));
  return tryChosen(guide, { ...found, scopes, text: found.textOf(scopes, []) }, around);
}

const NONE_FOUND = `No check was found that can run here: ${CONFIG_FILE} will have a place for yours.`;
const LONGEST_COMMAND = 44;

function shortened(command: string): string {
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND - 1)}…` : command;
}

async function tryChosen(
  guide: Guide,
  config: NewConfig,
  { terminal, options }: Around,
): Promise<NewConfig | undefined> {
  const { ready: trials, notReady } = readyTrials(trialsOf(config.scopes), terminal.cwd);
  if (notReady !== undefined) guide.warn(notReady);
  if (trials.length === 0) return config;
  using interrupt = cancellation();
  const { signal } = interrupt;
  guide.step("Each is tried once, on the files as they are:");
  const tried: Tried[] = [];
  for (const trial of trials) {
    const one = await guide.during(`${trial.title}: ${trial.check.command}`, () =>
      runTrial(trial, terminal, signal),
    );
    if (signal.aborted) return undefined;
    tried.push(one);
    for (const line of describeTried(one, terminal)) guide.line(line);
  }
  const passing = tried.filter(({ kind }) => kind === "passes");
  const blind = options.try
    ? await guide.during("with an error in a copy of the files", () => findBlind(passing, terminal, signal))
    : [];
  if (signal.aborted) return undefined;
  if (typeof blind === "string") guide.warn(`Whether they find an error was not tried: ${blind}.`);
  else for (const one of blind) guide.warn(`${describeBlind(one)} It is left as a comment.`);
  const red = mayBeOnlyNew(tried, config);
  const answer = red.length === 0 ? "comment" : await whatOfRed(guide, red);
  if (answer === undefined) return undefined;
  const onlyNew = answer === "only-new" ? red : [];
  return withDecisions(config, decide({ tried, blind: typeof blind === "string" ? [] : blind, onlyNew }));
}

/** What is red already would block every stop for what no agent has done. */
function whatOfRed(guide: Guide, red: readonly string[]): Promise<"only-new" | "comment" | undefined> {
  return guide.pick(`${red.join(", ")} ${red.length === 1 ? "fails" : "fail"} already. And then?`, [
    { value: "only-new", label: "Block only for new problems (only_new)" },
    { value: "comment", label: "Leave it out for now, as a comment" },
  ]);
}

interface Write {
  readonly file: string;
  readonly preview: string;
  /** Says what went wrong. */
  readonly write: () => Promise<string | undefined>;
}

async function whatToWrite(
  config: ConfigStep,
  hooks: HostPlan,
  { cwd }: Terminal,
): Promise<readonly Write[]> {
  const ofConfig: readonly Write[] = config.kind === "exists" ? [] : [writeOfConfig(config, cwd)];
  const changed = hooks.files.filter(({ change }) => change.kind !== "unchanged");
  const ofHooks = changed.map((file): Write => ({
    file: file.shown,
    preview: previewChange(file.shown, file.before, file.change),
    write: async () => troubleIn(await applyEdit(file)),
  }));
  const personal = changed.filter(({ registration }) => registration.sharedFile !== undefined);
  const loose = await looseAmong(cwd, [...personal.map(({ shown }) => shown), "node_modules/"]);
  const ofIgnored = loose.map((line): Write => ({
    file: `.gitignore (+ ${line})`,
    preview: `  .gitignore\n    + ${line}\n`,
    write: async () => troubleIn(await addToIgnored(cwd, line)),
  }));
  return [...ofConfig, ...ofHooks, ...ofIgnored];
}

function writeOfConfig({ text }: NewConfig, cwd: string): Write {
  return {
    file: CONFIG_FILE,
    preview: `  ${CONFIG_FILE} (new file)\n${text.replaceAll(/^(?=.)/gm, "    ")}`,
    write: async () => {
      const created = await createUserFile(join(absolutePath(cwd), CONFIG_FILE), text);
      if (!created.ok) return explain(created.trouble);
      return created.value ? undefined : `${CONFIG_FILE} exists meanwhile, and was left as it is.`;
    },
  };
}

function troubleIn(done: Awaited<ReturnType<typeof addToIgnored>>): string | undefined {
  return done.ok ? undefined : explain(done.trouble);
}

async function mayWrite(guide: Guide, writes: readonly Write[]): Promise<boolean> {
  const list = writes.map(({ file }) => file).join(", ");
  for (;;) {
    const answer = await guide.pick(`Write ${list}?`, [
      { value: "yes", label: "Yes" },
      { value: "show", label: "Show them first" },
      { value: "no", label: "No, change nothing" },
    ]);
    if (answer !== "show") return answer === "yes";
    for (const { preview } of writes) for (const line of preview.trimEnd().split("\n")) guide.line(line);
  }
}
