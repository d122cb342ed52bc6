import { type CiPlan, matrixOf } from "../core/ci-plan.ts";
import { line } from "./json.ts";

/** A signing key, without its secret half. */
export interface ShownKey {
  readonly id: string;
  readonly source: string;
  readonly publicKey: string;
  /** The file by which the project here trusts it. */
  readonly trustedBy: string | undefined;
}

export function keysJson({ id, source, publicKey, trustedBy }: ShownKey): string {
  return line("keys", { id, source, publicKey, trustedBy: trustedBy ?? null });
}

export function ciPlanJson({ gates, notes: _notes, ...plan }: CiPlan): string {
  return line("ci", {
    ...plan,
    gates: gates.map(({ id, reason }) => ({ id, reason })),
    matrix: { include: matrixOf(gates) },
  });
}
