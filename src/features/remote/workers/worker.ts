import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { hostname } from "node:os";
import packageJson from "../../../../package.json" with { type: "json" };
import { ok, type Result } from "../../../trouble.ts";
import { now } from "../../../system/clock.ts";
import { uniqueName } from "../../../system/files/files.ts";
import type { Environment } from "../../../system/process/environment.ts";
import { GateGroups } from "../../../system/process/leftovers.ts";
import { type Checkout, Checkouts } from "./checkouts.ts";
import { Intake } from "./intake.ts";
import { countWaiters, forgetAsked, JobStream } from "./job-stream.ts";
import {
  CANCEL,
  Connections,
  describeEnd,
  type GateJob,
  inOnePiece,
  type Libraries,
  loadLibraries,
  PREFIX,
  readJob,
  withWorker,
  workerKey,
  WORKERS,
} from "./queue.ts";
import { runJob } from "./run-job.ts";
import { sharePass } from "./share-pass.ts";
import { endWhatIsLeft, takeHome, type WorkerHome } from "./worker-home.ts";

export interface WorkerOptions {
  readonly url: string;
  readonly tree: string;
  readonly concurrency: number;
  readonly platform: string;
  readonly directory: string;
  readonly maxBytes: number;
  readonly isFresh: boolean;
  readonly cache: string | undefined;
  readonly env: Environment;
  readonly log: (line: string) => void;
}

export interface RunningWorker {
  readonly id: string;
  readonly drain: () => Promise<void>;
  readonly stop: () => void;
}

export async function startWorker(options: WorkerOptions): Promise<Result<RunningWorker>> {
  const libraries = loadLibraries();
  if (!libraries.ok) return libraries;
  const home = await takeHome(options.directory);
  if (!home.ok) return home;
  return ok(await new GateWorker(options, libraries.value, home.value).start());
}

/** A lock is lost if it is not renewed for this long; both together are well below 15 seconds. */
const LOCK_MS = 6_000;
const STALLED_MS = 3_000;
const BEAT_MS = 3_000;
const WORKER_SECONDS = 10; // three beats missed
const UNWANTED_BEATS = 3; // a restart of Redis may lose for a moment who waits
const SIT_OUT_MS = 10_000;
const FAREWELL_MS = 3_000; // for Redis to answer, when the worker wants to go
const SHRINK_EVERY_BEATS = 20;

type Reason = "unwanted" | "stopped";

interface RunningJob {
  readonly abort: AbortController;
  readonly stream: JobStream;
  unwantedBeats: number;
}

class GateWorker {
  readonly #options: WorkerOptions;
  readonly #libraries: Libraries;
  readonly #home: WorkerHome;
  readonly #checkouts: Checkouts;
  readonly #groups: GateGroups;
  readonly #connections: Connections;
  readonly #redis: Redis;
  readonly #id = `${hostname()}-${process.pid}`;
  readonly #since = now();
  readonly #running = new Map<string, RunningJob>();
  readonly #works = new Set<Promise<void>>();
  #unsettled = 0;
  #done = 0;
  #beats = 0;
  #isDraining = false;

