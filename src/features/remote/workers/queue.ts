import type { Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { CheckGate } from "../../../gates/gate.ts";
import {
  anyOf,
  isFlag,
  isNumber,
  isText,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  onlyObjectOf,
  type ShapeOf,
  textLike,
} from "../../../shape.ts";
import { fail, ok, type Result } from "../../../trouble.ts";
import type { Environment } from "../../../system/process/environment.ts";
import type { ProcessEnd } from "../../../system/process/run-process.ts";
import { bun } from "../../../system/process/runtime.ts";
import { credentials, detailOf } from "../pass-store.ts";
import { PACKAGE } from "../../../package-name.ts";

/** Checked field by field: anyone who reaches the queue can write a job. */
const isGate = objectOf(
  {
    kind: oneOf("check"),
    name: isText,
    command: isText,
    timeoutMs: (value: unknown): value is number => isNumber(value) && value >= 1,
    env: mapOf(isText),
  },
  { shell: isText, report: isText, toolchain: listOf(isText) },
);

const isJob = onlyObjectOf({
  tree: textLike(/^[\da-f]{40}(?:[\da-f]{24})?$/),
  repository: isText,
  /** Where the project is in the repository: empty, or with a trailing slash. */
  project: isText,
  id: isText,
  gate: isGate,
  workingDirectory: isText,
  files: listOf(isText),
  baseBranch: isText,
  /** The same for all runs that ask for the same. */
  name: textLike(/^[\da-f]{64}$/),
  /** Names the job and the Redis stream of its output. */
  stream: textLike(/^[\w-]{1,80}$/),
});

/** One check for exactly one tree, without the environment of the run that asks. */
export type GateJob = Omit<ShapeOf<typeof isJob>, "gate"> & {
  readonly gate: CheckGate;
};

export function readJob(data: unknown): GateJob | undefined {
  return isJob(data) ? (data as GateJob) : undefined; // as it was sent: the order of its keys is part of a pass's key
}

const isProcessEnd = anyOf<ProcessEnd>(
  objectOf({ kind: oneOf("exited"), exitCode: isNumber }),
  objectOf({ kind: oneOf("killed"), signal: isText }),
  objectOf({ kind: oneOf("timed-out"), afterMs: isNumber }),
  objectOf({ kind: oneOf("not-started"), detail: isText }),
);

const isEnd = anyOf<JobEnd>(
  objectOf({ kind: oneOf("ended"), end: isProcessEnd }, { missing: isText, report: isText, isFresh: isFlag }),
  objectOf({ kind: oneOf("trouble"), detail: isText }),
);

export type JobEnd =
  | {
      readonly kind: "ended";
      readonly end: ProcessEnd;
      readonly missing?: string | undefined;
      readonly report?: string | undefined;
      readonly isFresh?: boolean | undefined;
    }
  | { readonly kind: "trouble"; readonly detail: string };

export function readEnd(text: string): JobEnd {
  try {
    const read = JSON.parse(text);
    if (isEnd(read)) return read;
  } catch {
    // not even JSON
  }
  return { kind: "trouble", detail: "what its worker said cannot be understood" };
}

export function withWorker(end: JobEnd, worker: string): JobEnd {
  return end.kind === "trouble" ? { ...end, detail: `${worker}: ${end.detail}` } : end;
}

export function describeEnd(end: JobEnd): string {
  if (end.kind === "trouble") return `could not run: ${end.detail}`;
  return end.end.kind === "exited" ? `exited with ${end.end.exitCode}` : end.end.kind;
}

export const PREFIX = "gauntlet";
export const asksKey = (platform: string): string => `${PREFIX}:asks:${platform}`;
export const askedKey = (name: string): string => `${PREFIX}:asked:${name}`;
export const CANCEL = `${PREFIX}:cancel`;
export const WORKERS = `${PREFIX}:workers`;
export const workerKey = (id: string): string => `${PREFIX}:worker:${id}`;
export const streamKey = (stream: string): string => `${PREFIX}:out:${stream}`;
export const waitersKey = (stream: string): string => `${PREFIX}:waits:${stream}`;

export interface Libraries {
  readonly bullmq: { readonly Queue: typeof Queue; readonly Worker: typeof Worker };
  readonly Redis: typeof Redis;
}

/**
 * Not part of the package, of which they would be a quarter. Looked up beside it and beside Node, never in the project: an
 * agent can write there.
 */
export function loadLibraries(): Result<Libraries> {
  if (bun !== undefined) return missing("the native program cannot load it: use the package for Node");
  const places = [import.meta.url, join(dirname(process.execPath), "../lib/node_modules", PACKAGE)];
  let problem = "";
  for (const place of places) {
    try {
      const require = createRequire(place);
      const { Redis: client } = require("ioredis") as { Redis: Libraries["Redis"] };
      return ok({ bullmq: require("bullmq") as Libraries["bullmq"], Redis: client });
    } catch (error) {
      problem ||= error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    }
  }
  return missing(problem);
}

function missing(detail: string): Result<Libraries> {
  return fail({ kind: "library-missing", library: "bullmq", install: "npm install bullmq ioredis", detail });
}

interface Reached {
  readonly url: string;
  readonly env: Environment;
  readonly log: (line: string) => void;
}

/** Knows every connection, even those that the library duplicates: an open one keeps the process alive. */
export class Connections implements Disposable {
  readonly #client: Libraries["Redis"];
  readonly #to: Reached;
  readonly #all: Redis[] = [];
  #problem: string | undefined;

  constructor({ Redis: client }: Libraries, to: Reached) {
    this.#client = client;
    this.#to = to;
  }

  /** Commands wait for a lost connection. The first connection reports for all. */
  open(): Redis {
    const client = new this.#client(optionsFor(this.#to));
    if (this.#all.length === 0) this.#tell(client);
    return this.#know(client);
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection.disconnect();
  }

  #know(client: Redis): Redis {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (override) => this.#know(duplicate(override));
    this.#all.push(client);
    return client.on("error", () => {}); // it connects again by itself
  }

  #tell(client: Redis): void {
    const { url, log } = this.#to;
    const queue = `the queue ${new URL(url).host}`;
    client.on("error", (error: Error) => {
      const problem = detailOf(error);
      if (problem !== this.#problem) log(`${queue} cannot be reached: ${problem}; trying again`);
      this.#problem = problem;
    });
    client.on("ready", () => {
      if (this.#problem !== undefined) log(`${queue} is reached`);
      this.#problem = undefined;
    });
  }
}

/** Sends commands in one packet: a write costs more than most commands. */
export function inOnePiece<T>({ stream }: Redis, ask: () => T): T {
  stream?.cork();
  try {
    return ask();
  } finally {
    stream?.uncork();
  }
}

function optionsFor({ url, env }: Reached) {
  const { hostname, port, protocol, pathname } = new URL(url);
  const login = credentials(env, "GAUNTLET_WORKERS_AUTH");
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    password: login?.secret,
    username: login?.user,
    tls: protocol === "rediss:" ? {} : undefined,
    maxRetriesPerRequest: null,
    connectTimeout: 3000,
    keepAlive: 5000,
    retryStrategy: (times: number) => Math.min(50 * times, 500),
  };
}

export function platformOf({ platform }: Pick<CheckGate, "platform">): string {
  return platform ?? `${process.platform}-${process.arch}`;
}
