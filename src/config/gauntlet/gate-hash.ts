import { createHash } from "node:crypto";
import type { Settings } from "../../core/settings.ts";

/** One value for everything that determines which gates run and what they do. */
export function gateHash(
  parts: Pick<Settings, "baseBranch" | "entryPoints" | "rerunNewIssueThreshold">,
): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}

/** JSON that does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
