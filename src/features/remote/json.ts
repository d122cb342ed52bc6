import type { ShownWorker } from "./workers/list-workers.ts";
import { line } from "../../report/json/json.ts";

export function keysJson({ id, source, publicKey, trustedBy }: ShownKey): string {
  return line("keys", { id, source, publicKey, trustedBy: trustedBy ?? null });
}

export interface ShownKey {
  readonly id: string;
  readonly source: string;
  readonly publicKey: string;
  /** The file by which the project here trusts it. */
  readonly trustedBy: string | undefined;
}

export function workersJson({ workers, queues }: FleetState): string {
  return line("workers", {
    workers: workers.map(({ since, ...rest }) => ({ ...rest, since: new Date(since).toISOString() })),
    queues,
  });
}

export interface FleetState {
  readonly workers: readonly ShownWorker[];
  readonly queues: readonly { readonly platform: string; readonly waiting: number }[];
}
