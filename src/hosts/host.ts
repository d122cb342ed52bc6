import type { HostName, StopEvent } from "../core/stop-event.ts";
import type { Verdict } from "../core/verdict.ts";

/** One agent program: how it asks whether it may stop, and how it wants to be answered. Pure both ways. */
export interface Host {
  readonly name: HostName;
  /** As its maker spells it. */
  readonly title: string;
  /** The event names that mean "my agent wants to stop". */
  readonly stopEvents: readonly string[];
  /** After this many blocks in a row the host stops listening; absent: no cap seen. */
  readonly blockCap?: number;
  /** The unit of `timeout` in the host's settings files. */
  readonly timeoutUnit: "s" | "ms";
  /** How long the host waits when its settings do not say. */
  readonly defaultTimeoutMs: number;
  /** False where one key the host does not know makes it drop the whole answer. */
  readonly allowsUnknownKeys: boolean;
  readonly parse: (payload: Payload, surroundings: Surroundings) => ParsedStop;
  readonly render: (verdict: Verdict) => HostAnswer;
}

/** The JSON object a host wrote to our stdin. */
export type Payload = Readonly<Record<string, unknown>>;

/** What our own process can tell beside the payload. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** A question for us, or an event that is none (a sub-agent's end, a tool call): those run no gates. */
export type ParsedStop =
  | { readonly kind: "stop"; readonly event: StopEvent }
  | { readonly kind: "other-event"; readonly name: string };

export interface HostAnswer {
  /** Exactly one line, newline included. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
