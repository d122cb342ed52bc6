import { join } from "node:path";
import { readWorkspace } from "../../config/read-workspace.ts";
import { ok, type Result, fail, type Trouble, explain } from "../../trouble.ts";
import { isManifest, type DetectedScope, detectScopes } from "../detect/detect-checks.ts";
import { absentManager } from "../detect/node.ts";
import { Project, type IsInstalled, type DetectedCheck } from "../detect/project.ts";
import { starterConfig, mainBranch } from "../starter-config.ts";
import { CONFIG_FILE, configFileOf, holdsConfig } from "../../system/files/find-project.ts";
import { readProject } from "../../system/files/list-files.ts";
import { createUserFile, readUserFile } from "../../system/files/user-file.ts";
import { findExecutable, shellCommand } from "../../system/process/executables.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { absolutePath } from "../../path.ts";
import { CLAUDE_CODE_HOOKS, claudeCode } from "../../hosts/claude-code.ts";
import { chooseHookCommand, type HookCommand } from "../hook-command.ts";
import { type HookRegistration, findOurHooks, jsonHooks } from "../hook-registration.ts";
import { planInstall } from "../plan-hooks.ts";
import {
  previewChange,
  applyEdit,
  isIgnoredByHost,
  prepareEdit,
  type SettingsEdit,
} from "../files/settings-file.ts";
import { wantedIn } from "../host-request.ts";
import { installationOf, type Program } from "../installation.ts";
import { type ProcessEnd, runProcess } from "../../system/process/run-process.ts";
import { elapsedMs } from "../../system/clock.ts";
import { formatDuration } from "../../words.ts";
import { whyCutShort } from "../../features/baseline/findings.ts";
import { readText, writeFileAtomic, kindOf } from "../../system/files/files.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import type { Prompt } from "../../report/prompt.ts";
import { PACKAGE } from "../../package-name.ts";

export type ConfigStep = { readonly kind: "exists" } | NewConfig;

export interface NewConfig {
  readonly kind: "new";
  readonly scopes: readonly DetectedScope[];
  readonly hasOwnChecks: boolean;
  /** The project's package manager, where npm runs the scripts because it is not installed. */
  readonly absentManager?: string | undefined;
  readonly text: string;
  /** The same where these checks block only for what is new. */
  readonly textWith: (onlyNew: readonly string[]) => string;
}

export async function planConfig({ cwd, env }: Terminal): Promise<ConfigStep> {
  if (holdsConfig(cwd)) return { kind: "exists" };
  const { files, texts } = await readProject(cwd, isManifest);
  const hasOwnChecks = files.some((file) => /^\.gauntlet\/checks\/[^/]+\.ya?ml$/.test(file));
  const packages = readWorkspace({ paths: files.filter(isManifest), read: (path) => texts.get(path) });
  const project = new Project(files, texts, programsAt(cwd, env));
  const scopes = hasOwnChecks ? [] : detectScopes(project, packages);
  const baseBranch = await mainBranch(cwd);
  const start = { scopes, hasOwnChecks, baseBranch, schema: schemaFor(cwd) };
  const textWith = (onlyNew: readonly string[]): string => starterConfig({ ...start, onlyNew });
  const config = { scopes, hasOwnChecks, absentManager: absentManager(project) };
  return { kind: "new", ...config, text: textWith([]), textWith };
}

export async function createConfig(step: ConfigStep, { cwd, stdout }: Terminal): Promise<Result<undefined>> {
  if (step.kind === "new") {
    printLine(stdout, `${CONFIG_FILE} for this project:\n\n${indented(step.text)}`);
    printLine(stdout, `Creating ${CONFIG_FILE}...`);
    const created = await createUserFile(join(cwd, CONFIG_FILE), step.text);
    if (!created.ok) return created;
    if (created.value) {
      printLine(stdout, "✓ Configuration created");
      warnAboutMissing(step, stdout);
      return ok(undefined);
    }
  }
  printLine(stdout, `${configFileOf(cwd)} already exists and was left as it is.`);
  return ok(undefined);
}

