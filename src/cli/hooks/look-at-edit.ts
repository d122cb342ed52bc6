import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import type { Settings } from "../../config/settings.ts";
import { noteEdit } from "../../features/ahead/start-ahead.ts";
import { noteEditedTrees } from "../../features/trust/edited-trees.ts";
import { readSession } from "../../stop/session-store.ts";
import { NEW_SESSION } from "../../stop/session.ts";
import type { Environment } from "../../system/process/environment.ts";
import type { Edited } from "./edit-hook.ts";

interface Asked extends Edited {
  readonly onlyAllowed: boolean;
  readonly env: Environment;
}

/** Starts what runs ahead of the stop, and checks the edited files. Resolves to what the model must know, if anything. */
export async function lookAtEdit(edited: Asked, signal: AbortSignal): Promise<string | undefined> {
  const settings = await settingsFor(edited);
  if (settings !== undefined) noteEditedTrees({ ...edited, files: edited.edit.files }, edited.env);
  if (settings?.runAhead !== undefined) noteEdit(edited);
  return settings && checkEdited({ ...edited, settings }, signal);
}

/** Those the user allowed, if the hook serves every project. */
async function settingsFor({ root, event, onlyAllowed, env }: Asked): Promise<Settings | undefined> {
  if (onlyAllowed) {
    const { consentTo } = await import("../../features/trust/consent.ts");
    const consent = await consentTo(root, readSession(event, env).value ?? NEW_SESSION, env);
    if (consent.kind === "not-allowed") return undefined;
    if (consent.judgedBy !== undefined) return { ...consent.judgedBy, root };
  }
  const loaded = await loadSettingsQuickly(root, env);
  if (!loaded.ok || !loaded.value.settings.stopHook.enabled) return undefined;
  return loaded.value.settings;
}

async function checkEdited(
  { edit, settings, event, env }: Asked & { readonly settings: Settings },
  signal: AbortSignal,
): Promise<string | undefined> {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const isAsked = gates.some((gate) => gate.kind === "check" && gate.onEdit !== undefined);
  if (!isAsked || edit.files.length === 0) return undefined;
  const { checkEdits } = await import("../../features/ahead/check-edits.ts");
  return checkEdits({ settings, event, files: edit.files, env }, signal);
}
