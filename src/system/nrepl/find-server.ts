import type { Environment } from "../process/environment.ts";
import { join } from "node:path";
import { readIfFile } from "../files/files.ts";
import type { ServerAddress } from "./connection.ts";

export interface ServerHints {
  readonly cwd: string;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly env: Environment;
}

export type ServerSearch =
  | { readonly kind: "found"; readonly server: ServerAddress }
  | { readonly kind: "not-found"; readonly detail: string };

const LONGEST_PORT_FILE = 64;

/** Port: command line, `.nrepl-port`, `BREPL_PORT`. Host: command line, `BREPL_HOST`, localhost. */
export function findServer({ cwd, port, host, env }: ServerHints): ServerSearch {
  const found = port === undefined ? (portFile(cwd) ?? portVariable(env["BREPL_PORT"])) : { port };
  if (found === undefined) return { kind: "not-found", detail: "no .nrepl-port here, and no BREPL_PORT" };
  if (typeof found === "string") return { kind: "not-found", detail: found };
  return { kind: "found", server: { host: host ?? (env["BREPL_HOST"] || "localhost"), port: found.port } };
}

export function parsePort(text: string): number | undefined {
  const port = /^\s*\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function portFile(cwd: string): { readonly port: number } | string | undefined {
  const text = readIfFile(join(cwd, ".nrepl-port"))?.slice(0, LONGEST_PORT_FILE);
  if (text === undefined) return undefined;
  const port = parsePort(text);
  return port === undefined
    ? `.nrepl-port holds ${JSON.stringify(text.trim())}, which is not a valid port`
    : { port };
}

function portVariable(text: string | undefined): { readonly port: number } | string | undefined {
  if (text === undefined || text === "") return undefined;
  const port = parsePort(text);
  return port === undefined ? `BREPL_PORT is ${JSON.stringify(text)}, which is not a valid port` : { port };
}
