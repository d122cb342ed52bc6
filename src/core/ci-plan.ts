import type { PlannedGate } from "./plan/plan.ts";

/** What a build of a project has to do. */
export interface CiPlan {
  readonly commit: string | null;
  /** The files that are checked out. */
  readonly tree: string | null;
  /** What changes were compared with, in words, and the commit. */
  readonly comparedTo: string;
  readonly baseCommit: string | null;
  /** What `run --base` needs to see the same changes; null where it does by itself. */
  readonly base: string | null;
  readonly gates: readonly PlannedGate[];
  readonly proven: readonly ProvenGate[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  readonly notes: readonly string[];
}

/** A gate that need not run: a signer the base branch trusts says that it passed for exactly these files. */
export interface ProvenGate {
  readonly id: string;
  readonly proof: string;
}

/** One job of a build. */
export interface MatrixEntry {
  readonly name: string;
  /** Ids, one in each line. */
  readonly gates: string;
}

/** GitHub Actions takes no larger matrix. */
const MAX_JOBS = 256;

/** A job for each gate; those that depend on the order share one, and above the limit jobs share gates evenly. */
export function matrixOf(gates: readonly PlannedGate[]): readonly MatrixEntry[] {
  const needed = new Set(gates.flatMap(({ gate }) => gate.needs ?? []));
  const isApart = ({ gate }: PlannedGate): boolean =>
    gate.parallel && gate.needs === undefined && !needed.has(gate.name);
  const inTurn = gates.filter((planned) => !isApart(planned));
  const apart = gates.filter(isApart);
  const rooms = MAX_JOBS - (inTurn.length > 0 ? 1 : 0);
  const groups = [...(inTurn.length > 0 ? [inTurn] : []), ...evenly(apart, rooms)];
  return groups.map((group) => ({ name: nameOf(group), gates: group.map(({ id }) => id).join("\n") }));
}

function evenly<T>(items: readonly T[], rooms: number): readonly (readonly T[])[] {
  const count = Math.min(items.length, rooms);
  return Array.from({ length: count }, (_, room) => items.filter((_item, at) => at % count === room));
}

function nameOf(group: readonly PlannedGate[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const name = first.scope === "." ? first.gate.name : `${first.gate.name} (${first.scope})`;
  return group.length === 1 ? name : `${name} and ${group.length - 1} more`;
}
