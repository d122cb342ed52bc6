import type { Job, Queue } from "bullmq";
import type { Redis } from "ioredis";
import { elapsedMs } from "../../machine/clock.ts";
import { uniqueName } from "../../machine/files/files.ts";
import { CANCEL, type GateJob, type JobEnd, PREFIX, readEnd, streamKey, waitersKey } from "./queue.ts";

/** A job as a run asks for it. */
export interface AskedJob {
  readonly queue: Queue<GateJob>;
  readonly jobId: string;
  readonly data: GateJob;
  readonly onOutput: (chunk: Buffer) => void;
  /** Called when a worker has begun, each time. */
  readonly onStarted: (worker: string, times: number) => void;
}

/** A job that a run follows from its stream. */
export interface FollowedJob {
  /** How it ended; a text says why no worker brings it to an end. */
  readonly ended: Promise<JobEnd | string>;
  readonly hasStarted: () => boolean;
  /** Takes back a job that no worker has begun; false when one just did. */
  readonly takeBack: () => Promise<boolean>;
  /** Stops waiting for it; a job that no run waits for is ended by its worker. */
  readonly leave: () => Promise<void>;
}

interface Followed {
  readonly asked: AskedJob;
  job: Job<GateJob>;
  /** The last entry that was read. */
  from: string;
  /** The attempt whose words count: the latest. */
  attempt: string | undefined;
  lastNumber: number;
  starts: number;
  queued: number;
  heardAt: number;
  readonly settle: (end: JobEnd | string) => void;
}

const TICK_MS = 2000;
/** A worker says every three seconds that it is at work. */
const SILENCE_MS = 4000;
/** More than the takeover of a lost worker's job needs. */
const UNOWNED_MS = 20_000;
const UNREACHABLE_MS = 30_000;
/** Runs renew this with every tick. */
const WAITER_SECONDS = 15;
const MOST_STARTS = 6;

/** `TIME` of the server: the clocks of the machines may differ. */
const WAIT = `local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] + ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], 120)`;
const LEAVE = `redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', redis.call('TIME')[1])
local left = redis.call('ZCARD', KEYS[1])
if left == 0 then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
return left`;

/** Follows all jobs of a run over two connections: one waits for their streams, the other asks and tells. */
export class FollowedJobs implements Disposable {
  readonly #control: Redis;
  readonly #reader: Redis;
  readonly #me = uniqueName();
  readonly #jobs = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #readerId: number | undefined;
  #reachedAt = elapsedMs();
  #isTicking = false;

  constructor(control: Redis) {
    this.#control = control;
    this.#reader = control.duplicate().on("error", () => {}); // it connects again by itself
    this.#reader.on("close", () => (this.#readerId = undefined));
    this.#timer = setInterval(() => void this.#tick(), TICK_MS);
  }

