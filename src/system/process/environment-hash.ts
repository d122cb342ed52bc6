import { delimiter } from "node:path";
import { sha256 } from "#runtime";
import { type Environment, withoutOwnCredentials } from "./environment.ts";
import { type Names, SYSTEM_SHELL, volatileVariables } from "./volatile-variables.ts";

/**
 * Hashes the environment that gates see, without what ordinary runs of one user differ in. No value is stored or can be
 * recovered.
 */
export function environmentHash(env: Environment, isLeftOut: Names = volatileVariables()): string {
  const seen = Object.entries(withoutOwnCredentials(env))
    .filter(([name, value = ""]) => !isLeftOut(name) && !(name === "SHELL" && SYSTEM_SHELL.test(value)))
    .map(([name, value = ""]) => [name, name === "PATH" ? withoutRepeats(value) : value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(seen)).slice(0, 32);
}

/** A repeated directory finds no program: nested shells prepend theirs again. */
function withoutRepeats(path: string): string {
  return [...new Set(path.split(delimiter))].join(delimiter);
}
