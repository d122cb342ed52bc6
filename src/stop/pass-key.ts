import { coversGates } from "../config/settings.ts";

/** What a pass is bound to besides the files and what they were compared with: who asks under another key is not answered by it. */
export interface PassKey {
  /** The hash of the gates that run for the asker, and of how they are chosen. */
  readonly gates: string;
  /** The hash of the environment that gates see. */
  readonly environment: string;
  /** The hash of the files that the programs of their commands are. */
  readonly programs: string;
}

export function coversKey(passed: PassKey, asked: PassKey): boolean {
  const isSeenAlike = passed.environment === asked.environment && passed.programs === asked.programs;
  return isSeenAlike && coversGates(passed.gates, asked.gates);
}
