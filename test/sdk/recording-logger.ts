import type { HookLogger } from "../../src/sdk/index.ts";

type Line = readonly [level: string, event: string, fields: object | undefined];

/** A logger that remembers what was logged. */
export function recordingLogger(): HookLogger & { readonly lines: Line[] } {
  const lines: Line[] = [];
  return {
    lines,
    debug: (event, fields) => void lines.push(["debug", event, fields]),
    info: (event, fields) => void lines.push(["info", event, fields]),
    warn: (event, fields) => void lines.push(["warn", event, fields]),
    error: (event, fields) => void lines.push(["error", event, fields]),
  };
}
