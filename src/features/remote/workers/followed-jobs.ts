import { elapsedMs } from "../../../system/clock.ts";
import { uniqueName } from "../../../system/files/files.ts";
import type { RedisConnection } from "../redis-connection.ts";
import { listOf, type RespValue } from "../resp.ts";
import {
  askedKey,
  asksKey,
  CANCEL,
  type GateJob,
  type JobEnd,
  PREFIX,
  readEnd,
  streamKey,
  waitersKey,
} from "./queue.ts";

export interface AskedJob {
  /** Names the queue. */
  readonly platform: string;
  readonly data: GateJob;
  readonly onOutput: (chunk: Buffer) => void;
  readonly onStarted: (worker: string, times: number) => void;
}

export interface FollowedJob {
  /** A text says why no worker finishes it. */
  readonly ended: Promise<JobEnd | string>;
  readonly hasStarted: () => boolean;
  /** Withdraws a job that no worker has begun; false if one just did. */
  readonly takeBack: () => Promise<boolean>;
  /** Stops waiting; a worker kills a job that no run waits for. */
  readonly leave: () => Promise<void>;
}

interface Followed {
  readonly asked: AskedJob;
  /** With the stream of the run that asked first. */
  data: GateJob;
  from: string;
  attempt: string | undefined;
  lastNumber: number;
  starts: number;
  queued: number;
  heardAt: number;
  readonly settle: (end: JobEnd | string) => void;
}

const TICK_MS = 2000;
/** Workers send a sign of life every three seconds. */
const SILENCE_MS = 4000;
/** Another worker takes over a lost job within this time. */
const UNOWNED_MS = 20_000;
const UNREACHABLE_MS = 30_000;
const WAITER_SECONDS = 15;
const MOST_STARTS = 6;
const ENTRIES_AT_ONCE = 8;

/** Uses the time of the server: clocks of machines differ. */
const WAIT = `local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] + ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], 120)`;
/** Asks the workers for the job, unless another run has; returns its stream. */
const ASK = `local stream = redis.call('GET', KEYS[1])
if not stream then
  stream = ARGV[1]
  redis.call('SET', KEYS[1], stream, 'EX', 120)
  redis.call('LPUSH', KEYS[2], ARGV[2])
end
return stream`;
const ASK_AGAIN = `redis.call('SET', KEYS[1], ARGV[1], 'EX', 120)
redis.call('LREM', KEYS[2], 0, ARGV[2])
redis.call('LPUSH', KEYS[2], ARGV[2])
return ARGV[1]`;
const LEAVE = `redis.call('ZREM', KEYS[3], ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', redis.call('TIME')[1])
local left = redis.call('ZCARD', KEYS[3])
if left == 0 then
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
  redis.call('LREM', KEYS[2], 0, ARGV[2])
  redis.call('PUBLISH', ARGV[4], ARGV[1])
end
return left`;

/** Follows all jobs of a run over two connections: one blocks on streams, the other sends commands. */
export class FollowedJobs implements Disposable {
  readonly #control: RedisConnection;
  readonly #reader: RedisConnection;
  readonly #me = uniqueName();
  readonly #jobs = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #isOver = false;
  #readerId: number | undefined;
  #reachedAt = elapsedMs();
  #isTicking = false;

  constructor(control: RedisConnection, openReader: (onLost: () => void) => RedisConnection) {
    this.#control = control;
    this.#reader = openReader(() => (this.#readerId = undefined));
    this.#timer = setInterval(() => void this.#tick(), TICK_MS);
  }

