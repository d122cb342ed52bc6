import { allowedHash } from "../../config/gauntlet/gate-hash.ts";
import { differences, type GateChange } from "../../core/gates-definition.ts";
import type { Settings } from "../../core/settings.ts";
import { ok, type Result } from "../../core/trouble.ts";
import { now } from "../../machine/clock.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { changeSessions, listSessionRecords } from "../../machine/state/sessions.ts";
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
  const begun = listSessionRecords(env).flatMap(({ gates }) =>
    gates !== undefined && isSameProject(gates.root, root) ? (readDefinition(gates.hash, env) ?? []) : [],
  );
  const before = consent?.definition === undefined ? begun : [consent.definition, ...begun];
  const all = before.flatMap((one) => differences(one, settings));
  const changes = [...new Map(all.map((change) => [change.text, change])).values()];
  const commit = (): Result<void> => {
    keepDefinition(definition, env);
    changeSessions(env, (record) => {
      const { gates } = record;
      if (gates === undefined || !isSameProject(gates.root, root)) return undefined;
      return { ...record, gates: { ...gates, hash: settings.definitionHash } };
    });
    if (consent?.decision !== "allowed") return ok(undefined);
    return writeConsent({ ...consent, at: now(), hash: allowedHash(settings), definition }, env);
  };
  return { changes, commit };
}
