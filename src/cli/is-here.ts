import type { StopRecord } from "../core/record/session-record.ts";
import { findProject } from "../machine/files/find-project.ts";

/** Whether a stop was in the same project; outside of projects, in the same directory. */
export function isHere({ event }: StopRecord, cwd: string): boolean {
  return (findProject(event.cwd) ?? event.cwd) === (findProject(cwd) ?? cwd);
}
