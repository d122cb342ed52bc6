import { allowedHash } from "../../config/gauntlet/gate-hash.ts";
import { differences, type GateChange } from "../../core/trust/gates-definition.ts";
import type { SessionStart } from "../../core/record/session-record.ts";
import type { Settings } from "../../core/settings.ts";
import { ok, type Result } from "../../core/trouble.ts";
import { now } from "../../machine/clock.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { changeSessions } from "../../machine/state/change-sessions.ts";
import { listSessionRecords } from "../../machine/state/sessions.ts";
import { keepDefinition, readDefinition, writeConsent } from "../../machine/state/trusted-gates.ts";
import { consentFor } from "./consent.ts";
import { isSameProject } from "./stray.ts";

/** What there is to accept, and how to accept it. */
export interface Acceptable {
  readonly changes: readonly GateChange[];
  readonly commit: () => Result<void>;
}

/** The difference between the gates as they are and those that sessions here began with, or that were allowed. */
export function acceptGates(settings: Settings, env: Environment): Acceptable {
  const { root, ...definition } = settings;
  const consent = consentFor(root, env);
  const isHere = (start: SessionStart): boolean =>
    start.gates !== undefined && isSameProject(start.root, root);
  const begun = listSessionRecords(env)
    .flatMap(({ starts = [] }) => starts.filter(isHere))
    .flatMap(({ root: here, gates: hash = "" }) => readDefinition({ root: here, hash }, env) ?? []);
  const before = consent?.definition === undefined ? begun : [consent.definition, ...begun];
  const all = before.flatMap((one) => differences(one, settings));
  const changes = [...new Map(all.map((change) => [change.text, change])).values()];
  const commit = (): Result<void> => {
    keepDefinition(root, definition, env);
    changeSessions(env, (record) => {
      const { starts = [] } = record;
      if (!starts.some(isHere)) return undefined;
      const gates = settings.definitionHash;
      return { ...record, starts: starts.map((start) => (isHere(start) ? { ...start, gates } : start)) };
    });
    if (consent?.decision !== "allowed") return ok(undefined);
    return writeConsent({ ...consent, at: now(), hash: allowedHash(settings), definition }, env);
  };
  return { changes, commit };
}
