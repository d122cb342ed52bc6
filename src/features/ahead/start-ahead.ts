import type { EditEvent } from "../../hosts/edit-event.ts";
import { HOSTS } from "../../hosts/host-table.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { now } from "../../system/clock.ts";
import { makePrivateDirectory } from "../../system/files/files.ts";
import { agentProcess } from "../../system/process/agents-above.ts";
import type { Environment } from "../../system/process/environment.ts";
import { ownArgv } from "../../system/process/runtime.ts";
import { startDetached } from "../../system/process/start-detached.ts";
import { lockHolder } from "../../system/state/lock.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { aheadDirectory, aheadLock, readNote, writeNote } from "./store.ts";

const RUN_AHEAD = "run-ahead";

interface Edited {
  readonly root: string;
  readonly edit: EditEvent;
  readonly event: StopEvent;
  readonly onlyAllowed: boolean;
  readonly env: Environment;
}

/** Notes an edit, and starts the background process of its work tree unless one is alive; returns before that does anything. */
export function noteEdit({ root, edit, event, onlyAllowed, env }: Edited): void {
  const stateDir = projectStateDir(root, env);
  makePrivateDirectory(aheadDirectory(stateDir));
  const known = readNote(stateDir);
  const { lastMessage: _private, ...asked } = event;
  const isAlive = lockHolder(aheadLock(stateDir)) !== undefined;
  const agentPid = isAlive ? known?.agentPid : agentProcess(env, agentPrograms());
  const shellAt = edit.hasShell ? now() : known?.shellAt;
  const isNoted = writeNote(stateDir, { event: asked, onlyAllowed, agentPid, shellAt });
  if (isNoted && !isAlive) startDetached([...ownArgv(), RUN_AHEAD, root], { cwd: root, env });
}

function agentPrograms(): readonly string[] {
  return HOSTS.flatMap(({ registration }) => registration?.executables ?? []);
}
