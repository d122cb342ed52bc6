import { sha256 } from "#hash";
import { executedPart, type GatesDefinition, judgingPart } from "../../core/trust/gates-definition.ts";
import type { Settings } from "../../core/settings.ts";

/** One value for everything that determines which gates run and what they do. Scripts are files of the tree that is judged. */
export function gateHash({
  baseBranch,
  entryPoints,
  rerunNewIssueThreshold,
  guards,
}: Pick<Settings, "baseBranch" | "entryPoints" | "rerunNewIssueThreshold" | "guards">): string {
  return hashOf({ baseBranch, entryPoints, rerunNewIssueThreshold, guards });
}

/** The same for all that judges: what a session's beginning is compared by. */
export function definitionHash(definition: Omit<GatesDefinition, "definitionHash">): string {
  return hashOf(judgingPart({ ...definition, definitionHash: "" }));
}

/** The same for all that is executed: what the user allows. */
export function allowedHash(definition: GatesDefinition): string {
  return hashOf(executedPart(definition));
}

function hashOf(parts: object): string {
  return sha256(canonicalJson(parts));
}

/** JSON that does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
