import picomatch from "picomatch";
import { fixedPart, hasScope, isGlob, mayMatchBelow } from "./entry-point.ts";
import { gateId, type GateRef } from "../gate.ts";
import { projectPath } from "../path.ts";
import type { EntryPoint } from "../settings.ts";

/** Whether a gate is one of those asked for: by name, by id, by its path, or by a glob of one of them (`packages/*`). */
export function gateSelector(asked: readonly string[]): (ref: GateRef) => boolean {
  const matchers = asked.map(selectorOf);
  return (ref) => matchers.some((isMeant) => isMeant(ref));
}

function selectorOf(asked: string): (ref: GateRef) => boolean {
  const path = projectPath(asked);
  const isMatch = isGlob(asked) ? picomatch(asked, { dot: true }) : () => false;
  return (ref) => {
    const words = [ref.name, gateId(ref), ref.scope];
    return words.some((word) => word === asked || isMatch(word)) || ref.scope === path;
  };
}

/** Whether any gate could ever be meant, whatever has changed: the children of `packages/*` are not listed anywhere. */
export function isAskable(asked: string, entryPoints: readonly EntryPoint[]): boolean {
  return entryPoints.some((entryPoint) => {
    const scope = projectPath(entryPoint.path);
    const isMeant = selectorOf(asked);
    if (
      entryPoint.gates.some(({ kind, name }) => isMeant({ kind, scope, name }) || isIdOf(asked, kind, name))
    )
      return true;
    return hasScope(entryPoint, projectPath(asked)) || (isGlob(asked) && mayMeet(asked, entryPoint.path));
  });
}

function isIdOf(asked: string, kind: string, name: string): boolean {
  return asked.startsWith(`${kind}:`) && asked.endsWith(`:${name}`);
}

function mayMeet(glob: string, path: string): boolean {
  return isGlob(path) && fixedPart(glob) !== "" && mayMatchBelow(glob, fixedPart(path));
}
