import { shellCommand } from "../../../machine/process/executables.ts";
import { join } from "node:path";
import type { DetectedScope } from "../../../install/detect/detect-checks.ts";
import type { DetectedCheck } from "../../../install/detect/project.ts";
import { type ProcessEnd, runProcess } from "../../../machine/process/run-process.ts";
import { elapsedMs } from "../../../machine/clock.ts";
import { formatDuration } from "../../../report/plain-lines.ts";
import { explain } from "../../../core/trouble.ts";
import { chainIn } from "../../../engine/baseline/findings.ts";
import { readText, writeFileAtomic } from "../../../machine/files/files.ts";
import { CONFIG_FILE } from "../../../machine/files/find-project.ts";
import { cancellation } from "../../cancellation.ts";
import type { Prompt } from "../../prompt.ts";
import { printLine, type Terminal } from "../../output/terminal.ts";
import type { NewConfig } from "./init-steps.ts";

/** As long as a check gets when its configuration does not say. */
const TIMEOUT_MS = 240_000;
const SHOWN_LINES = 5;

/** Runs every proposed check once, so that the first stop brings no surprise. What fails stays in the configuration. */
export async function tryChecks(config: NewConfig, terminal: Terminal, prompt?: Prompt): Promise<void> {
  using cancel = cancellation();
  const signal = prompt === undefined ? cancel.signal : AbortSignal.any([cancel.signal, prompt.closed]);
  printLine(terminal.stdout, "\nTrying each check once...");
  const red = new Set<string>();
  for (const { check, path } of config.scopes.flatMap(trials)) {
    if (signal.aborted) return;
    const cwd = join(terminal.cwd, path);
    const named = path === "." ? check : { ...check, name: `${check.name} in ${path}` };
    if (!(await tryCheck(named, { ...terminal, cwd }, signal))) continue;
    const chain = chainIn(cwd, check.command);
    if (chain.length > 1) tellChain(terminal, check.name, chain);
    else red.add(check.name);
  }
  if (red.size > 0 && !signal.aborted) await offerOnlyNew(config, terminal, { red: [...red], prompt });
}

/** Old problems of one command would keep the others from running, before and after a change. */
function tellChain({ stdout }: Terminal, name: string, chain: readonly string[]): void {
  const commands = chain.map((command) => `\`${command}\``).join(", ");
  printLine(stdout, `    ${name} ends at the first that fails of ${commands}: give each a check of its own.`);
}

/** Each check where it would run: not those that wait for their program, or work on changed files, of which there are none yet. */
function trials({ path, packages, checks }: DetectedScope): readonly Trial[] {
  return checks
    .filter(({ command, missing }) => missing === undefined && !command.includes("{files}"))
    .flatMap((check) =>
      (packages ?? [path]).map((place) => ({ check, path: check.workingDirectory ?? place })),
    );
}

interface Trial {
  readonly check: DetectedCheck;
  readonly path: string;
}

/** A check that is red already would block every stop for what no agent has done. */
async function offerOnlyNew(
  { text, textWith }: NewConfig,
  { cwd, stdout, stderr }: Terminal,
  { red, prompt }: { readonly red: readonly string[]; readonly prompt: Prompt | undefined },
): Promise<void> {
  const path = join(cwd, CONFIG_FILE);
  const current = readText(path);
  if (prompt === undefined || !current.ok || current.value !== text)
    return printLine(
      stdout,
      `To let ${red.join(", ")} block only for new problems, set \`only_new: true\` in ${CONFIG_FILE}.`,
    );
  const question = `${red.join(", ")} ${red.length === 1 ? "is" : "are"} red already. Block only for new problems (\`only_new\`)?`;
  if ((await prompt.ask(question, "yes")) !== "yes") return;
  const written = writeFileAtomic(path, textWith(red));
  printLine(written.ok ? stdout : stderr, written.ok ? `✓ ${CONFIG_FILE} changed` : explain(written.trouble));
}

/** Whether it is red. */
async function tryCheck(
  { name, command, env = {} }: DetectedCheck,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { stdout, colours } = terminal;
  let output = "";
  const started = elapsedMs();
  const end = await runProcess(
    {
      argv: shellCommand(command),
      cwd: terminal.cwd,
      env: { ...terminal.env, ...env },
      timeoutMs: TIMEOUT_MS,
      onOutput: (chunk) => void (output = (output + chunk.toString()).slice(-20_000)),
    },
    signal,
  );
  const time = formatDuration(Math.round(elapsedMs() - started));
  if (end.kind === "exited" && end.exitCode === 0) {
    printLine(stdout, `${colours.green("✓")} ${name} passes (${time})`);
    return false;
  }
  printLine(stdout, `${colours.red("✗")} ${name} ${inWords(end)} (${time}): ${command}`);
  const last = output.trimEnd().split("\n").slice(-SHOWN_LINES);
  for (const line of last) printLine(stdout, `    ${line}`);
  return end.kind === "exited" && end.exitCode < 126; // it ran, and found something
}

function inWords(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return end.exitCode === 127 ? "cannot be run here" : `fails with exit code ${end.exitCode}`;
    case "killed":
      return `is killed by ${end.signal}`;
    case "timed-out":
      return "takes too long";
    case "cancelled":
      return "was interrupted";
    case "not-started":
      return `cannot be started: ${end.detail}`;
  }
}
