import type { Settings } from "../core/settings.ts";
import type { Trouble } from "../core/trouble.ts";

/** The first asked-for gate that no entry point has, by name or by id. */
export function unknownGate(settings: Settings, asked: readonly string[]): Trouble | undefined {
  const names = new Set(settings.entryPoints.flatMap(({ gates }) => gates.map(({ name }) => name)));
  const name = asked.find((one) => !names.has(one.slice(one.lastIndexOf(":") + 1)));
  return name === undefined ? undefined : { kind: "unknown-gate", name, known: [...names] };
}
