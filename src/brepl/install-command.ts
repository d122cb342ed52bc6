import { realpathSync } from "node:fs";
import { join } from "node:path";
import { HOOKS_FILE } from "../config/brepl/load.ts";
import { explain, type Result } from "../trouble.ts";
import { BREPL_TEMPLATE, breplHooks } from "./hook-settings.ts";
import { isThereForHooks } from "../install/hook-command.ts";
import type { HookRegistration } from "../install/hook-registration.ts";
import { planInstall, planUninstall } from "../install/plan-hooks.ts";
import {
  applyEdit,
  isIgnoredByHost,
  prepareEdit,
  type SettingsEdit,
} from "../install/files/settings-file.ts";
import { findOnPath } from "../system/process/executables.ts";
import { createUserFile } from "../system/files/user-file.ts";
import { programFile } from "../system/process/runtime.ts";
import type { BreplOptions } from "./options.ts";
import { EXIT } from "../report/exit-code.ts";
import { PACKAGE } from "../package-name.ts";

export async function breplInstall({ program }: BreplOptions): Promise<number> {
  const registration = breplHooks(program);
  const edit = await editSettings(registration, planInstall);
  if (!edit.ok) return complain(edit);
  const created = await createUserFile(join(process.cwd(), HOOKS_FILE), BREPL_TEMPLATE);
  if (!created.ok) return complain(created);
  const where =
    edit.value.change.kind === "written" ? "Hooks installed in" : "Hooks are already installed in";
  say(`${where} ${registration.file}.`);
  say(created.value ? `Created ${HOOKS_FILE}: say there what must pass.` : `Kept ${HOOKS_FILE} as it is.`);
  if (isIgnoredByHost(edit.value, registration)) warn(PLAIN_JSON_ONLY);
  const stranger = strangerOnPath(program);
  if (stranger !== undefined) warn(stranger);
  return EXIT.ok;
}

export async function breplUninstall({ program }: BreplOptions): Promise<number> {
  const registration = breplHooks(program);
  const edit = await editSettings(registration, planUninstall);
  if (!edit.ok) return complain(edit);
  say(
    edit.value.change.kind === "unchanged"
      ? `No hooks of brepl in ${registration.file}.`
      : `Hooks removed from ${registration.file}.`,
  );
  say(`${HOOKS_FILE} is yours and stays.`);
  return EXIT.ok;
}

async function editSettings(
  registration: HookRegistration,
  plan: typeof planInstall,
): Promise<Result<SettingsEdit>> {
  const edit = await prepareEdit(process.cwd(), registration, plan);
  if (!edit.ok) return edit;
  const applied = await applyEdit(edit.value);
  return applied.ok ? edit : applied;
}

/** The hook is called by name: say so when that name leads nowhere, or to another program. */
function strangerOnPath(program: string): string | undefined {
  const [name = program] = program.split(" ");
  const first = findOnPath(name, process.env).find(isThereForHooks);
  if (first === undefined) {
    return `Note: there is no \`${name}\` on the PATH that hooks get, so Claude Code will not find it. Run \`npm install --global ${PACKAGE}\`.`;
  }
  if (realpathSync(first) === realpathSync(programFile())) return undefined;
  const advice = name === "brepl" ? " To use this one, run `agent-gauntlet brepl hook install`." : "";
  return `Note: Claude Code will run ${first}, which is not the program that runs now.${advice}`;
}

const PLAIN_JSON_ONLY =
  "Note: Claude Code reads plain JSON and skips a settings file with comments or trailing commas; the hooks run once you take them out.";

function complain({ trouble }: Extract<Result<unknown>, { ok: false }>): number {
  process.stderr.write(`${explain(trouble)}\n`);
  return EXIT.notOk;
}

function warn(note: string): void {
  process.stderr.write(`${note}\n`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
