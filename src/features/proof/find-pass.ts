import { coversGates } from "../../config/settings.ts";
import type { Status } from "../../stop/status.ts";
import { shortGates, type VerdictRecord } from "../../ledger/verdict-record.ts";

export interface Claim {
  readonly tree: string;
  /** Only for files on disk: of a commit nothing is known but what git stores. */
  readonly sizes?: string | undefined;
  readonly gates: string;
}

export interface TrustingClaim extends Claim {
  readonly environments: ReadonlySet<string>;
}

export type Answer =
  | { readonly kind: "pass"; readonly record: VerdictRecord }
  | { readonly kind: "no-pass"; readonly reason: string };

/** The last verdict counts: a failure after a pass revokes it, even in a run of some gates only. */
export function findPass(newestFirst: Iterable<VerdictRecord>, claim: TrustingClaim): Answer {
  let reason = "no verdict is recorded for these files";
  for (const record of newestFirst) {
    if (record.tree !== claim.tree) continue;
    if (claim.sizes !== undefined && record.sizes !== claim.sizes) {
      reason = OTHER_BYTES;
      continue;
    }
    if (!isOfGates(record, claim)) {
      reason = "these files were judged, but by other gates";
      continue;
    }
    if (isRedStatus(record.status)) return noPass(`the last verdict on these files is ${record.status}`);
    if (!isPass(record.status)) continue;
    if (isTrusted(record, claim)) return { kind: "pass", record };
    reason = record.whole
      ? "these files passed, but in another environment"
      : "only some gates were run on these files, or the files changed meanwhile";
  }
  return noPass(reason);
}

const OTHER_BYTES =
  "these files were judged with other line endings or encodings: git keeps the same of both";

function isOfGates(record: VerdictRecord, { gates }: Claim): boolean {
  return record.gates !== undefined && coversGates(record.gates, shortGates(gates));
}

function isTrusted({ whole, byUser, environment = "" }: VerdictRecord, claim: TrustingClaim): boolean {
  return whole === true && (byUser === true || claim.environments.has(environment));
}

/** A pass that proves something to others: its gates ran, and none depends on a baseline or a rerun. */
export function findProof(newestFirst: readonly VerdictRecord[], claim: TrustingClaim): Answer {
  const last = findPass(newestFirst, claim);
  if (last.kind === "no-pass") return last;
  const passes = newestFirst.filter(
    (one) => one.tree === claim.tree && isOfGates(one, claim) && isTrusted(one, claim) && one.outcomes,
  );
  const record = passes.find((one) => whyNoProof(one) === undefined);
  if (record !== undefined) return { kind: "pass", record };
  const [weak] = passes;
  const why = weak === undefined ? undefined : whyNoProof(weak);
  return noPass(
    why === undefined
      ? "the run that passed is no longer recorded"
      : `${why}, which proves nothing to others`,
  );
}

function noPass(reason: string): Answer {
  return { kind: "no-pass", reason };
}

function isPass(status: Status): boolean {
  return status === "passed" || status === "passed_with_warnings";
}

function isRedStatus(status: Status): boolean {
  return status === "failed" || status === "retry_limit_exceeded";
}

/** What depends on a baseline, a rerun or what lay around on a worker may fail for others. */
function whyNoProof({ rests = [] }: Pick<VerdictRecord, "rests">): string | undefined {
  const weak = rests.filter((one) => one !== "reuse");
  return weak.length === 0 ? undefined : `it rests on a ${weak.join(" and a ")}`;
}
