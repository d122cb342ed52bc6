import { join } from "node:path";
import { once } from "../../core/once.ts";
import type { Git } from "./git.ts";
import { readIndexMarks } from "./index-file.ts";
import { findPlaces, type GitPlaces } from "./places.ts";
import { type Head, readHead } from "./ref-state.ts";

/** The repository around a project as one run sees it: where things are and what its index marks, each looked up once. */
export class Repository {
  /** In the project. */
  readonly git: Git;
  /** At the top of the work tree. */
  readonly top: Git;
  readonly places: GitPlaces;
  readonly marks: () => ReturnType<typeof readIndexMarks>;
  /** Where HEAD is, as far as files say. */
  readonly head: () => Head;

  private constructor(git: Git, places: GitPlaces) {
    this.git = git;
    this.top = git.at(places.top);
    this.places = places;
    this.marks = once(() => readIndexMarks(places.index));
    this.head = once(() => readHead(places));
  }

  static async around(git: Git): Promise<Repository | undefined> {
    const places = await findPlaces(git);
    return places === undefined ? undefined : new Repository(git, places);
  }

  /** The environment that makes git use an index and objects in a directory of ours, with the repository's objects behind them. */
  scratchEnv(
    directory: string,
  ): Readonly<Record<"GIT_INDEX_FILE", string>> & Readonly<Record<string, string>> {
    return {
      GIT_INDEX_FILE: join(directory, "index"),
      GIT_OBJECT_DIRECTORY: directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(this.places.objects),
    };
  }
}
