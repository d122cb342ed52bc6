import { line } from "../../report/json/json.ts";
import type { FoundHook } from "./found-hook.ts";
import { type AuditedHook } from "./audit-hooks.ts";
import { holds } from "./verdicts.ts";

export function auditJson(audited: readonly AuditedHook[], network: boolean): string {
  return line("audit", {
    holds: audited.every(({ verdicts }) => holds(verdicts)),
    network,
    hooks: audited.map(({ hook, verdicts, trials }) => ({
      ...named(hook),
      holds: holds(verdicts),
      verdicts: verdicts.map(({ name, detail = null, line: place }) => ({
        name,
        detail,
        file: place?.file ?? null,
        line: place?.line ?? null,
        text: place?.text ?? null,
      })),
      scenarios: trials.map(({ scenario, stops }) => ({
        name: scenario,
        stops: stops.length,
        blocked: stops.filter(({ blocks }) => blocks).length,
      })),
    })),
  });
}

function named({ file, host, events, command, scripts }: FoundHook): object {
  return { file, host, events, command, scripts: scripts.map(({ path }) => path) };
}
