import { realPath } from "../files/files.ts";
import { resolve } from "node:path";
import { programsNamedIn } from "./named-programs.ts";
import { sha256 } from "#runtime";
import { stampOf } from "../files/file-stamp.ts";
import { isBelow } from "../files/is-inside.ts";
import type { Environment } from "./environment.ts";
import { findExecutable } from "./executables.ts";

export interface PlacedCommand {
  readonly command: string;
  readonly shell?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * A hash of the files that the programs of these commands are: another version, or another file first on the PATH, changes it.
 * Files of the project count by path alone: git tells if they changed, and gates may build them.
 */
export function programsHash(
  commands: readonly PlacedCommand[],
  { root, env }: { readonly root: string; readonly env: Environment },
): string {
  const top = realPath(root) ?? root;
  const found = new Map<string, string>();
  for (const { command, shell, env: own, cwd } of commands)
    for (const name of [...(shell === undefined ? [] : [shell]), ...programsNamedIn(command)]) {
      const { PATH = env["PATH"] } = own;
      const isPath = name.includes("/");
      const key = JSON.stringify(isPath ? [name, cwd] : [name, PATH]);
      if (found.has(key)) continue;
      const path = findExecutable(name, { PATH }, cwd) ?? (isPath ? resolve(cwd, name) : undefined);
      found.set(key, path === undefined ? "" : identityOf(path, top));
    }
  return sha256(JSON.stringify([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function identityOf(path: string, top: string): string {
  const file = realPath(path);
  return file === undefined || isBelow(top, file) ? path : `${file} ${stampOf(file).stamp}`;
}
