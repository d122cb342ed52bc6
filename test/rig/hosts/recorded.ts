import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Payload, Surroundings } from "../../../src/hosts/host.ts";

/** A payload as a real client sent it, with the variables of its environment that name the client. */
export interface Recording {
  readonly host: string;
  readonly file: string;
  readonly client: string;
  readonly recorded: string;
  readonly payload: Payload;
  readonly surroundings: Surroundings;
}

const folder = join(import.meta.dirname, "../../fixtures/hosts");

export function recording(host: string, file: string): Recording {
  // The files are ours and written by one script; a wrong shape fails the tests that read it.
  const stored = JSON.parse(readFileSync(join(folder, host, `${file}.json`), "utf8")) as {
    client: string;
    recorded: string;
    env: Record<string, string>;
    payload: Record<string, unknown>;
  };
  const { client, recorded, payload, env } = stored;
  return { host, file, client, recorded, payload, surroundings: { env, cwd: "/elsewhere" } };
}

export function allRecordings(): readonly Recording[] {
  return readdirSync(folder).flatMap((host) =>
    readdirSync(join(folder, host))
      .filter((file) => file.endsWith(".json"))
      .map((file) => recording(host, file.replace(/\.json$/, ""))),
  );
}
