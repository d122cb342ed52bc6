import { createHash } from "node:crypto";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { ok, type Result } from "../../core/trouble.ts";
import { isFile, writeFileAtomic } from "../../machine/files/files.ts";
import type { Repository } from "../../machine/git/repository.ts";

/** A tree of a snapshot, and the repository it goes to. */
interface Push {
  /** Where the snapshot keeps its objects. */
  readonly directory: string;
  readonly tree: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

/**
 * Pushes a tree, as a commit on top of HEAD, to `refs/gauntlet/<tree>` of another repository. HEAD goes along under its own name:
 * by it the next push finds out what the other side has already.
 */
export async function pushTree(
  repository: Repository,
  { directory, tree, to, signal }: Push,
): Promise<Result<void>> {
  const { top } = repository;
  const env = repository.scratchEnv(directory);
  const base = await pushableHead(repository);
  const written = writeCommit(directory, { tree, parent: base });
  if (!written.ok) return written;
  const commit = written.value;
  const refs = [`${commit}:refs/gauntlet/${tree}`, ...(base ? [`${base}:refs/gauntlet/base-${base}`] : [])];
  const push = ["push", "--quiet", "--force", "--no-verify", "--no-signed", "--recurse-submodules=no"];
  const pushed = await top.output([...push, "--", to, ...refs], { env, signal });
  if (pushed.ok) return ok(undefined);
  const listed = await top.ask(["ls-remote", "--", to, `refs/gauntlet/${tree}`], { signal });
  const isThere = listed.ok && listed.value.stdout.toString().startsWith(commit);
  return isThere ? ok(undefined) : pushed; // of two that push the same at once, git refuses one
}

const IDENTITY = "agent-gauntlet <agent-gauntlet@localhost> 0 +0000";

/** Writes a commit as `git commit-tree` would, without a process. The same files on the same HEAD are the same commit, whoever makes it. */
function writeCommit(
  directory: string,
  { tree, parent }: { readonly tree: string; readonly parent: string | undefined },
): Result<string> {
  const above = parent === undefined ? "" : `parent ${parent}\n`;
  const text = `tree ${tree}\n${above}author ${IDENTITY}\ncommitter ${IDENTITY}\n\ngauntlet\n`;
  const object = `commit ${text.length}\0${text}`;
  const id = createHash(tree.length === SHA1_LENGTH ? "sha1" : "sha256")
    .update(object)
    .digest("hex");
  const written = writeFileAtomic(join(directory, id.slice(0, 2), id.slice(2)), deflateSync(object));
  return written.ok ? ok(id) : written;
}

const SHA1_LENGTH = 40;

/** What others could not fetch whole, as in a shallow clone, they are not given as a parent. */
async function pushableHead({ top, places, head }: Repository): Promise<string | undefined> {
  if (isFile(join(places.commonDir, "shallow"))) return undefined;
  const { commit: known } = head();
  if (known !== undefined) return known;
  const asked = await top.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const commit = asked.ok && asked.value.exitCode === 0 ? asked.value.stdout.toString().trim() : "";
  return commit === "" ? undefined : commit;
}
