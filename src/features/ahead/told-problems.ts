import { join } from "node:path";
import { fingerprint, type Problem } from "../../feedback/problem.ts";
import { essenceOf } from "../../feedback/text/clean-text.ts";
import { isText, listOf, mapOf, objectOf } from "../../shape.ts";
import { jsonFile } from "../../system/state/json-file.ts";
import { makePrivateDirectory } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { projectStateDir, sessionKey, type SessionName } from "../../system/state/state-keys.ts";
import { sha256 } from "#runtime";

/** By check and file: the fingerprints of the problems that the model knows. */
interface Told {
  readonly session: string;
  readonly known: Readonly<Record<string, readonly string[]>>;
}

const toldFile = jsonFile<Told>(1, objectOf({ session: isText, known: mapOf(listOf(isText)) }));

/** What the checks on edits told the model of a session, so that each problem is told once while it is there. */
export class ToldProblems {
  readonly #directory: string;
  readonly #session: string;
  readonly #known: Map<string, readonly string[]>;

  private constructor(directory: string, session: string) {
    this.#directory = directory;
    this.#session = session;
    const stored = toldFile.read(this.#file).value;
    this.#known = new Map(stored?.session === session ? Object.entries(stored.known) : []);
  }

  static open(root: string, name: SessionName, env: Environment): ToldProblems {
    return new ToldProblems(projectStateDir(root, env), sessionKey(name, root));
  }

  get #file(): string {
    return join(this.#directory, "told-after-edits.json");
  }

  forget(check: string, files: readonly string[]): void {
    for (const file of files) this.#known.delete(keyOf(check, file));
  }

  /** The problems that are new, none in particular if only the output is; undefined if nothing is. */
  tell(
    check: string,
    files: readonly string[],
    { problems, text }: { readonly problems: readonly Problem[]; readonly text: string },
  ): readonly Problem[] | undefined {
    const [first = ""] = files;
    const fileOf = ({ file }: Problem): string => (file !== undefined && files.includes(file) ? file : first);
    const known = files.flatMap((file) => this.#known.get(keyOf(check, file)) ?? []);
    const found = problems.map((problem) => [fileOf(problem), fingerprint(problem)] as const);
    const marks = found.length > 0 ? found : [[first, sha256(essenceOf(text))] as const];
    for (const file of files) {
      const own = marks.filter(([of]) => of === file).map(([, mark]) => mark);
      if (own.length === 0) this.#known.delete(keyOf(check, file));
      else this.#known.set(keyOf(check, file), own);
    }
    if (marks.every(([, mark]) => known.includes(mark))) return undefined;
    return problems.filter((problem) => !known.includes(fingerprint(problem)));
  }

  /** If it cannot be kept, the model may be told twice. */
  save(): void {
    try {
      makePrivateDirectory(this.#directory);
    } catch {
      return;
    }
    toldFile.write(this.#file, { session: this.#session, known: Object.fromEntries(this.#known) });
  }
}

function keyOf(check: string, file: string): string {
  return `${check} ${file}`;
}