function warnAboutMissing({ scopes, absentManager }: NewConfig, stdout: Terminal["stdout"]): void {
  const checks = scopes.flatMap((scope) => scope.checks);
  for (const { name, missing } of checks)
    if (missing !== undefined)
      printLine(
        stdout,
        `! ${name}: \`${missing}\` is not installed here, so this check is commented out in ${CONFIG_FILE}.`,
      );
  const isByNpm = checks.some(({ command, missing }) => missing === undefined && /^np[mx] /.test(command));
  if (absentManager !== undefined && isByNpm)
    printLine(
      stdout,
      `! \`${absentManager}\`, this project's package manager, is not installed here, so npm runs its scripts.`,
    );
}

function programsAt(root: string, env: Terminal["env"]): IsInstalled {
  return (program) => findExecutable(program, env, root) !== undefined;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** The schema of the package that is installed in the project; a path to one elsewhere would hold on this machine only. */
function schemaFor(cwd: string): string | undefined {
  const installed = `node_modules/${PACKAGE}/schema/config.schema.json`;
  return kindOf(join(cwd, installed)) !== "missing" ? `../${installed}` : undefined;
}

export type HookStep = { readonly file: string } & (
  | { readonly kind: "present" }
  | { readonly kind: "impossible"; readonly trouble: Trouble }
  | {
      readonly kind: "planned";
      readonly command: HookCommand;
      readonly registration: HookRegistration;
      readonly edit: SettingsEdit;
      readonly preview: string;
    }
);

export async function planHook(terminal: Terminal, program: Program): Promise<HookStep> {
  const { cwd, env } = terminal;
  const command = chooseHookCommand(installationOf(program, terminal));
  const { projectFile: file } = CLAUDE_CODE_HOOKS;
  const wanted = { command: command.line, ...(await wantedIn(absolutePath(cwd), env)) };
  const registration = jsonHooks(claudeCode, CLAUDE_CODE_HOOKS, wanted, file);
  if (await isShared(cwd, registration)) return { kind: "present", file: SHARED_SETTINGS };
  const edit = await prepareEdit(cwd, registration, planInstall);
  if (!edit.ok) return { kind: "impossible", file, trouble: edit.trouble };
  const { before, change } = edit.value;
  if (change.kind === "unchanged") return { kind: "present", file };
  return {
    kind: "planned",
    file,
    command,
    registration,
    edit: edit.value,
    preview: previewChange(file, before, change),
  };
}

export async function installHook(step: HookStep, { stdout, stderr }: Terminal): Promise<Result<undefined>> {
  if (step.kind === "impossible") return fail(step.trouble);
  if (step.kind === "present") return ok(undefined);
  printLine(stdout, `${step.edit.before === undefined ? "Creating" : "Updating"} ${step.file}...`);
  const applied = await applyEdit(step.edit);
  if (!applied.ok) return applied;
  printLine(stdout, "✓ Stop hook installed - gauntlet will run automatically when agent stops");
  if (step.command.note !== undefined) printLine(stdout, `  ${step.command.line}\n  ${step.command.note}`);
  if (isIgnoredByHost(step.edit, step.registration))
    printLine(
      stderr,
      `Claude Code reads plain JSON and skips a settings file with comments or trailing commas. The hook fires once you take them out of ${step.file}.`,
    );
  return ok(undefined);
}

const [SHARED_SETTINGS] = CLAUDE_CODE_HOOKS.otherProjectFiles;

/** A team may have the hook in the settings that it commits; a second one would fire twice. */
async function isShared(cwd: string, registration: HookRegistration): Promise<boolean> {
  const text = await readUserFile(join(cwd, SHARED_SETTINGS));
  return text.ok && findOurHooks(text.value ?? "", registration).some(({ event }) => event === "Stop");
}

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
    const { command } = check;
    const why = whyCutShort({ command, directory: path, root: terminal.cwd, env: terminal.env });
    if (why === undefined) red.add(check.name);
    else tellCutShort(terminal, check.name, why);
  }
  if (red.size > 0 && !signal.aborted) await offerOnlyNew(config, terminal, { red: [...red], prompt });
}

/** Behind its old problems `only_new` could not see new ones. */
function tellCutShort({ stdout }: Terminal, name: string, why: string): void {
  printLine(stdout, `    To let ${name} block only for new problems, change its command first: ${why}.`);
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
