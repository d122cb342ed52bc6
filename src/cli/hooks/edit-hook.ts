import { copilot } from "../../hosts/copilot.ts";
import { type EditEvent, editAnswer, readEdit } from "../../hosts/edit-event.ts";
import type { Host, Payload } from "../../hosts/host.ts";
import { findHost, recogniseHost } from "../../hosts/host-table.ts";
import { ONLY_ALLOWED_FLAG, parseObject } from "../../hosts/protocol.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import type { AbsolutePath } from "../../path.ts";
import { writeAll } from "../../system/files/files.ts";
import { findProject } from "../../system/files/find-project.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { currentDirectory, type Environment, isCi } from "../../system/process/environment.ts";
import { readStdin } from "../../system/process/stdin.ts";

/**
 * After a tool of the agent has edited files: runs the checks that are `on: [edit]` and tells the model what is new. On stdout nothing
 * else; always exit code 0, because a block would end the agent's turn in some hosts.
 */
export async function runEditHook(args: readonly string[]): Promise<number> {
  using cancel = cancellation();
  const { env } = process;
  try {
    const edited = readEdited(await readStdin(cancel.signal), { args, env });
    if (edited === undefined) return 0;
    const { lookAtEdit } = await import("./look-at-edit.ts"); // most tools edit nothing
    const told = await lookAtEdit(
      { ...edited, onlyAllowed: args.includes(ONLY_ALLOWED_FLAG), env },
      cancel.signal,
    );
    const answer = told === undefined ? undefined : editAnswer(edited.host, edited.edit, told);
    writeAll(1, answer?.stdout ?? "");
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    writeAll(2, `[gauntlet] The edit was not looked at: ${detail}\n`);
  }
  return 0;
}

export interface Edited {
  readonly host: Host;
  readonly edit: EditEvent;
  /** The same agent as at its stop. */
  readonly event: StopEvent;
  readonly root: AbsolutePath;
}

/** Undefined if nothing can have been edited, or nothing here is for us to run. */
function readEdited(
  text: string,
  { args, env }: { readonly args: readonly string[]; readonly env: Environment },
): Edited | undefined {
  const isReviewer = Boolean(env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"]);
  const payload = isReviewer || isCi(env) ? undefined : parseObject(text);
  const edit = payload && readEdit(payload);
  if (payload === undefined || edit === undefined) return undefined;
  if (edit.files.length === 0 && !edit.hasShell) return undefined;
  const host = hostOf(payload, args, env);
  const stop = { ...payload, hook_event_name: host.stopEvents[0], hookEventName: host.stopEvents[0] };
  const parsed = host.parse(stop, { env, cwd: currentDirectory() });
  if (parsed.kind !== "stop" || parsed.event.permissionMode === "plan") return undefined;
  const { event } = parsed;
  const root = findProject(event.cwd) ?? (event.projectDir && findProject(event.projectDir));
  return root === undefined ? undefined : { host, edit, event, root };
}

/** Copilot runs the hooks of Claude Code too, and names itself only in the environment (1.0.102, 2026-11-18). */
function hostOf(payload: Payload, args: readonly string[], env: Environment): Host {
  const named = findHost(args[args.indexOf("--host") + 1] ?? "");
  return named ?? (env["COPILOT_CLI"] ? copilot : recogniseHost(payload, { env, cwd: "" }));
}
