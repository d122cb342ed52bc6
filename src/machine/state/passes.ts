import { existsSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import type { PassRecord } from "../../core/record/history.ts";
import type { Result } from "../../core/trouble.ts";
import {
  discard,
  discardOldDrafts,
  makePrivateDirectory,
  namesIn,
  removeIfEmpty,
  troubleOf,
} from "../files/files.ts";
import { jsonFile, type Stored } from "./json-file.ts";

const time = v.pipe(
  v.number(),
  v.check((value) => !Number.isNaN(new Date(value).getTime())),
);

const file = jsonFile<PassRecord>(
  1,
  v.object({
    runNumber: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    tree: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)),
    gateHash: v.string(),
    baseCommit: v.optional(v.string()),
    fingerprint: v.optional(v.string()),
    head: v.optional(v.string()),
    status: v.picklist(["passed", "passed_with_warnings"]),
    since: v.optional(v.string()),
    at: time,
  }) as never, // optional means absent in both
);

/** An unreadable state directory holds no pass; that none can be saved is reported when there is one to save. */
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
    const names = namesIn(passDir);
    discardOldDrafts(passDir, names);
    for (const name of names.filter(isIndex)) discard(join(passDir, name));
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

/** Keeps the ledger in the same directory. */
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
