import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "../../once.ts";
import { ok, type Result } from "../../trouble.ts";
import { factsOf, troubleOf } from "../files/files.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { entryCount } from "./index-entries.ts";
import { type IndexMarks, marksIn, readIndex } from "./index-file.ts";
import { IndexedFiles, type Wanted } from "./indexed-files.ts";
import type { Repository } from "./repository.ts";
import { loadQuestions } from "./load-questions.ts";

type Env = Readonly<Record<string, string>>;
export type IndexEnv = Env & { readonly GIT_INDEX_FILE: string };

const MOST_FILES = 1_000;

/**
 * The index of a pass, and the files that were written since. Without it, an edit that git does not see would pass as no change: one of
 * the same size within the second of the pass, or one that a filter or a line ending takes back.
 */
export class KeptIndex {
  readonly bytes: Buffer;
  readonly marks: IndexMarks;
  readonly #repository: Repository;
  readonly #writtenAt: number;

  private constructor(repository: Repository, bytes: Buffer, writtenAt: number) {
    this.#repository = repository;
    this.bytes = bytes;
    this.#writtenAt = writtenAt;
    this.marks = marksIn(bytes);
  }

  static read(repository: Repository, path: string): KeptIndex | undefined {
    const bytes = readIndex(path);
    if (bytes === undefined || bytes.length === 0) return undefined;
    return new KeptIndex(repository, bytes, factsOf(path)?.mtimeMs ?? 0);
  }

  readonly #few = once((): IndexedFiles | undefined =>
    entryCount(this.bytes) > MOST_FILES ? undefined : this.#files(),
  );

  readonly #touchedOfFew = once((): readonly string[] => this.#few()?.touched().names ?? []);

  /** Whether some file surely has other content: a quick no, never a yes. */
  hasOtherFiles(): boolean {
    return this.#few()?.areOther(this.#touchedOfFew()) ?? false;
  }

  readonly mayConvert = once((): boolean => this.#repository.mayConvert(() => this.marks));

  readonly needsGit = once((): boolean => this.#few()?.isWhole !== true && this.mayConvert());

  /**
   * Files written since, besides those that git names. Git may compare whole seconds, so where it names them, these are those
   * of the index's own second.
   */
  touched(): readonly string[] {
    if (!this.needsGit() || this.#few() !== undefined) return this.#touchedOfFew();
    const sinceSecond = Math.floor(this.#writtenAt / 1000);
    return this.#files({ sinceSecond })?.touched().names ?? [];
  }

  async rewritten(names: readonly string[], env: Env): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const { top } = this.#repository;
    const files = this.#few() ?? (this.mayConvert() ? this.#files({ names: new Set(names) }) : undefined);
    const others =
      files?.rewritten(names) ?? (this.mayConvert() ? await convertedAmong(top, names, env) : []);
    return env["GIT_DIR"] === undefined ? others : [...others, ...(await filteredAmong(top, names, env))];
  }

  sameIn(other: Buffer, names: readonly string[]): readonly string[] {
    const wanted = { names: new Set(names) };
    const [then, now] = [this.#files(wanted), IndexedFiles.of(other, { ...this.#at(), ...wanted })];
    return names.filter((name) => then?.idOf(name) === now?.idOf(name));
  }

  #files(wanted: Pick<Wanted, "names" | "sinceSecond"> = {}): IndexedFiles | undefined {
    return IndexedFiles.of(this.bytes, { ...this.#at(), ...wanted });
  }

  #at() {
    return { top: this.#repository.top.cwd, writtenAt: this.#writtenAt };
  }
}

async function convertedAmong(top: Git, names: readonly string[], env: Env): Promise<readonly string[]> {
  const { convertedFiles } = await loadQuestions();
  return (await convertedFiles(top, names, env))?.names ?? names;
}

async function filteredAmong(top: Git, names: readonly string[], env: Env): Promise<readonly string[]> {
  const stdin = names.map((name) => `${name}\0`).join("");
  const answer = await top.output(["check-attr", "-z", "--stdin", "filter"], { env, stdin });
  if (!answer.ok) return names;
  const fields = splitNul(answer.value);
  return names.filter((_name, at) => !/^un(?:specified|set)$/.test(fields[at * 3 + 2] ?? ""));
}

export async function rewrittenSince(
  repository: Repository,
  path: string,
  indexNow: () => Promise<string | undefined>,
): Promise<Result<readonly string[]>> {
  const kept = KeptIndex.read(repository, path);
  if (!kept?.mayConvert()) return ok([]);
  const rewritten = async (more: Env): Promise<readonly string[]> => {
    const env = { ...more, GIT_INDEX_FILE: path };
    const named = kept.needsGit() ? ((await namesOf(repository.top, TOUCHED, env)) ?? []) : [];
    const written = [...new Set([...named, ...kept.touched()])].filter(
      (name) => factsOf(join(repository.top.cwd, name)) !== undefined,
    );
    if (written.length === 0) return [];
    const now = await indexNow();
    const index = now === undefined ? undefined : readIndex(now);
    return kept.rewritten(index === undefined ? written : kept.sameIn(index, written), env);
  };
  try {
    return ok(await repository.look(rewritten, () => kept.marks));
  } catch (error) {
    return troubleOf("compare files in", tmpdir(), error); // a full disk, no temporary directory
  }
}

export async function namesOf(
  top: Git,
  args: readonly string[],
  env: Env,
): Promise<readonly string[] | undefined> {
  const answer = await top.output([...LOOK_OPTIONS, ...args], { env });
  return answer.ok ? splitNul(answer.value) : undefined;
}

/** Fast, but also names files with another time and the same content. */
export const TOUCHED = ["diff-files", "-z", "--name-only", "--no-ext-diff"];
