import type { FlakyTest, VerdictRecord } from "../../ledger/verdict-record.ts";
import { line, flakyJson } from "./json.ts";
import { verdictJson } from "./verdict-json.ts";

/** A ledger's health, as `log --check` tells it. */
export interface CheckedLedger {
  readonly lines: number;
  readonly broken?: { readonly line: number; readonly why: string } | undefined;
}

interface MoreOfLedger {
  readonly check?: CheckedLedger;
  readonly flaky?: readonly FlakyTest[];
}

export function logJson(records: readonly VerdictRecord[], { check, flaky }: MoreOfLedger = {}): string {
  return line("log", {
    check: check === undefined ? null : { lines: check.lines, broken: check.broken ?? null },
    flaky: flaky?.map(flakyJson) ?? null,
    verdicts: records.map(verdictJson),
  });
}
