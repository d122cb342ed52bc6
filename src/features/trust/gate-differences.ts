import { judgingPart } from "../../config/gauntlet/gates-hash.ts";
import { placeOf } from "../../config/entry-point.ts";
import type { CheckGate, Gate, ReviewGate } from "../../gates/gate.ts";
import { displayPath, projectPath } from "../../path.ts";
import type { EntryPoint, GatesDefinition } from "../../config/settings.ts";

export interface GateChange {
  readonly kind: "added" | "removed" | "changed";
  /** For people: `check "test": command was "npm test", is "true"`. */
  readonly text: string;
  readonly gate?: Pick<CheckGate | ReviewGate, "kind" | "name">;
  readonly script?: string;
  readonly gates?: readonly string[];
}

/** Gates, scripts, settings; within each, removed before changed before added. */
export function differences(before: GatesDefinition, after: GatesDefinition): readonly GateChange[] {
  const changes = [
    ...gateChanges(before, after),
    ...scriptChanges(before, after),
    ...settingChanges(judgingPart(before), judgingPart(after)),
  ];
  const order = ["removed", "changed", "added"];
  return changes.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

export function withFailing(
  changes: readonly GateChange[],
  failing: readonly Pick<Gate, "kind" | "name">[],
): readonly GateChange[] {
  const isFailing = ({ gate }: GateChange): boolean =>
    failing.some(({ kind, name }) => kind === gate?.kind && name === gate.name);
  return changes.map((one) => (isFailing(one) ? { ...one, text: `${one.text} while it was failing` } : one));
}

function gateChanges(before: GatesDefinition, after: GatesDefinition): readonly GateChange[] {
  const was = gatesOf(before);
  const is = gatesOf(after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id): readonly GateChange[] => {
    const [one, other] = [was.get(id), is.get(id)];
    if (other === undefined)
      return one === undefined ? [] : [{ kind: "removed", text: `${one.title} removed`, gate: one.gate }];
    if (one === undefined) return [{ kind: "added", text: `${other.title} added` }];
    const fields = [
      ...fieldChanges({ ...one.gate }, { ...other.gate }),
      ...fieldChanges({ exclude: one.exclude }, { exclude: other.exclude }),
    ];
    return fields.map((words) => ({ kind: "changed", text: `${one.title}: ${words}` }));
  });
}

interface PlacedGate {
  readonly gate: CheckGate | ReviewGate;
  readonly exclude: readonly string[];
  readonly title: string;
}

function gatesOf({ entryPoints }: GatesDefinition): ReadonlyMap<string, PlacedGate> {
  return new Map(
    entryPoints.flatMap((entryPoint) =>
      entryPoint.gates.map((gate) => [placeOf(entryPoint.path, gate), placed(entryPoint, gate)] as const),
    ),
  );
}

function placed({ path, exclude }: EntryPoint, gate: CheckGate | ReviewGate): PlacedGate {
  const where = projectPath(path) === "." ? "" : ` in ${displayPath(path)}`;
  return { gate, exclude, title: `${gate.kind} "${gate.name}"${where}` };
}

function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => wasAndIs(key, before[key], after[key]));
}

/** A script that comes or goes with a gate's command is part of that change. */
function scriptChanges(before: GatesDefinition, after: GatesDefinition): readonly GateChange[] {
  const { scripts: was } = before;
  const { scripts: is } = after;
  const isSteady = sameCommands(before, after);
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name): readonly GateChange[] => {
    const gates = [...new Set([...(was[name]?.gates ?? []), ...(is[name]?.gates ?? [])])];
    const about = { script: name, gates };
    const shown = displayPath(name);
    if (was[name] === undefined || is[name] === undefined) {
      const kind = is[name] === undefined ? "removed" : "added";
      return gates.some(isSteady) ? [{ kind, text: `${shown} ${kind}`, ...about }] : [];
    }
    return was[name].hash === is[name].hash ? [] : [{ kind: "changed", text: `${shown} changed`, ...about }];
  });
}

function sameCommands(before: GatesDefinition, after: GatesDefinition): (id: string) => boolean {
  const [was, is] = [gatesOf(before), gatesOf(after)];
  return (id) => {
    const [one, other] = [was.get(id)?.gate, is.get(id)?.gate];
    return one !== undefined && other !== undefined && lineOf(one) === lineOf(other);
  };
}

function lineOf(gate: CheckGate | ReviewGate): string {
  return gate.kind === "check" ? gate.command : gate.cliPreference.join();
}

function settingChanges(before: object, after: object): readonly GateChange[] {
  const [was, is] = [flat(before), flat(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => !isSame(was.get(key), is.get(key)))
    .map((key) => ({ kind: "changed", text: arrow(key, was.get(key), is.get(key)) }));
}

/** Settings by their names in the configuration: `stop_hook.enabled`. */
function flat(value: object, prefix = ""): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(
      ([key, inner]: [string, unknown]): readonly (readonly [string, unknown])[] => {
        if (prefix === "" && (key === "entryPoints" || key === "scripts")) return [];
        const name = `${prefix}${asWritten(key)}`;
        if (typeof inner !== "object" || inner === null || Array.isArray(inner))
          return [[name, inUnits(key, inner)]];
        return [...flat(inner, `${name}.`)];
      },
    ),
  );
}

/** `timeoutMs` is `timeout` in the configuration, in seconds. */
function asWritten(key: string): string {
  return key.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function inUnits(key: string, value: unknown): unknown {
  return key.endsWith("Ms") && typeof value === "number" ? `${value / 1000} s` : value;
}

const MAX_SHOWN = 80;

function arrow(key: string, before: unknown, after: unknown): string {
  return `${key} ${inWords(before)} → ${inWords(after)}`;
}

function wasAndIs(key: string, before: unknown, after: unknown): string {
  const name = asWritten(key);
  if (name === "prompt" || name === "fix_instructions") return `${name} changed`;
  const [was, is] = [inUnits(key, before), inUnits(key, after)];
  if (typeof was !== "string" || typeof is !== "string") return arrow(name, was, is);
  return `${name} was ${inWords(was)}, is ${inWords(is)}`;
}

function inWords(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string" && /^\d+(?:\.\d+)? s$/.test(value)) return value;
  const text = displayPath(JSON.stringify(value));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** As many differences as fit into one line of a notice. */
export function inOneLine(changes: readonly GateChange[], maxChars = 300): string {
  const shown: string[] = [];
  for (const { text } of changes) {
    if (shown.length > 0 && [...shown, text].join("; ").length > maxChars) break;
    shown.push(text);
  }
  const left = changes.length - shown.length;
  return `${shown.join("; ")}${left === 0 ? "" : `; and ${left} more`}`;
}

export function heldBy(
  recorded: GatesDefinition,
  now: GatesDefinition | undefined,
  { mayAdd, withoutGates = [] }: { readonly mayAdd: boolean; readonly withoutGates?: readonly string[] },
): GatesDefinition {
  const known = gatesOf(recorded);
  const added = !mayAdd
    ? []
    : (now?.entryPoints ?? []).flatMap((entryPoint) => {
        const gates = entryPoint.gates.filter((gate) => !known.has(placeOf(entryPoint.path, gate)));
        return gates.length === 0 ? [] : [{ ...entryPoint, gates }];
      });
  const kept = recorded.entryPoints.map((entryPoint) => ({
    ...entryPoint,
    gates: entryPoint.gates.filter((gate) => !withoutGates.includes(placeOf(entryPoint.path, gate))),
  }));
  return { ...recorded, entryPoints: [...kept, ...added] };
}
