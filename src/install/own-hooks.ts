import { join } from "node:path";
import { auditHooks } from "../features/audit/audit-hooks.ts";
import { type CarriedCommand, commandsCalled, commandsWritten } from "../features/audit/carried-commands.ts";
import { findHooks } from "../features/audit/find-hooks.ts";
import { type FoundHook, nameOf } from "../features/audit/found-hook.ts";
import { showHook, showVerdicts } from "../features/audit/show-audit.ts";
import { findHost } from "../hosts/host-table.ts";
import type { Answer } from "../report/prompt.ts";
import { printLine, type Terminal } from "../report/terminal.ts";
import { cancellation } from "../system/process/cancellation.ts";
import { createUserFile, readUserFile } from "../system/files/user-file.ts";
import { explain } from "../trouble.ts";
import type { DetectedScope } from "./detect/detect-checks.ts";
import { type DetectedCheck, type IsInstalled, programOf, purposeOf } from "./detect/project.ts";
import { applyEdit } from "./files/settings-file.ts";
import { isOurCommand } from "./hook-command.ts";
import { type HookRegistration, jsonHooks } from "./hook-registration.ts";
import { planRemoval } from "./plan-hooks.ts";

/** The stop hooks that a project wrote itself, and what they run. */
export interface OwnHooks {
  readonly hooks: readonly FoundHook[];
  readonly commands: readonly CarriedCommand[];
  /** Whether the hooks ran, so that nothing they run is missing. */
  readonly isTried: boolean;
}

/** Asks with a list or with lines. */
export interface Asker {
  readonly ask: (question: string, otherwise: "yes" | "no") => Promise<Answer>;
}

/** Finds them and what their scripts name; runs them only if the user wants to see what they do. */
export async function meetOwnHooks(terminal: Terminal, asker?: Asker): Promise<OwnHooks> {
  const { cwd, stdout, env } = terminal;
  const found = (await findHooks(cwd)).filter(({ command }) => !isOurCommand(command));
  const gates = found.filter((hook) => commandsWritten(hook).length > 0);
  const written = oneOfEach(gates.flatMap(commandsWritten));
  if (gates.length === 0) return NONE;
  for (const hook of gates)
    printLine(
      stdout,
      `This project has a stop hook of its own: ${nameOf(hook)} (${hook.events.join(", ")} in ${hook.file}).`,
    );
  const question = "Try it first, in scratch copies with checks that only pretend to fail?";
  if (asker === undefined) {
    printLine(
      stdout,
      "Its commands are proposed as checks. `agent-gauntlet audit` tries whether it holds an agent.\n",
    );
    return { hooks: gates, commands: written, isTried: false };
  }
  for (const hook of gates) showHook(terminal, hook);
  if ((await asker.ask(question, "no")) !== "yes") return { hooks: gates, commands: written, isTried: false };
  using cancel = cancellation();
  const audit = await auditHooks(gates, { root: cwd, env, signal: cancel.signal });
  if (!audit.ok) {
    printLine(stdout, explain(audit.trouble));
    return { hooks: gates, commands: written, isTried: false };
  }
  for (const one of audit.value.hooks) showVerdicts(terminal, one);
  const called = oneOfEach(audit.value.hooks.flatMap(commandsCalled));
  return called.length === 0
    ? { hooks: gates, commands: written, isTried: false }
    : { hooks: gates, commands: called, isTried: true };
}

const NOT_RUN = "your stop hook does not run it";

export const NONE: OwnHooks = { hooks: [], commands: [], isTried: false };

/** The same command may be registered for several agents. */
function oneOfEach(commands: readonly CarriedCommand[]): readonly CarriedCommand[] {
  const keyed = commands.map((one) => [`${one.workingDirectory} ${one.command}`, one] as const);
  return [...new Map(keyed.toReversed()).values()].toReversed();
}

/** The checks of the hook come first. What else was recognised is left as a comment once it is known that the hook does not run it. */
export function withOwnHooks(
  scopes: readonly DetectedScope[],
  { commands, isTried }: OwnHooks,
  isInstalled: IsInstalled,
): readonly DetectedScope[] {
  if (commands.length === 0) return scopes;
  const names = new Set<string>();
  const carried = commands.map((command): DetectedCheck => {
    const name = freeName(nameFor(command.command), names);
    names.add(name);
    return toCheck(command, name, isInstalled);
  });
  const known = new Set(commands.map(({ command }) => command));
  const others = scopes.map(({ path, checks }) => ({
    path,
    checks: checks
      .filter(({ name, command }) => !known.has(command) && !names.has(name))
      .map((check) => (isTried ? { ...check, doubt: check.doubt ?? NOT_RUN } : check)),
  }));
  const root = others.find(({ path }) => path === ".");
  return [
    { path: ".", checks: [...carried, ...(root?.checks ?? [])] },
    ...others.filter(({ path, checks }) => path !== "." && checks.length > 0),
  ];
}

