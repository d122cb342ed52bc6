import { realpathSync } from "node:fs";
import { join } from "node:path";
import { HOOKS_FILE } from "../../config/brepl/load.ts";
import { explain, type Result } from "../../core/trouble.ts";
import { BREPL_TEMPLATE } from "../../install/brepl-template.ts";
import { breplHooks } from "../../install/brepl.ts";
import type { FileChange, HookRegistration } from "../../install/hook-registration.ts";
import { planInstall, planUninstall } from "../../install/plan-hooks.ts";
import { findOnPath } from "../../machine/find-on-path.ts";
import { createUserFile, readUserFile, removeUserFile, replaceUserFile } from "../../machine/user-file.ts";
import type { BreplOptions } from "../brepl-commands.ts";
import { EXIT } from "../exit-code.ts";

/** `brepl hook install`: a template where there is none, and our hooks in Claude Code's settings. */
export async function breplInstall({ program }: BreplOptions): Promise<number> {
  const registration = breplHooks(program);
  const changed = await editSettings(registration, planInstall);
  if (!changed.ok) return complain(changed);
  const created = await createUserFile(join(process.cwd(), HOOKS_FILE), BREPL_TEMPLATE);
  if (!created.ok) return complain(created);
  const where = changed.value ? "Hooks installed in" : "Hooks are already installed in";
  say(`${where} ${registration.file}.`);
  say(created.value ? `Created ${HOOKS_FILE}: say there what must pass.` : `Kept ${HOOKS_FILE} as it is.`);
  const stranger = strangerOnPath(program);
  if (stranger !== undefined) process.stderr.write(`${stranger}\n`);
  return EXIT.ok;
}

/** `brepl hook uninstall`: our hooks go, everything else stays. */
export async function breplUninstall({ program }: BreplOptions): Promise<number> {
  const registration = breplHooks(program);
  const changed = await editSettings(registration, planUninstall);
  if (!changed.ok) return complain(changed);
  say(
    changed.value ? `Hooks removed from ${registration.file}.` : `No hooks of brepl in ${registration.file}.`,
  );
  say(`${HOOKS_FILE} is yours and stays.`);
  return EXIT.ok;
}

/** Whether the settings had to change. */
async function editSettings(
  registration: HookRegistration,
  plan: typeof planInstall,
): Promise<Result<boolean>> {
  const path = join(process.cwd(), registration.file);
  const text = await readUserFile(path);
  if (!text.ok) return text;
  const change = plan(text.value, registration);
  if (!change.ok) return change;
  const applied = await apply(path, change.value);
  return applied.ok ? { ok: true, value: change.value.kind !== "unchanged" } : applied;
}

async function apply(path: string, change: FileChange): Promise<Result<undefined>> {
  switch (change.kind) {
    case "unchanged":
      return { ok: true, value: undefined };
    case "written":
      return replaceUserFile(path, change.text);
    case "removed":
      return removeUserFile(path);
  }
}

/** The hook is called by name: say so when that name leads nowhere, or to another program. */
function strangerOnPath(program: string): string | undefined {
  const [name = program] = program.split(" ");
  const [first] = findOnPath(name, process.env);
  if (first === undefined) {
    return `Note: there is no \`${name}\` on your PATH, so Claude Code will not find it. Run \`npm install --global agent-gauntlet\`.`;
  }
  if (realpathSync(first) === realpathSync(process.argv[1] ?? "")) return undefined;
  const advice = name === "brepl" ? " To use this one, run `agent-gauntlet brepl hook install`." : "";
  return `Note: Claude Code will run ${first}, which is not the program that runs now.${advice}`;
}

function complain({ trouble }: Extract<Result<unknown>, { ok: false }>): number {
  process.stderr.write(`${explain(trouble)}\n`);
  return EXIT.notOk;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
