import { delimiter, join } from "node:path";
import { ok, type Result } from "../../trouble.ts";
import { makeScratch, removeScratch } from "../files/owned-scratch.ts";
import type { KeptTree } from "./compare/base.ts";
import { splitNul } from "./git.ts";
import type { Repository } from "./repository.ts";

/** What a tree holds under one name. */
export interface TreeBlob {
  readonly mode: string;
  readonly id: string;
}

export interface TreeChange {
  /** From the top of the repository. */
  readonly name: string;
  readonly before?: TreeBlob;
  readonly after?: TreeBlob;
}

/** Trees that are put together of others, in an object directory of our own; gone when disposed of. */
export class OverlayTrees implements Disposable {
  readonly #repository: Repository;
  readonly #directory: string;
  readonly #objects: readonly string[];

  constructor(repository: Repository, sources: readonly KeptTree[]) {
    this.#repository = repository;
    this.#directory = makeScratch();
    this.#objects = [...new Set(sources.flatMap(({ objects }) => objects))];
  }

  async changes(from: string, to: string): Promise<Result<readonly TreeChange[]>> {
    const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to];
    const listed = await this.#output(args);
    if (!listed.ok) return listed;
    const fields = splitNul(listed.value);
    return ok(fields.flatMap((field, at) => (at % 2 === 1 ? changeOf(fields[at - 1] ?? "", field) : [])));
  }

  async text(blob: TreeBlob): Promise<Result<string>> {
    const read = await this.#output(["cat-file", "blob", blob.id]);
    return read.ok ? ok(read.value.toString("utf8")) : read;
  }

  async store(text: string): Promise<Result<string>> {
    const stored = await this.#output(["hash-object", "-w", "--stdin"], text);
    return stored.ok ? ok(stored.value.toString().trim()) : stored;
  }

  /** The difference of two blobs, as a patch without context. */
  patch(before: TreeBlob, after: TreeBlob): Promise<Result<Buffer>> {
    const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--text", "--unified=0"];
    return this.#output(["diff", ...options, before.id, after.id]);
  }

  /** A tree with some names as given instead; those without a blob are missing. */
  async write(
    base: string,
    names: readonly { readonly name: string; readonly blob?: TreeBlob | undefined }[],
  ): Promise<Result<KeptTree>> {
    const index = { GIT_INDEX_FILE: join(this.#directory, `index-${base}`) };
    const read = await this.#output(["read-tree", "--reset", base], undefined, index);
    if (!read.ok) return read;
    const none = "0".repeat(base.length);
    const lines = names.map(({ name, blob }) => `${blob?.mode ?? "0"} ${blob?.id ?? none}\t${name}\0`);
    const updated = await this.#output(["update-index", "-z", "--index-info"], lines.join(""), index);
    if (!updated.ok) return updated;
    const written = await this.#output(["write-tree"], undefined, index);
    if (!written.ok) return written;
    const objects = [this.#directory, ...this.#objects];
    return ok({ tree: written.value.toString().trim(), objects });
  }

  #output(
    args: readonly string[],
    stdin?: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Result<Buffer>> {
    const { top, places } = this.#repository;
    const others = [places.objects, ...this.#objects].map((path) => JSON.stringify(path)).join(delimiter);
    const env = {
      GIT_OBJECT_DIRECTORY: this.#directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: others,
      ...more,
    };
    return top.output(args, stdin === undefined ? { env } : { env, stdin });
  }

  [Symbol.dispose](): void {
    removeScratch(this.#directory);
  }
}

const MISSING = /^0+$/;

/** `:100644 100644 <id> <id> M` */
function changeOf(meta: string, name: string): readonly TreeChange[] {
  const [, oldMode, newMode, oldId = "", newId = ""] = /^:(\d+) (\d+) (\S+) (\S+) /.exec(meta) ?? [];
  if (oldMode === undefined || newMode === undefined) return [];
  return [
    {
      name,
      ...(MISSING.test(oldId) ? {} : { before: { mode: oldMode, id: oldId } }),
      ...(MISSING.test(newId) ? {} : { after: { mode: newMode, id: newId } }),
    },
  ];
}
