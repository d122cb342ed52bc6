import type { ServerResponse } from "node:http";
import type { DashboardSource } from "../../engine/pages/dashboard-source.ts";

const LOOK_AGAIN_MS = 1_000;
/** A browser that takes nothing any more, such as one that was put to sleep, connects again later. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** Sends browsers what happens, as server-sent events. Looks only while somebody is connected. */
export class LiveEvents implements Disposable {
  readonly #source: DashboardSource;
  readonly #open = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: DashboardSource) {
    this.#source = source;
  }

  /** Everything first, then what happens. */
  async add(response: ServerResponse): Promise<void> {
    response.setHeader("Content-Type", "text/event-stream");
    response.flushHeaders();
    response.on("close", () => this.#open.delete(response));
    await this.#look(); // or those who are connected would miss what the newcomer is shown
    write(response, "state", await this.#source.state());
    if (response.destroyed) return; // it left while we looked
    this.#open.add(response);
    this.#timer ??= setTimeout(() => void this.#tick(), LOOK_AGAIN_MS);
  }

  async #tick(): Promise<void> {
    await this.#look();
    this.#timer = this.#open.size === 0 ? undefined : setTimeout(() => void this.#tick(), LOOK_AGAIN_MS);
  }

  async #look(): Promise<void> {
    if (this.#open.size === 0) return;
    const changes = await this.#source.changes();
    if (changes === undefined) return;
    for (const response of this.#open) {
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      else write(response, "projects" in changes ? "state" : "change", changes);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const response of this.#open) response.end();
    this.#open.clear();
  }
}

function write(response: ServerResponse, event: "state" | "change", data: object): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
