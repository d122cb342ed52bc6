import { chmodSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesIn, removeTree } from "./files.ts";
import { isAlive, pidNamespace } from "../process/group.ts";

export function makeScratch(parent = tmpdir()): string {
  return mkdtempSync(join(parent, ownedName("gauntlet-fingerprint")));
}

/** The name says which process made it, so that it can be removed after a kill. A pid means something in one namespace only. */
export function ownedName(what: "gauntlet-fingerprint" | "gauntlet-baseline" | "gauntlet-scratch"): string {
  return `${what}-${process.pid}-${namespaceNumber()}-`;
}

function namespaceNumber(): string {
  return /\d+/.exec(pidNamespace() ?? "")?.[0] ?? "0";
}

export function removeScratch(path: string): void {
  try {
    removeTree(path);
  } catch {
    removeReadOnly(path);
  }
}

function removeReadOnly(path: string): void {
  try {
    makeWritable(path);
    removeTree(path);
  } catch {
    return;
  }
}

function makeWritable(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(directory, entry.name));
}

/** For an earlier tree: the first is in memory on many systems. */
export function scratchParents(): readonly string[] {
  return [tmpdir(), ...(process.platform === "win32" ? [] : ["/var/tmp"])];
}

export function sweepScratch(...parents: readonly string[]): void {
  for (const parent of parents.length === 0 ? scratchParents() : parents)
    for (const name of namesIn(parent)) if (isLeftBehind(name)) removeScratch(join(parent, name));
}

function isLeftBehind(name: string): boolean {
  const [, pid, namespace] = OURS.exec(name) ?? [];
  if (pid === undefined) return false; // as nearly all of a temporary directory, which may be large
  return (namespace ?? namespaceNumber()) === namespaceNumber() && !isAlive(Number(pid));
}

const OURS = /^gauntlet-(?:fingerprint|baseline|scratch)-(\d+)-(?:(\d+)-)?/;
