import { usualTimes } from "../../core/record/verdict-record.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { ledgerOf } from "../../machine/state/ledger.ts";
import { recentLines, verdictsIn } from "../../machine/state/ledger-lines.ts";
import type { Terminal } from "./terminal.ts";

/** What gates took before; without a ledger nothing is known. */
export function usualTimesOf({ cwd, env }: Pick<Terminal, "cwd" | "env">): ReadonlyMap<string, number> {
  const root = findProject(cwd);
  return root === undefined ? new Map() : usualTimes([...verdictsIn(recentLines(ledgerOf(root, env)))]);
}
