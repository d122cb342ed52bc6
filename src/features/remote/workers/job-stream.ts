import type { Redis } from "ioredis";
import { elapsedMs } from "../../../system/clock.ts";
import { askedKey, type GateJob, type JobEnd, streamKey, waitersKey } from "./queue.ts";

/** For a run that reconnects. */
const KEPT_SECONDS = 600;
/** With the entry size: at most 32 MB of one job in Redis. */
const MOST_ENTRIES = 512;
const ENTRY_BYTES = 64 * 1024;
/** Kept in memory while Redis is away. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const RETRY_MS = 200;

/**
 * Sends the output of one attempt. Entries are numbered, so the reader notices repeats and gaps. Sends one at a time; output
 * meanwhile goes with the next.
 */
export class JobStream {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #attempt: string;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #number = 0;
  #sending: Promise<void> | undefined;
  #isGivenUp = false;

  constructor(redis: Redis, stream: string, attempt: string) {
    this.#redis = redis;
    this.#key = streamKey(stream);
    this.#attempt = attempt;
  }

  start(worker: string): Promise<void> {
    return this.#send("start", worker);
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    while (this.#waitingBytes > MOST_WAITING_BYTES) {
      this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
      this.#number += 1; // a gap in the numbers is how the reader learns of it
    }
    this.#sending ??= this.#sendWaiting().finally(() => (this.#sending = undefined));
  }

  beat(): void {
    if (this.#sending === undefined) this.push(Buffer.alloc(0));
  }

  /** Resolves when the end is written, or can never be. */
  async end(end: JobEnd): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
    await this.#send("end", JSON.stringify(end));
  }

  giveUp(): void {
    this.#isGivenUp = true;
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isGivenUp) {
      const all = Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#waitingBytes = 0;
      for (let at = 0; at === 0 || at < all.length; at += ENTRY_BYTES)
        await this.#send("out", all.subarray(at, at + ENTRY_BYTES));
    }
  }

  /** The client waits for a lost connection; refused commands are repeated here. */
  async #send(kind: "start" | "out" | "end", data: string | Buffer): Promise<void> {
    const number = kind === "start" ? 0 : (this.#number += 1);
    const since = elapsedMs();
    while (!this.#isGivenUp && elapsedMs() - since < KEPT_SECONDS * 1000) {
      const fields = ["a", this.#attempt, "n", number, "k", kind, "d", data];
      const sent = this.#redis.xadd(this.#key, "MAXLEN", "~", MOST_ENTRIES, "*", ...fields);
      if (kind === "end") void this.#redis.expire(this.#key, KEPT_SECONDS).catch(() => 0);
      if (await isDone(sent, () => this.#isGivenUp)) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function isDone(work: Promise<unknown>, isGivenUp: () => boolean): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<boolean>((resolve) => {
    timer = setInterval(() => isGivenUp() && resolve(false), RETRY_MS);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, givenUp]).finally(() => clearInterval(timer));
}

const COUNT_WAITERS = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', redis.call('TIME')[1])
return redis.call('ZCARD', KEYS[1])`;

export async function countWaiters(redis: Redis, stream: string): Promise<number> {
  return Number(await redis.eval(COUNT_WAITERS, 1, waitersKey(stream)));
}

const FORGET = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** Later runs start a new job. */
export async function forgetAsked(redis: Redis, { name, stream }: GateJob): Promise<void> {
  await redis.eval(FORGET, 1, askedKey(name), stream);
}
