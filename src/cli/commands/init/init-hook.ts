import { join } from "node:path";
import { absolutePath } from "../../../core/path.ts";
import { fail, ok, type Result, type Trouble } from "../../../core/trouble.ts";
import { CLAUDE_CODE_HOOKS, claudeCode } from "../../../hosts/adapters/claude-code.ts";
import { chooseHookCommand, type HookCommand } from "../../../install/hook-command.ts";
import { type HookRegistration, findOurHooks, jsonHooks } from "../../../install/hook-registration.ts";
import { planInstall } from "../../../install/plan-hooks.ts";
import {
  previewChange,
  applyEdit,
  isIgnoredByHost,
  prepareEdit,
  type SettingsEdit,
} from "../../../install/files/settings-file.ts";
import { readUserFile } from "../../../machine/files/user-file.ts";
import { wantedIn } from "../../hosts/host-request.ts";
import { installationOf, type Program } from "../../hosts/installation.ts";
import { printLine, type Terminal } from "../../output/terminal.ts";

/** What is to be done about the stop hook. `file` is the settings file, as people know it. */
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

/** The program that the hook is to call: this one. */
export async function planHook(terminal: Terminal, program: Program): Promise<HookStep> {
  const { cwd, env } = terminal;
  const command = chooseHookCommand(installationOf(program, terminal));
  const { projectFile: file } = CLAUDE_CODE_HOOKS;
  const wanted = { file, command: command.line, ...(await wantedIn({ root: absolutePath(cwd), env })) };
  const registration = jsonHooks(claudeCode, CLAUDE_CODE_HOOKS, wanted);
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
