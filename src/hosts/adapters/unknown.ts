import { plainAnswer, takeDecision, otherEvent, snakeCaseSample, snakeCaseStop } from "../protocol.ts";
import type { Host } from "../host.ts";

const stopEvents = ["Stop", "stop", "AfterAgent", "agentStop"];

/** A host we do not know: it gets the one answer that every host we measured understands, and nothing more. */
export const unknownHost: Host = {
  name: "unknown",
  title: "an unknown host",
  stopEvents,
  blockCap: 5,
  timeoutUnit: "s",
  defaultTimeoutMs: 60_000,
  allowsUnknownKeys: false,
  parse: (payload, surroundings) =>
    otherEvent(payload, stopEvents) ?? {
      kind: "stop",
      event: snakeCaseStop("unknown", payload, surroundings),
    },
  render: plainAnswer,
  sample: (stop) => snakeCaseSample("Stop", stop),
  take: (answer) => takeDecision(answer, { exitCode2Blocks: false, onlyKeys: ["decision", "reason"] }),
};