  /** Joins the job if another run has asked for the same files and check. */
  async follow(asked: AskedJob): Promise<FollowedJob> {
    void this.#wait(asked.data.stream); // before the job, so that no worker finds it unwanted
    const data = await this.#ask(ASK, asked.platform, asked.data);
    const { promise: ended, resolve: settle } = deferred<JobEnd | string>();
    const facts = { attempt: undefined, lastNumber: 0, starts: 0, queued: 1, heardAt: elapsedMs() };
    const followed: Followed = { asked, data, from: "0", settle, ...facts };
    this.#jobs.set(streamKey(data.stream), followed);
    if (data.stream !== asked.data.stream) await this.#wait(data.stream);
    this.#wakeReader();
    return {
      ended,
      hasStarted: () => followed.starts > 0,
      takeBack: async () => followed.starts === 0 && (await this.#stopWaiting(followed)) >= 0,
      leave: async () => void (await this.#stopWaiting(followed)),
    };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    for (const followed of this.#jobs.values()) this.#settle(followed, "the run is over");
    this.#reader[Symbol.dispose]();
  }

  async #ask(script: string, platform: string, data: GateJob): Promise<GateJob> {
    const keys = [askedKey(data.name), asksKey(platform)];
    const stream = await this.#control.ask("EVAL", script, 2, ...keys, data.stream, JSON.stringify(data));
    return { ...data, stream: String(stream) };
  }

  #settle(followed: Followed, end: JobEnd | string): void {
    this.#jobs.delete(streamKey(followed.data.stream));
    followed.settle(end);
  }

  #wait(stream: string): Promise<unknown> {
    return this.#control
      .ask("EVAL", WAIT, 1, waitersKey(stream), this.#me, WAITER_SECONDS)
      .catch(() => undefined);
  }

  /** Returns how many others wait. When none does, the job leaves the queue or its worker kills it. */
  async #stopWaiting({ asked: { platform }, data }: Followed): Promise<number> {
    this.#jobs.delete(streamKey(data.stream));
    const keys = [askedKey(data.name), asksKey(platform), waitersKey(data.stream)];
    const words = [data.stream, JSON.stringify(data), this.#me, CANCEL];
    return Number(await this.#control.ask("EVAL", LEAVE, 3, ...keys, ...words));
  }

  /** A blocked reader does not know the new stream. */
  #wakeReader(): void {
    if (!this.#isReading) void this.#read();
    if (this.#readerId !== undefined)
      void this.#control.ask("CLIENT", "UNBLOCK", this.#readerId).catch(() => 0);
  }

  /** Reads until no job is left; after a restart of Redis it continues where it was. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#jobs.size > 0 && !this.#isOver) {
      try {
        this.#readerId ??= Number(await this.#reader.ask("CLIENT", "ID"));
        const all = [...this.#jobs];
        const where = [...all.map(([key]) => key), ...all.map(([, { from }]) => from)];
        const options = ["COUNT", ENTRIES_AT_ONCE, "BLOCK", TICK_MS];
        const read = await this.#reader.ask("XREAD", ...options, "STREAMS", ...where);
        for (const [key, entries] of pairsIn(read))
          pairsIn(entries).forEach(([id, fields]) => this.#take(String(key), String(id), listOf(fields)));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    this.#isReading = false;
  }

  #take(key: string, id: string, fields: readonly RespValue[]): void {
    const followed = this.#jobs.get(key);
    const [attempt = "", place = "", kind = "", text] = [1, 3, 5, 7].map((at) => fields[at]?.toString());
    if (followed === undefined || text === undefined) return;
    const data = Buffer.from(text, "latin1");
    followed.from = id;
    if (kind === "start") return this.#start(followed, attempt, data.toString());
    if (attempt !== followed.attempt) return; // of a worker that was given up
    followed.heardAt = elapsedMs();
    const number = Number(place);
    if (number <= followed.lastNumber) return; // sent twice, when a connection was lost before the answer
    const { onOutput } = followed.asked;
    if (number > followed.lastNumber + 1) onOutput(Buffer.from("\n[… output was lost on its way …]\n"));
    followed.lastNumber = number;
    if (kind === "out") onOutput(data);
    if (kind === "end") this.#settle(followed, readEnd(data.toString()));
  }

  #start(followed: Followed, attempt: string, worker: string): void {
    if (attempt === followed.attempt) return;
    Object.assign(followed, { attempt, lastNumber: 0, heardAt: elapsedMs() });
    followed.starts += 1;
    if (followed.starts > 1)
      followed.asked.onOutput(Buffer.from(`\n[its worker was lost; started again on ${worker}]\n`));
    followed.asked.onStarted(worker, followed.starts);
    if (followed.starts > MOST_STARTS)
      void this.#giveUp(followed, `${MOST_STARTS} workers were lost with it`);
  }

  async #giveUp(followed: Followed, why: string): Promise<void> {
    this.#settle(followed, why);
    await this.#stopWaiting(followed).catch(() => 0);
  }

  async #tick(): Promise<void> {
    if (this.#isTicking || this.#jobs.size === 0) return this.#giveUpUnreachable();
    this.#isTicking = true;
    try {
      const all = [...this.#jobs.values()];
      const answers = await Promise.all(all.map((one) => this.#keepAlive(one)));
      this.#reachedAt = elapsedMs();
      for (const [at, one] of all.entries())
        await this.#lookAfter(one, answers[at] ?? { isThere: true, isOwned: true });
    } catch {
      // the connection is looked after by its next tick
    } finally {
      this.#isTicking = false;
    }
  }

  async #keepAlive({ asked, data }: Followed): Promise<Found> {
    const name = `${PREFIX}:${asked.platform}:${data.stream}`;
    const ask = this.#control.ask.bind(this.#control);
    const [isThere, isOwned] = await Promise.all([
      ask("EXISTS", name),
      ask("EXISTS", `${name}:lock`),
      this.#wait(data.stream),
      ask("EXPIRE", askedKey(data.name), 120),
    ]);
    return { isThere: isThere === 1, isOwned: isOwned === 1 };
  }

  #giveUpUnreachable(): void {
    if (this.#jobs.size === 0) this.#reachedAt = elapsedMs();
    if (elapsedMs() - this.#reachedAt < UNREACHABLE_MS) return;
    for (const followed of this.#jobs.values())
      this.#settle(followed, `the queue has not been reached for ${UNREACHABLE_MS / 1000} s`);
  }

  /** Redis may have lost the latest writes, or the only worker may have died. */
  async #lookAfter(followed: Followed, { isThere, isOwned }: Found): Promise<void> {
    const silentMs = elapsedMs() - followed.heardAt;
    const key = streamKey(followed.data.stream);
    if (silentMs < SILENCE_MS || this.#jobs.get(key) !== followed) return;
    if (isOwned || (isThere && followed.starts === 0)) return; // how long it may wait to begin is not decided here
    if (isThere) {
      const why = `its worker was lost, and no other took over within ${UNOWNED_MS / 1000} s`;
      if (silentMs > UNOWNED_MS && followed.starts > 0) await this.#giveUp(followed, why);
      return;
    }
    const news = await this.#control.ask("XRANGE", key, `(${followed.from}`, "+", "COUNT", 1);
    if (listOf(news).length > 0 || this.#jobs.get(key) !== followed) return; // it ended; the reader will say so
    if (followed.starts > 0) followed.queued += 1;
    if (followed.queued > MOST_STARTS) return this.#giveUp(followed, "the queue keeps losing it");
    await this.#ask(ASK_AGAIN, followed.asked.platform, followed.data);
    followed.heardAt = elapsedMs();
  }
}

interface Found {
  readonly isThere: boolean;
  readonly isOwned: boolean;
}

function pairsIn(value: RespValue | undefined): readonly (readonly RespValue[])[] {
  return listOf(value).map(listOf);
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve: (value) => resolve?.(value) };
}
