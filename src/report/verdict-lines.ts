import type { VerdictRecord } from "../ledger/verdict-record.ts";
import { displayPath } from "../path.ts";
import { isGreen, type Status, statusTitle } from "../stop/status.ts";
import { ago, counted, formatDuration } from "../words.ts";
import { nameInId } from "./plain-lines.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

/** A verdict as one line for people: when, what, for whom, on what. */
export function verdictLine(record: VerdictRecord): string {
  const { at, status, decision, door, host, session, worktree, commit, ms } = record;
  const who = [host ?? door, session?.slice(0, 8), worktree === undefined ? undefined : `in ${worktree}`];
  const parts = [
    new Date(at).toISOString(),
    `${(decision ?? "").padEnd(5)} ${status.padEnd(21)}`, // only a stop has a decision
    who.filter(Boolean).join(" "),
    commit?.slice(0, 7),
    `${gatesOf(record)}${formatDuration(ms)}`,
    restsOf(record),
  ];
  return displayPath(parts.filter(Boolean).join("  "));
}

/** The same for a person at a terminal, on one line: when, the answer, who asked, and which gates failed. */
export function verdictRow(
  record: VerdictRecord,
  { now, columns, colours }: { readonly now: number; readonly columns: number; readonly colours: Colours },
): string {
  const { at, status, decision, door, host, session, worktree, outcomes, ms } = record;
  const answer = decision === undefined ? (GAVE_UP[status] ?? statusTitle(status)) : ANSWERS[decision];
  const who = [host ?? door, session?.slice(0, 8), worktree === undefined ? undefined : `in ${worktree}`];
  const failed = (outcomes ?? []).filter(({ blocks }) => blocks).map(({ id }) => nameInId(id));
  const gates = gatesOf(record);
  const what = [
    failed.length > 0 ? `${failed.join(", ")} failed` : gates.replace(/, $/, ""),
    decision === undefined || failed.length > 0 || status === "passed" ? "" : status.replaceAll("_", " "),
    formatDuration(ms),
  ];
  const text = [
    ago(at, now).padEnd(14),
    answer.padEnd(7),
    who.filter(Boolean).join(" ").padEnd(18),
    what.filter(Boolean).join(" · "),
  ].join("  ");
  const [row = ""] = wrap(displayPath(text), columns - 2, "", 1);
  return `${rowMark(record, colours)} ${row}`;
}

function rowMark({ decision, status }: VerdictRecord, colours: Colours): string {
  if (isGreen(status)) return colours.green("✓");
  return decision === "allow" ? colours.yellow("○") : colours.red("✗");
}

type Colours = Terminal["colours"];

const ANSWERS = { allow: "Allowed", block: "Blocked" } as const;
const GAVE_UP: Partial<Record<Status, string>> = { retry_limit_exceeded: "Gave up" };

export function gateLines({ at, commit, outcomes = [] }: VerdictRecord, gate: string): readonly string[] {
  return outcomes
    .filter(({ id }) => isGate(id, gate))
    .map(({ id, kind, ms, rests }) => {
      const parts = [
        new Date(at).toISOString(),
        kind.padEnd(11),
        id,
        commit?.slice(0, 7),
        formatDuration(ms),
        rests,
      ];
      return displayPath(parts.filter(Boolean).join("  "));
    });
}

/** Whether a gate's id is the one asked for, by id or by name. */
export function isGate(id: string, asked: string): boolean {
  return id === asked || id.endsWith(`:${asked}`);
}

function gatesOf({ outcomes }: VerdictRecord): string {
  if (outcomes === undefined) return "";
  const red = outcomes.filter(({ blocks }) => blocks).length;
  const gates = outcomes.filter(({ id, blocks, warns }) => !id.startsWith("guard:") || blocks || warns);
  return `${counted(gates.length, "gate")}${red === 0 ? "" : `, ${red} red`}, `; // not guards that found nothing
}

function restsOf({ rests }: VerdictRecord): string | undefined {
  return rests === undefined ? undefined : `(rests on ${rests.join(", ")})`;
}
