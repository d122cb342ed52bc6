import { join } from "node:path";
import { CLAUDE_CODE_HOOKS, claudeCode } from "../../hosts/claude-code.ts";
import { absolutePath } from "../../path.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { CONFIG_FILE, configFileOf } from "../../system/files/find-project.ts";
import { createUserFile, readUserFile } from "../../system/files/user-file.ts";
import { fail, ok, type Result, type Trouble } from "../../trouble.ts";
import { isActive } from "../detect/project.ts";
import {
  applyEdit,
  isIgnoredByHost,
  prepareEdit,
  previewChange,
  type SettingsEdit,
} from "../files/settings-file.ts";
import { chooseHookCommand, type HookCommand } from "../hook-command.ts";
import { findOurHooks, type HookRegistration, jsonHooks } from "../hook-registration.ts";
import { wantedIn } from "../host-request.ts";
import { installationOf, type Program } from "../installation.ts";
import type { ConfigStep, NewConfig } from "../plan-config.ts";
import { planInstall } from "../plan-hooks.ts";

export async function createConfig(step: ConfigStep, { cwd, stdout }: Terminal): Promise<Result<undefined>> {
  if (step.kind === "new") {
    printLine(stdout, `${CONFIG_FILE} for this project:\n\n${indented(step.text)}`);
    printLine(stdout, `Creating ${CONFIG_FILE}...`);
    const created = await createUserFile(join(cwd, CONFIG_FILE), step.text);
    if (!created.ok) return created;
    if (created.value) {
      printLine(stdout, "✓ Configuration created");
      warnAboutInactive(step, stdout);
      return ok(undefined);
    }
  }
  printLine(stdout, `${configFileOf(cwd)} already exists and was left as it is.`);
  return ok(undefined);
}

function warnAboutInactive({ scopes, absentManager }: NewConfig, stdout: Terminal["stdout"]): void {
  const checks = scopes.flatMap((scope) => scope.checks);
  for (const { name, missing, doubt } of checks) {
    if (missing !== undefined)
      printLine(
        stdout,
        `! ${name}: \`${missing}\` is not installed here, so this check is commented out in ${CONFIG_FILE}.`,
      );
    else if (doubt !== undefined)
      printLine(stdout, `! ${name} is commented out in ${CONFIG_FILE}: ${doubt}.`);
  }
  if (
    absentManager !== undefined &&
    checks.some((check) => isActive(check) && /^np[mx] /.test(check.command))
  )
    printLine(
      stdout,
      `! \`${absentManager}\`, this project's package manager, is not installed here, so npm runs its scripts.`,
    );
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
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
