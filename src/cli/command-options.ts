import { InvalidArgumentError, Option } from "commander";
import { now } from "../system/clock.ts";

interface OptionFacts {
  readonly conflicts?: string | string[];
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly required?: boolean;
  /** Reads the text; gets what an earlier use of the same option gave. */
  readonly read?: (text: string, earlier: never) => unknown;
}

export function option(flags: string, summary: string, facts: OptionFacts = {}): Option {
  const made = new Option(flags, summary);
  if (facts.conflicts !== undefined) made.conflicts(facts.conflicts);
  if (facts.choices !== undefined) made.choices(facts.choices);
  if (facts.default !== undefined) made.default(facts.default);
  if (facts.read !== undefined) made.argParser(facts.read as (text: string, earlier: unknown) => unknown);
  return made.makeOptionMandatory(facts.required === true);
}

export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("A port is a number from 1 to 65535.");
}

export function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "") throw new InvalidArgumentError("Say why.");
  return reason.slice(0, 300);
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function readMoment(text: string): number {
  const ms = durationIn(text);
  const at = ms === undefined ? Date.parse(text) : now() - ms;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("Use a date (2026-11-15) or a while ago (30m, 12h, 3d, 2w).");
}

/** At most a week: what is longer belongs in the configuration. */
export function readWhile(text: string): number {
  const ms = durationIn(text.trim()) ?? 0;
  if (ms > 0 && ms <= UNITS.w) return ms;
  throw new InvalidArgumentError("A time of at most a week, as in 30m, 2h or 1d.");
}

function durationIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit as keyof typeof UNITS] ?? 0);
}

const FILE_FORMATS = ["html", "junit", "sarif", "json"] as const;

export type ReportTarget =
  { readonly format: (typeof FILE_FORMATS)[number]; readonly path: string } | { readonly format: "github" };

/** Reads `html=PATH,junit=PATH,sarif=PATH,json=PATH,github`; may be given several times. */
export function readReportTargets(
  text: string,
  earlier: readonly ReportTarget[] = [],
): readonly ReportTarget[] {
  return [...earlier, ...text.split(",").map((part) => readTarget(part.trim()))];
}

function readTarget(part: string): ReportTarget {
  if (part === "github") return { format: "github" };
  const [name = "", ...rest] = part.split("=");
  const format = FILE_FORMATS.find((one) => one === name);
  const path = rest.join("=");
  if (format !== undefined && path !== "") return { format, path };
  throw new InvalidArgumentError(
    `"${part}" is not a report. Use html=PATH, junit=PATH, sarif=PATH, json=PATH or github, separated by commas.`,
  );
}
