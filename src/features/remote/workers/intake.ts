import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { asksKey, type GateJob, readJob } from "./queue.ts";

const AT_ONCE = 100;
const RETRY_MS = 200;
/** A failed attempt goes to another worker. */
const JOB_OPTIONS = { attempts: 3, backoff: 100, removeOnComplete: true, removeOnFail: true };

interface IntakeOptions {
  readonly queue: Queue<GateJob>;
  readonly connection: Redis;
  readonly platform: string;
  readonly log: (line: string) => void;
}

/**
 * Moves requests into the queue, for whichever worker is free. Runs do not load the queue library: it takes longer than
 * everything else. Runs ask again for what a dying worker loses here.
 */
export class Intake {
  readonly #options: IntakeOptions;
  #isOver = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    options.queue.on("error", () => {}); // it connects again by itself
    void this.#takeAll();
  }

  /** Removes a job that no run waits for, unless a worker has it. */
  async drop(stream: string): Promise<void> {
    await this.#options.queue.remove(stream).catch(() => 0);
  }

  stop(): void {
    this.#isOver = true;
    this.#options.connection.disconnect();
  }

  async #takeAll(): Promise<void> {
    const { connection, platform, log } = this.#options;
    const key = asksKey(platform);
    while (!this.#isOver) {
      try {
        const [, first = ""] = (await connection.brpop(key, 0)) ?? [];
        const more = await connection.rpop(key, AT_ONCE);
        await this.#add([first, ...(more ?? [])]);
      } catch (error) {
        if (this.#isOver) return;
        log(`taking gates into the queue: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #add(asked: readonly string[]): Promise<void> {
    const { queue, log } = this.#options;
    const jobs = asked.map(parsed).filter((job) => job !== undefined);
    if (jobs.length < asked.length) log("dropped what is not a job of ours");
    await queue.addBulk(
      jobs.map((data) => ({ name: data.id, data, opts: { ...JOB_OPTIONS, jobId: data.stream } })),
    );
  }
}

function parsed(text: string): GateJob | undefined {
  try {
    return readJob(JSON.parse(text));
  } catch {
    return undefined;
  }
}
