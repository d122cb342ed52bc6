import { type Session, startIn } from "../../stop/session.ts";
import { updateSession } from "../../stop/session-store.ts";
import type { Environment } from "../../system/process/environment.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import { type Silencer, silencersIn } from "./silencers.ts";

interface ChangedSettings {
  readonly root: string;
  readonly env: Environment;
  readonly session: Session;
  /** Only the user may switch our hooks off in a running session. */
  readonly isHeld: boolean;
}

/** What to tell the user of settings that would keep our stop hook from holding the agent; undefined if they may take effect in silence. */
export function judgeConfigChange(
  name: SessionName,
  { root, env, session, isHeld }: ChangedSettings,
): string | undefined {
  const known = session.switchedOff?.filter(({ state }) => state !== "refused").map(({ key }) => key) ?? [];
  const mayStay = [...session.shown, ...known];
  const found = silencersIn(root, env, startIn(session, root)?.hooks).filter(
    ({ key }) => !mayStay.includes(key),
  );
  const state = isHeld ? "refused" : "told";
  updateSession(name, env, (stored) => ({
    ...stored,
    switchedOff: [
      ...(stored.switchedOff ?? []).filter((one) => one.state !== "refused"),
      ...found.map(({ key, text, undo }) => ({ key, text, undo, state }) as const),
    ],
  }));
  return found.map((one) => sentence(one, isHeld)).join("\n") || undefined;
}

function sentence({ text, undo }: Silencer, isHeld: boolean): string {
  if (!isHeld) return `Gauntlet: ${text}. ${undo}.`;
  return `Gauntlet: ${text}. This session keeps its settings until you \`agent-gauntlet accept\` that. ${undo}.`;
}
