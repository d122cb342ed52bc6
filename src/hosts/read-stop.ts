import type { StopEvent } from "../core/stop-event.ts";
import type { Host, Surroundings } from "./host.ts";
import { parseObject } from "./payload.ts";
import { recogniseHost } from "./recognise.ts";

/** A question from a host, or why the text is none. */
export type ReadStop =
  | { readonly kind: "stop" | "ended"; readonly host: Host; readonly event: StopEvent }
  | { readonly kind: "no-stop"; readonly host?: Host; readonly detail?: string };

/** Turns what a host wrote to our stdin into its question. Any text has an answer. */
export function readStop(text: string, surroundings: Surroundings, named?: Host): ReadStop {
  const payload = parseObject(text);
  if (payload === undefined) return { kind: "no-stop" };
  const host = named ?? recogniseHost(payload, surroundings);
  const parsed = host.parse(payload, surroundings);
  if (parsed.kind === "other-event") return { kind: "no-stop", host, detail: `${parsed.name} is not a stop` };
  return { kind: parsed.kind, host, event: parsed.event };
}
