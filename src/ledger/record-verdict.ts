import packageJson from "../../package.json" with { type: "json" };
import type { RunFacts } from "../run/result.ts";
import type { StopEvent } from "../hosts/stop-event.ts";
import type { Result } from "../trouble.ts";
import { type TerminalCommand, type VerdictFacts, verdictRecord } from "./verdict-record.ts";
import { now } from "../system/clock.ts";
import { findProject } from "../system/files/find-project.ts";
import type { Environment } from "../system/process/environment.ts";
import { appendVerdict, ledgerOf } from "./ledger.ts";
import { sessionKey } from "../system/state/state-keys.ts";

interface Asked {
  readonly root: string;
  readonly env: Environment;
  readonly event?: StopEvent;
}

/** Writes a verdict into the ledger of its project: of now, or of when its details were written down. */
export function recordVerdict(
  { root, env, event }: Asked,
  facts: Omit<VerdictFacts, "at" | "host" | "session" | "worktree" | "version"> & { readonly at?: number },
): Result<void> {
  const ledger = ledgerOf(root, env);
  const { worktree } = ledger;
  const host = event?.host;
  const session = event === undefined ? undefined : sessionKey(event, root);
  const { version } = packageJson;
  return appendVerdict(ledger, verdictRecord({ at: now(), ...facts, host, session, worktree, version }));
}

/** The same for a run that is not a stop. Outside of a project there is nothing to keep. */
export function recordRun(
  {
    cwd,
    env,
    command,
  }: { readonly cwd: string; readonly env: Environment; readonly command: TerminalCommand },
  facts: RunFacts,
  ms: number,
): Result<void> {
  const root = findProject(cwd);
  if (root === undefined) return { ok: true, value: undefined };
  return recordVerdict({ root, env }, { door: command, ms, ...facts });
}
