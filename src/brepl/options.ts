import type { ReplServer } from "../gates/gate-context.ts";

export interface BreplOptions {
  readonly program: string;
  readonly replServer: ReplServer;
}
