import { existsSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import type { PassRecord } from "../../core/history.ts";
import type { Result } from "../../core/trouble.ts";
import { discard, makePrivateDirectory, namesIn, removeIfEmpty, troubleOf } from "../files/files.ts";
import { projectStateDir } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";
import { jsonFile, type Stored } from "./json-file.ts";

/**
 * Where the last pass of a project is kept: outside it, by its real path. Whoever works in the project could otherwise forge a
 * pass with a line of git.
 */
export function passDirOf(root: string, env: Environment): string {
  return projectStateDir(root, env);
}

const time = z.number().check(z.refine((value) => !Number.isNaN(new Date(value).getTime())));

const file = jsonFile<PassRecord>(
  1,
  z.object({
    runNumber: z.int().check(z.nonnegative()),
    tree: z.string().check(z.regex(/^[\w-]{1,80}$/)),
    gateHash: z.string(),
    baseCommit: z.optional(z.string()),
    fingerprint: z.optional(z.string()),
    head: z.optional(z.string()),
    status: z.enum(["passed", "passed_with_warnings"]),
    since: z.optional(z.string()),
    at: time,
  }) as never, // optional means absent in both
);

/** A state directory that cannot be looked into holds none; that none can be kept is told when there is one. */
export function readPass(passDir: string): Stored<PassRecord | undefined> {
  return namesIn(passDir).length === 0 ? { value: undefined } : file.read(recordIn(passDir));
}

/** Keeps a pass, and the index of its tree, in place of the one before; without the index the gates of a later stop run again. */
export function writePass(
  passDir: string,
  pass: PassRecord,
  keepIndexAt: (path: string) => void,
): Result<void> {
  try {
    makePrivateDirectory(passDir);
    for (const name of namesIn(passDir).filter(isIndex)) discard(join(passDir, name));
    keepIndex(passIndexOf(passDir, pass.tree), keepIndexAt);
  } catch (error) {
    return troubleOf("write", passDir, error);
  }
  forgetOldest(dirname(passDir), basename(passDir));
  return file.write(recordIn(passDir), pass);
}

/** The index of the tree that passed, by which git tells whether anything changed since. Its name is in the record of that pass alone. */
export function passIndexOf(passDir: string, tree: string): string {
  return join(passDir, `pass-${tree}.index`);
}

/** Some trees have no index that could be kept. */
function keepIndex(kept: string, keepAt: (path: string) => void): void {
  const draft = `${kept}.tmp`;
  keepAt(draft);
  if (existsSync(draft)) renameSync(draft, kept);
}

/** The ledger beside it stays. */
export function forgetPass(passDir: string): void {
  discard(recordIn(passDir));
  for (const name of namesIn(passDir).filter(isIndex)) discard(join(passDir, name));
}

function isIndex(name: string): boolean {
  return /^pass-.*\.index(?:\.tmp)?$/.test(name);
}

function recordIn(passDir: string): string {
  return join(passDir, "pass.json");
}

const KEPT_PROJECTS = 200;

/** A project that is gone never says so. Its ledger stays: one that vanished would look like one that was tampered with. */
function forgetOldest(directory: string, current: string): void {
  const names = namesIn(directory).filter((name) => name !== current);
  if (names.length < KEPT_PROJECTS) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(KEPT_PROJECTS / 2)) {
    forgetPass(join(directory, name));
    removeIfEmpty(join(directory, name));
  }
}
