import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, gitOutput, splitNul } from "./git.ts";
import { isAlive } from "./process-tree.ts";

/** The content of the whole work tree as one git tree id, or why there is none and no answer may be reused. */
export type Fingerprint =
  { readonly kind: "tree"; readonly hash: string } | { readonly kind: "none"; readonly reason: string };

/** Above this, hashing what is not committed would cost more than running the gates. */
const MAX_UNTRACKED_BYTES = 100 * 1024 * 1024;

/**
 * Fingerprints tracked and untracked (not ignored) files through a temporary index and object directory: no byte is
 * written into the user's repository, index, stash or refs (git only marks objects it meets again as recently used).
 * Staging and committing do not change the fingerprint.
 */
export async function fingerprintWorkTree(cwd: string): Promise<Fingerprint> {
  return withScratch(tmpdir(), (scratch) => writeTreeOf(cwd, scratch));
}

/** Fingerprints the work tree and keeps its new objects in `<keepIn>/<tree id>`, so that the tree can be read later. */
export async function snapshotWorkTree(cwd: string, keepIn: string): Promise<Fingerprint> {
  mkdirSync(keepIn, { recursive: true });
  return withScratch(keepIn, async (scratch) => {
    const tree = await writeTreeOf(cwd, scratch);
    const kept = tree.kind === "tree" ? join(keepIn, tree.hash) : undefined;
    rmSync(join(scratch, "index"), { force: true });
    if (kept !== undefined && statSync(kept, { throwIfNoEntry: false }) === undefined)
      renameSync(scratch, kept);
    return tree;
  });
}

async function withScratch(
  parent: string,
  write: (scratch: string) => Promise<Fingerprint>,
): Promise<Fingerprint> {
  let scratch: string | undefined;
  try {
    scratch = mkdtempSync(join(parent, `${SCRATCH_PREFIX}${process.pid}-`));
    return await write(scratch);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return none(`no place to work in: ${error.message}`); // a full disk, a temporary directory that is not there
  } finally {
    if (scratch !== undefined) removeScratch(scratch);
  }
}

const SCRATCH_PREFIX = "gauntlet-fingerprint-";

/** Removes the scratch directories that killed processes left in the temporary directory. */
export function sweepScratch(): void {
  for (const name of namesIn(tmpdir()).filter((one) => one.startsWith(SCRATCH_PREFIX))) {
    const pid = Number(name.slice(SCRATCH_PREFIX.length).split("-")[0]);
    if (!isAlive(pid)) removeScratch(join(tmpdir(), name));
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function removeScratch(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // somebody else's, or gone already: it is only in the way
  }
}

async function writeTreeOf(cwd: string, scratch: string): Promise<Fingerprint> {
  const places = await gitOutput(cwd, [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--git-path",
    "index",
    "--git-path",
    "objects",
  ]);
  if (!places.ok) return none("not in a git work tree");
  const [top = "", index = "", objects = ""] = places.value.toString().trimEnd().split("\n");
  return writeTree({ top, index, objects, scratch });
}

interface Places {
  readonly top: string;
  readonly index: string;
  readonly objects: string;
  readonly scratch: string;
}

async function writeTree({ top, index, objects, scratch }: Places): Promise<Fingerprint> {
  const scratchIndex = join(scratch, "index");
  const hasIndex = copyIndex(index, scratchIndex);
  if (hasIndex && mayHoldSubmodule(scratchIndex) && (await isSubmoduleDirty(top)))
    return none("a submodule is dirty");

  const tooMuch = new AbortController();
  const options = {
    env: {
      GIT_INDEX_FILE: scratchIndex,
      GIT_OBJECT_DIRECTORY: scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
    },
    signal: tooMuch.signal,
  };
  const staging = git(top, [...ADD_OPTIONS, "add", "--all", "--", "."], options);
  const untracked = await untrackedBytes(top);
  if (untracked > MAX_UNTRACKED_BYTES) tooMuch.abort();
  const staged = await staging;
  if (untracked > MAX_UNTRACKED_BYTES) return none("more than 100 MB of untracked files");
  if (!staged.ok || staged.value.exitCode !== 0) return none("git cannot read every file");
  if (staged.value.stderr.includes("embedded git repository"))
    return none("a repository inside the repository");

  const tree = await gitOutput(top, ["write-tree"], options);
  return tree.ok ? { kind: "tree", hash: tree.value.toString().trim() } : none("git cannot write the tree");
}

/** Objects that live for a moment need no compression; a warning about line endings must not become a refusal. */
const ADD_OPTIONS = ["-c", "core.looseCompression=0", "-c", "core.safecrlf=false"];

/**
 * Copies the index with a time just before its own. git compares that time with those of the files to tell which
 * need a second look; a newer one would hide an edit made in the same instant as the last `git add`.
 */
function copyIndex(from: string, to: string): boolean {
  const stat = statSync(from, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return false;
  copyFileSync(from, to);
  const justBefore = Number(stat.mtimeNs - 1000n) / 1e9;
  utimesSync(to, justBefore, justBefore);
  return true;
}

/** A submodule's entry has mode 160000; the bytes may also occur by chance, which only costs one more look. */
function mayHoldSubmodule(indexFile: string): boolean {
  return readFileSync(indexFile).includes(Buffer.from([0x00, 0x00, 0xe0, 0x00]));
}

async function isSubmoduleDirty(top: string): Promise<boolean> {
  const status = await gitOutput(top, [
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--ignore-submodules=none",
  ]);
  return !status.ok || splitNul(status.value).some((entry) => /^[12u] .. S.*[MU]/.test(entry.slice(0, 9)));
}

async function untrackedBytes(top: string): Promise<number> {
  const names = await gitOutput(top, ["ls-files", "--others", "--exclude-standard", "-z"]);
  if (!names.ok) return 0;
  let bytes = 0;
  for (const name of splitNul(names.value)) {
    bytes += lstatSync(join(top, name), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > MAX_UNTRACKED_BYTES) break;
  }
  return bytes;
}

function none(reason: string): Fingerprint {
  return { kind: "none", reason };
}
