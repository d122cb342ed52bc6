import type { Settings } from "../core/settings.ts";
import type { Trouble } from "../core/trouble.ts";

/** The first asked-for gate that no entry point has, by name or by id. A name may hold colons, as an id does. */
export function unknownGate(settings: Settings, asked: readonly string[]): Trouble | undefined {
  const gates = settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  const isKnown = (one: string): boolean =>
    gates.some(({ kind, name }) => one === name || (one.startsWith(`${kind}:`) && one.endsWith(`:${name}`)));
  const name = asked.find((one) => !isKnown(one));
  const known = [...new Set(gates.map((gate) => gate.name))];
  return name === undefined ? undefined : { kind: "unknown-gate", name, known };
}
