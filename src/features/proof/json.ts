import type { VerdictRecord } from "../../ledger/verdict-record.ts";
import { line } from "../../report/json/json.ts";
import { verdictJson } from "../../report/json/verdict-json.ts";
import { type CiPlan, matrixOf } from "./ci-workflow.ts";

export interface VerifiedSubject {
  readonly name: string;
  readonly commit?: string | undefined;
  readonly verified: boolean;
  readonly reason: string;
  readonly record?: VerdictRecord | undefined;
}

export function verifyJson(subjects: readonly VerifiedSubject[]): string {
  return line("verify", {
    verified: subjects.every(({ verified }) => verified),
    subjects: subjects.map(({ name, commit, verified, reason, record }) => ({
      name,
      commit: commit ?? null,
      verified,
      reason,
      verdict: record === undefined ? null : verdictJson(record),
    })),
  });
}

export function attestJson(attested: { commit: string; tree: string; signer: string; ref: string }): string {
  const { commit, tree, signer, ref } = attested;
  return line("attest", { commit, tree, signer, ref });
}

export function ciPlanJson({ gates, notes: _notes, ...plan }: CiPlan): string {
  return line("ci", {
    ...plan,
    gates: gates.map(({ id, reason }) => ({ id, reason })),
    matrix: { include: matrixOf(gates) },
  });
}