  constructor(options: WorkerOptions, libraries: Libraries, home: WorkerHome) {
    this.#options = options;
    this.#libraries = libraries;
    this.#home = home;
    this.#checkouts = new Checkouts({
      directory: home.path,
      source: options.tree,
      isFresh: options.isFresh,
    });
    this.#groups = new GateGroups(home.state);
    this.#connections = new Connections(libraries, options);
    this.#redis = this.#connections.open();
  }

  async start(): Promise<RunningWorker> {
    const { platform, log } = this.#options;
    const { Queue } = this.#libraries.bullmq;
    const queue = new Queue<GateJob>(platform, { prefix: PREFIX, connection: this.#connections.open() });
    const intake = new Intake({ queue, connection: this.#connections.open(), platform, log });
    const cancels = this.#connections.open();
    cancels.on("message", (_channel: string, stream: string) => {
      void (this.#running.has(stream) ? this.#lookWhoWaits(stream, 0) : intake.drop(stream));
    });
    void cancels.subscribe(CANCEL).catch(() => 0); // subscribed again with every connection
    const worker = this.#openWorker();
    await worker.waitUntilReady();
    await this.#beat();
    const beats = setInterval(() => void this.#beat(), BEAT_MS);
    return {
      id: this.#id,
      drain: () => {
        intake.stop();
        return this.#drain(worker, beats);
      },
      stop: () => this.#running.forEach(({ abort }) => abort.abort("stopped" satisfies Reason)),
    };
  }

  #openWorker(): Worker<GateJob> {
    const { platform, concurrency, log } = this.#options;
    const worker: Worker<GateJob> = new this.#libraries.bullmq.Worker<GateJob>(
      platform,
      (job) => this.#take(worker, job),
      {
        prefix: PREFIX,
        connection: this.#connections.open(),
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_MS,
        maxStalledCount: 10,
        drainDelay: 2,
        runRetryDelay: 500, // the default of 15 seconds is how long it would sleep after a restart of Redis
      },
    );
    let last = "";
    for (const event of ["completed", "failed"] as const) worker.on(event, () => (this.#unsettled -= 1));
    worker.on("error", ({ message }) => {
      if (message !== last && this.#redis.status === "ready") log(`queue: ${message}`);
      last = message;
    });
    return worker;
  }

  /** Reports this worker, kills what dead workers left here, and keeps the checkouts small. */
  async #beat(): Promise<void> {
    const { platform, concurrency, directory, maxBytes, log } = this.#options;
    const facts = { since: this.#since, host: hostname(), pid: process.pid, platform, concurrency };
    const counts = { running: this.#running.size, done: this.#done, version: packageJson.version };
    const told = this.#redis
      .multi()
      .sadd(WORKERS, this.#id)
      .set(workerKey(this.#id), JSON.stringify({ ...facts, ...counts }), "EX", WORKER_SECONDS)
      .exec()
      .catch(() => null);
    for (const [stream, job] of this.#running) {
      job.stream.beat();
      void this.#lookWhoWaits(stream, UNWANTED_BEATS);
    }
    try {
      await endWhatIsLeft(directory);
      if (this.#beats++ % SHRINK_EVERY_BEATS === 0) await this.#checkouts.shrinkTo(maxBytes);
    } catch (error) {
      log(`tidying up: ${String(error)}`);
    }
    await Promise.race([told, pause(FAREWELL_MS)]);
  }

  async #lookWhoWaits(stream: string, beats: number): Promise<void> {
    const job = this.#running.get(stream);
    const waiters = job && (await this.#countWaiters(stream));
    if (job === undefined || waiters === undefined) return;
    job.unwantedBeats = waiters > 0 ? 0 : job.unwantedBeats + 1;
    if (job.unwantedBeats > beats) job.abort.abort("unwanted" satisfies Reason);
  }

  async #countWaiters(stream: string): Promise<number | undefined> {
    const asked = countWaiters(this.#redis, stream);
    return Promise.race([asked.catch(() => undefined), pause(BEAT_MS)]);
  }

  async #take(worker: Worker<GateJob>, job: Job<GateJob>): Promise<void> {
    this.#unsettled += 1;
    const work = this.#work(worker, job);
    const settled = work.catch(() => undefined);
    this.#works.add(settled);
    return work.finally(() => this.#works.delete(settled));
  }

  /** Runs one job. If this machine has a problem, another worker tries; the last attempt tells the waiting runs. */
  async #work(worker: Worker<GateJob>, job: Job<GateJob>): Promise<void> {
    const data = readJob(job.data);
    if (data === undefined) return this.#options.log(`${job.id}: not a job of ours`);
    const stream = new JobStream(this.#redis, data.stream, uniqueName());
    const abort = new AbortController();
    this.#running.set(data.stream, { abort, stream, unwantedBeats: 0 });
    try {
      const end = await runJob(data, {
        checkouts: this.#checkouts,
        directory: this.#home.path,
        runId: this.#home.lock.runId,
        env: this.#options.env,
        onOutput: (chunk) => stream.push(chunk),
        onGroup: (pid, since) => this.#groups.record(pid, since),
        isWanted: () =>
          inOnePiece(this.#redis, () => {
            void stream.start(this.#id);
            return this.#isWanted(data, abort);
          }),
        share: this.#options.cache === undefined ? undefined : this.#share,
        signal: abort.signal,
      });
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      if (abort.signal.reason === "stopped") throw new Error("the worker was stopped");
      if (end.kind === "trouble") void this.#sitOut(worker, `${data.id}: ${end.detail}`);
      if (end.kind === "trouble" && !isLast) throw new Error(end.detail);
      await inOnePiece(this.#redis, () => {
        forgetAsked(this.#redis, data).catch(() => {}); // who asks from now on wants it to run again
        return abort.signal.aborted ? undefined : stream.end(withWorker(end, this.#id));
      });
      this.#done += 1;
      this.#options.log(`${data.id} ${describeEnd(end)}`);
    } finally {
      this.#running.delete(data.stream);
    }
  }

  /** Checks twice: a restart of Redis may forget for a moment who waits. */
  async #isWanted({ stream, id }: GateJob, abort: AbortController): Promise<boolean> {
    if ((await this.#countWaiters(stream)) !== 0) return true;
    await pause(BEAT_MS);
    if ((await this.#countWaiters(stream)) !== 0) return true;
    this.#options.log(`${id} is not wanted`);
    abort.abort("unwanted" satisfies Reason);
    return false;
  }

  readonly #share = async (job: GateJob, checkout: Checkout): Promise<void> => {
    const { cache: url = "", platform, env, log } = this.#options;
    const problem = await sharePass(job, checkout, { url, platform, env });
    if (problem !== undefined) log(`${job.id}: ${problem}`);
  };

  /** A full machine would take, and fail, every job before the others can. */
  async #sitOut(worker: Worker<GateJob>, why: string): Promise<void> {
    this.#options.log(`takes nothing for ${SIT_OUT_MS / 1000} s: ${why}`);
    await worker.pause(true);
    await this.#checkouts.shrinkTo(this.#options.maxBytes);
    setTimeout(() => this.#isDraining || worker.resume(), SIT_OUT_MS).unref();
  }

  async #drain(worker: Worker<GateJob>, beats: NodeJS.Timeout): Promise<void> {
    this.#isDraining = true;
    await worker.pause(true);
    const isGone = setInterval(() => {
      if (this.#redis.status === "ready") return;
      for (const { stream } of this.#running.values()) stream.giveUp(); // nobody is there to be told
    }, FAREWELL_MS);
    await Promise.all(this.#works);
    clearInterval(isGone);
    clearInterval(beats);
    const leaving = this.#redis.multi().srem(WORKERS, this.#id).del(workerKey(this.#id)).exec();
    await Promise.race([Promise.allSettled([leaving, this.#whenSettled()]), pause(FAREWELL_MS)]);
    await Promise.race([worker.close(true), pause(FAREWELL_MS)]); // the polite way waits for Redis, and its timers with it
    this.#connections[Symbol.dispose]();
    this.#groups[Symbol.dispose]();
    this.#home.lock[Symbol.dispose]();
  }

  async #whenSettled(): Promise<void> {
    const until = now() + FAREWELL_MS;
    while (this.#unsettled > 0 && now() < until) await pause(10);
  }
}

async function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