function toCheck(carried: CarriedCommand, name: string, isInstalled: IsInstalled): DetectedCheck {
  const { command, source, workingDirectory, files, timeoutS } = carried;
  const program = programOf(command);
  return {
    name,
    command,
    source,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...(files === undefined ? {} : { files }),
    ...(timeoutS === undefined ? {} : { timeout: timeoutS }),
    ...(isInstalled(program) ? {} : { missing: program }),
  };
}

const TASK =
  /^(?:make|gmake|just|task|rake|composer|mise run|cargo xtask|mvn|\.?\/?gradlew?|bundle exec rake)(?: -\S+)* ([\w:-]+)/;

function nameFor(command: string): string {
  const [program = "", ...words] = command.split(" ");
  const subcommand = /^(?:go|cargo|uv|dotnet|mix|flutter|dart|swift|deno|bun|composer)$/.test(program)
    ? words.find((word) => /^[\w-]+$/.test(word) && !word.startsWith("-"))
    : undefined;
  const task = TASK.exec(command)?.[1] ?? purposeOf(command) ?? subcommand;
  return (task ?? program.replace(/^.*\//, "")).replaceAll(/[^\w-]+/g, "-");
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const numbers = Array.from({ length: taken.size + 1 }, (_, at) => at + 2);
  return `${name}-${numbers.find((number) => !taken.has(`${name}-${number}`))}`;
}

/** Old and new side by side, then whether the old may go. Only once ours is registered: nothing may be left without a gate. */
export async function offerTakeOver(
  { hooks, commands }: OwnHooks,
  terminal: Terminal,
  asker?: Asker,
): Promise<void> {
  const { stdout } = terminal;
  if (hooks.length === 0) return;
  const width = Math.max(...commands.map(({ command }) => command.length), 20);
  printLine(stdout, `\n${"your stop hook".padEnd(width)}  agent-gauntlet`);
  for (const { command, workingDirectory, timeoutS } of commands) {
    const place = workingDirectory === undefined ? "" : ` in ${workingDirectory}`;
    const limit = timeoutS === undefined ? "" : `, ${timeoutS} s at most`;
    printLine(stdout, `${command.padEnd(width)}  ${nameFor(command)}: ${command}${place}${limit}`);
  }
  for (const file of new Set(hooks.map((hook) => hook.file))) {
    const theirs = hooks.filter((hook) => hook.file === file);
    const names = theirs.map(nameOf).join(", ");
    const question = `Take ${names} out of ${file}? A copy is kept beside it.`;
    const answer = asker === undefined ? "no" : await asker.ask(question, "no");
    if (answer === "yes") await takeOut(theirs, file, terminal);
    else printLine(stdout, `${names} stays in ${file}: both hooks run at every stop, and either can block.`);
  }
}

async function takeOut(
  theirs: readonly FoundHook[],
  file: string,
  { cwd, stdout, stderr }: Terminal,
): Promise<void> {
  const path = join(cwd, file);
  const registration = registrationOf(theirs, file);
  const before = await readUserFile(path);
  if (registration === undefined || !before.ok || before.value === undefined) return;
  const change = planRemoval(before.value, registration, (found) =>
    theirs.some(({ command, events }) => command === found.command && events.includes(found.event)),
  );
  const kept = change.ok ? await createUserFile(`${path}.before-gauntlet`, before.value) : change;
  const applied =
    kept.ok && change.ok ? await applyEdit({ path, before: before.value, change: change.value }) : kept;
  if (applied.ok) printLine(stdout, `✓ Taken out of ${file}; as it was: ${file}.before-gauntlet`);
  else printLine(stderr, explain(applied.trouble));
}

function registrationOf(theirs: readonly FoundHook[], file: string): HookRegistration | undefined {
  const [hook] = theirs;
  const host = hook === undefined ? undefined : findHost(hook.host);
  if (host?.registration?.format !== "json") return undefined;
  const commands = new Set(theirs.map(({ command }) => command));
  const registration = jsonHooks(host, host.registration, { command: "", hooks: ["stop"] }, file);
  return { ...registration, isOurs: (command) => commands.has(command) };
}
