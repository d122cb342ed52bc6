import { line } from "./json.ts";

/** A signing key, without its secret half. */
export interface ShownKey {
  readonly id: string;
  readonly source: string;
  readonly publicKey: string;
  /** The file by which the project here trusts it. */
  readonly trustedBy: string | undefined;
}

export function keysJson({ id, source, publicKey, trustedBy }: ShownKey): string {
  return line("keys", { id, source, publicKey, trustedBy: trustedBy ?? null });
}
