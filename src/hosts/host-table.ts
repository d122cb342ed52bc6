import type { HostName } from "../core/stop-event.ts";
import { claudeCode } from "./claude-code.ts";
import type { Host } from "./host.ts";
import { unknownHost } from "./unknown.ts";

/** Every host whose stop we can block, by name. */
export const HOSTS: readonly Host[] = [claudeCode, unknownHost];

/** The row of a host, or undefined for a name that is not in the table. */
export function findHost(name: HostName | (string & {})): Host | undefined {
  return HOSTS.find((host) => host.name === name);
}
