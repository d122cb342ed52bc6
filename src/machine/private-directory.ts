import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { isDirectory } from "./kind-of.ts";

/**
 * Makes a directory that only we can look into, and what is missing above it. Node's own way never ends where a file system
 * denies that a parent is there, as `/proc` does (seen in 20.20.2).
 */
export function makePrivateDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isDirectory(path)) throw error; // otherwise somebody else has just made it
  }
}