  /** Queues a job, or joins the one that another run has queued for the same files and the same check. */
  async follow(asked: AskedJob): Promise<FollowedJob> {
    void this.#wait(asked.data.stream); // before the job, so that no worker finds it unwanted
    const job = await this.#queueOrJoin(asked);
    const { promise: ended, resolve: settle } = deferred<JobEnd | string>();
    const facts = { attempt: undefined, lastNumber: 0, starts: 0, queued: 1, heardAt: elapsedMs() };
    const followed: Followed = { asked, job, from: "0", settle, ...facts };
    this.#jobs.set(streamKey(job.data.stream), followed);
    await this.#wait(job.data.stream);
    await this.#wakeReader();
    return {
      ended,
      hasStarted: () => followed.starts > 0,
      takeBack: () => this.#takeBack(followed),
      leave: async () => {
        if ((await this.#stopWaiting(followed)) === 0) await removed(followed.job);
      },
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const followed of this.#jobs.values()) this.#settle(followed, "the run is over");
    this.#reader.disconnect();
  }

  /** A job of the same name that is not over is joined; one that ended in this very moment is queued anew, unless it was ours. */
  async #queueOrJoin({ queue, jobId, data }: AskedJob): Promise<Job<GateJob>> {
    for (;;) {
      const added = await queue.add(data.id, data, { jobId });
      const job = await queue.getJob(jobId);
      if (job !== undefined) return job;
      if ((await this.#control.exists(streamKey(data.stream))) === 1) return added;
    }
  }

  #settle(followed: Followed, end: JobEnd | string): void {
    this.#jobs.delete(streamKey(followed.job.data.stream));
    followed.settle(end);
  }

  #wait(stream: string): Promise<unknown> {
    return this.#control.eval(WAIT, 1, waitersKey(stream), this.#me, WAITER_SECONDS);
  }

  /** How many others still wait for it. */
  async #stopWaiting({ job: { data } }: Followed): Promise<number> {
    const keys = [waitersKey(data.stream), this.#me, CANCEL, data.stream];
    this.#jobs.delete(streamKey(data.stream));
    return Number(await this.#control.eval(LEAVE, 1, ...keys));
  }

  async #takeBack(followed: Followed): Promise<boolean> {
    if (followed.starts > 0) return false;
    const key = streamKey(followed.job.data.stream);
    if ((await this.#stopWaiting(followed)) > 0 || (await removed(followed.job))) return true;
    this.#jobs.set(key, followed);
    await this.#wait(followed.job.data.stream);
    await this.#wakeReader();
    return false;
  }

  /** A reader that is blocked does not know of the new stream. */
  async #wakeReader(): Promise<void> {
    if (!this.#isReading) void this.#read();
    if (this.#readerId !== undefined) await this.#control.client("UNBLOCK", this.#readerId);
  }

  /** Reads until no job is left; after a restart of Redis it goes on where it was. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#jobs.size > 0 && this.#reader.status !== "end") {
      const all = [...this.#jobs];
      const where = [...all.map(([key]) => key), ...all.map(([, { from }]) => from)];
      try {
        this.#readerId ??= await this.#reader.client("ID");
        const read = await this.#reader.xreadBuffer("COUNT", 100, "BLOCK", TICK_MS, "STREAMS", ...where);
        for (const [key, entries] of read ?? [])
          entries.forEach((entry) => this.#take(key.toString(), ...entry));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    this.#isReading = false;
  }

  #take(key: string, id: Buffer, fields: readonly Buffer[]): void {
    const followed = this.#jobs.get(key);
    const [attempt = "", place = "", kind = ""] = [1, 3, 5].map((at) => fields[at]?.toString());
    const data = fields[7];
    if (followed === undefined || data === undefined) return;
    followed.from = id.toString();
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
    if ((await this.#stopWaiting(followed).catch(() => 1)) === 0) await removed(followed.job);
  }

  /** Says that the run still waits, and looks after the jobs that have not been heard of. */
  async #tick(): Promise<void> {
    if (this.#isTicking || this.#jobs.size === 0) return this.#giveUpUnreachable();
    this.#isTicking = true;
    try {
      const all = [...this.#jobs.values()];
      const asking = this.#control.pipeline();
      for (const { job, asked } of all) {
        const name = `${PREFIX}:${asked.queue.name}:${asked.jobId}`;
        asking.eval(WAIT, 1, waitersKey(job.data.stream), this.#me, WAITER_SECONDS);
        asking.exists(name);
        asking.exists(`${name}:lock`);
      }
      const answers = (await asking.exec()) ?? [];
      this.#reachedAt = elapsedMs();
      for (const [at, one] of all.entries()) {
        const [isThere, isOwned] = [answers[at * 3 + 1]?.[1] === 1, answers[at * 3 + 2]?.[1] === 1];
        await this.#lookAfter(one, { isThere, isOwned });
      }
    } catch {
      // the connection is looked after by its next tick
    } finally {
      this.#isTicking = false;
    }
  }

  #giveUpUnreachable(): void {
    if (this.#jobs.size === 0) this.#reachedAt = elapsedMs();
    if (elapsedMs() - this.#reachedAt < UNREACHABLE_MS) return;
    for (const followed of this.#jobs.values())
      this.#settle(followed, `the queue has not been reached for ${UNREACHABLE_MS / 1000} s`);
  }

  /** Redis may have lost what it was told last, and a worker may have died where no other is left to take over. */
  async #lookAfter(
    followed: Followed,
    { isThere, isOwned }: { readonly isThere: boolean; readonly isOwned: boolean },
  ): Promise<void> {
    const silentMs = elapsedMs() - followed.heardAt;
    const key = streamKey(followed.job.data.stream);
    if (silentMs < SILENCE_MS || this.#jobs.get(key) !== followed) return;
    if (isOwned || (isThere && followed.starts === 0)) return; // how long it may wait to begin is not decided here
    if (isThere) {
      const why = `its worker was lost, and no other took over within ${UNOWNED_MS / 1000} s`;
      if (silentMs > UNOWNED_MS && followed.starts > 0) await this.#giveUp(followed, why);
      return;
    }
    const news = await this.#control.xrange(key, `(${followed.from}`, "+", "COUNT", 1);
    if (news.length > 0 || this.#jobs.get(key) !== followed) return; // it ended; the reader will say so
    followed.queued += 1;
    if (followed.queued > MOST_STARTS) return this.#giveUp(followed, "the queue keeps losing it");
    this.#jobs.delete(key);
    followed.job = await this.#queueOrJoin({ ...followed.asked, data: followed.job.data });
    const joined = streamKey(followed.job.data.stream);
    if (joined !== key) followed.from = "0"; // another run was first
    this.#jobs.set(joined, followed);
    followed.heardAt = elapsedMs();
    await this.#wait(followed.job.data.stream);
    await this.#wakeReader();
  }
}

/** Whether a job that no worker has is out of the queue. */
async function removed(job: Job<GateJob>): Promise<boolean> {
  return job.remove().then(
    () => true,
    () => false, // a worker has just taken it
  );
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve: (value) => resolve?.(value) };
}
