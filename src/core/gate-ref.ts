import type { Gate } from "./gate.ts";
import type { ProjectPath } from "./path.ts";

/** Which gate, at which place of the project: the same check at two entry points is two gates. */
export interface GateRef {
  readonly kind: Gate["kind"];
  readonly scope: ProjectPath;
  readonly name: string;
}

/** How a gate is shown and asked for: `check:<scope>:<name>`. Never taken apart again, for a name may hold colons. */
export function gateId({ kind, scope, name }: GateRef): string {
  return `${kind}:${scope}:${name}`;
}

export function isSameGate(one: GateRef, other: GateRef): boolean {
  return one.kind === other.kind && one.scope === other.scope && one.name === other.name;
}
