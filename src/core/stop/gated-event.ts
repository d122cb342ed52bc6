import type { CheckGate, ReviewGate } from "../gate.ts";
import type { EntryPoint, Settings, StopHookSettings } from "../settings.ts";
import type { StopEvent, StopKind } from "./stop-event.ts";

/** Why the project does not gate this event; undefined where it does. */
export function whyNotGated(
  { on, agentTypes }: StopHookSettings,
  { kind = "stop", agentType = "" }: StopEvent,
): string | undefined {
  if (!on.includes(kind)) return `stop_hook.on does not name ${kind}`;
  const isMeant = kind !== "subagent_stop" || agentTypes.some((type) => type === "*" || type === agentType);
  return isMeant ? undefined : `stop_hook.agent_types does not name ${agentType || "this sub-agent"}`;
}

/**
 * The settings as one event sees them: without the gates whose `on` does not name it. Where gates are left out, the hash says so:
 * a pass of these gates is not a pass of all.
 */
export function settingsAt(settings: Settings, kind: StopKind): Settings {
  const isMeant = ({ on }: CheckGate | ReviewGate): boolean => on === undefined || on.includes(kind);
  if (settings.entryPoints.every(({ gates }) => gates.every(isMeant))) return settings;
  const entryPoints = settings.entryPoints.map((entryPoint): EntryPoint => ({
    ...entryPoint,
    gates: entryPoint.gates.filter(isMeant),
  }));
  return { ...settings, entryPoints, gateHash: `${settings.gateHash}${PART}${kind}` };
}

const PART = "@";

/** Whether a pass of the gates with one hash speaks for those with another: they are the same, or all of them passed. */
export function coversGates(passed: string, gateHash: string): boolean {
  return gateHash === passed || gateHash.startsWith(`${passed}${PART}`);
}
