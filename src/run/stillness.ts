import { doubtAbout, type Span, type Touched, type Write } from "./movement.ts";
import type { RunEvent } from "./request.ts";
import { elapsedMs, now } from "../system/clock.ts";
import type { Snapshot } from "../system/git/snapshot.ts";

/** Whether the work tree stood still while the gates looked at it. */
export interface Stillness {
  /** Every file is as it was before the gates, and was all the time, as far as we know: a pass may be used again. */
  readonly isStill: boolean;
  /** Why it is doubtful that the gates judged what is there. */
  readonly doubt?: string;
}

/** What one look found, with the gates that may have written it. */
type Found = Touched & { readonly by: readonly string[] };

/** Beside running gates, looks take no more than this part of the time, and a little more before another gate starts. */
const MOST_OF_THE_TIME = 1 / 20;
const MOST_BEFORE_STARTS_MS = 100;

/**
 * Watches the work tree while gates run in it. A file tells only when it changed last, so it is looked at before a gate starts after
 * another has ended, and when one ends beside others: what two of them wrote must not look like the work of one.
 */
export class GateWatch implements AsyncDisposable {
  #snapshot: Snapshot;
  readonly #spans = new Map<string, Span>();
  readonly #running = new Set<string>();
  /** The gates that may have written since the last look. */
  readonly #since = new Set<string>();
  #found: Found[] = [];
  #hasEnded = false;
  #looking: Promise<void> = Promise.resolve();
  #isLooking = false;
  #began: number | undefined;
  #lookedForMs = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  note(event: RunEvent): void {
    if (event.kind === "gate-started") {
      const { id } = event.planned;
      this.#began ??= elapsedMs();
      this.#spans.set(id, { start: now(), end: Infinity });
      this.#running.add(id);
      this.#since.add(id);
    }
    if (event.kind === "gate-finished") this.#end(event.outcome.id);
  }

  #end(id: string): void {
    const span = this.#spans.get(id);
    if (span === undefined) return; // it did not have to run
    this.#spans.set(id, { ...span, end: now() });
    this.#running.delete(id);
    this.#hasEnded = true;
    if (this.#running.size > 0 && !this.#isLooking && this.#mayLook(0)) void this.#look();
  }

  /** Resolves when what the gates before have written is known. */
  async beforeStart(): Promise<void> {
    await this.#looking;
    if (this.#hasEnded && (this.#running.size === 0 || this.#mayLook(MOST_BEFORE_STARTS_MS)))
      await this.#look();
  }

  /** In a repository of a hundred thousand files looks take longer than some gates. */
  #mayLook(moreMs: number): boolean {
    const elapsed = elapsedMs() - (this.#began ?? elapsedMs());
    return this.#lookedForMs <= elapsed * MOST_OF_THE_TIME + moreMs;
  }

  #look(): Promise<void> {
    this.#isLooking = true;
    this.#hasEnded = false;
    this.#looking = this.#looking.then(() => this.#lookOnce());
    this.#looking.catch(() => {}); // whoever waits for it is told
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const began = elapsedMs();
    const ended = [...this.#since].filter((id) => !this.#running.has(id));
    const touched = await this.#snapshot.look({ isQuiet: this.#running.size === 0 });
    this.#found.push(...touched.map((one) => ({ ...one, by: [...this.#since] })));
    for (const id of ended) this.#since.delete(id);
    this.#lookedForMs += elapsedMs() - began;
    this.#isLooking = false;
  }

  /** What ran before another snapshot was taken says nothing about it. */
  restart(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#found = [];
    this.#hasEnded = false;
    this.#spans.clear();
    this.#since.clear();
  }

  async stillness(): Promise<Stillness> {
    await this.#looking;
    const { isCurrent, touched } = await this.#snapshot.movement();
    const last = touched.map((one): Found => ({ ...one, by: [...this.#since] }));
    const writes = [...this.#found, ...last].map(({ by, ...one }): Write => ({
      ...one,
      gates: by.flatMap((id) => this.#spans.get(id) ?? []),
    }));
    const doubt = doubtAbout(writes, [...this.#spans.values()]);
    return doubt === undefined ? { isStill: isCurrent } : { isStill: false, doubt };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking;
  }
}
