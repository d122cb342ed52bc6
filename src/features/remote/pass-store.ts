import type { Environment } from "../../system/process/environment.ts";

/** Texts under keys on a server. Nothing here throws; problems are returned in words. */
export interface PassStore {
  readonly get: (request: GetRequest) => Promise<string | undefined>;
  readonly put: (request: PutRequest) => Promise<string | undefined>;
  readonly placeOf: (key: string) => string;
}

interface GetRequest {
  readonly keys: readonly string[];
  readonly onFound: (key: string, text: string) => void;
  readonly signal: AbortSignal;
}

interface PutRequest {
  readonly entries: ReadonlyMap<string, string>;
  readonly expiresMs: number;
  readonly signal: AbortSignal;
}

/** `user:password`, or a token or password alone. */
export function credentials(
  env: Environment,
  variable: string,
): { readonly user?: string; readonly secret: string } | undefined {
  const given = env[variable] ?? "";
  const colon = given.indexOf(":");
  if (given === "") return undefined;
  return colon === -1 ? { secret: given } : { user: given.slice(0, colon), secret: given.slice(colon + 1) };
}

export function detailOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return detailOf(error.errors[0]); // `localhost` is tried as IPv6 and IPv4
  return error instanceof Error ? error.message || error.name : String(error);
}
