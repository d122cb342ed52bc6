import type { AbsolutePath } from "../core/path.ts";
import type { Trouble } from "../core/trouble.ts";
import { git, type GitAnswer, gitTrouble } from "./git.ts";

/**
 * Asks git for commits by name. A git that was ended, or failed before it could tell, has not said that there is no such commit:
 * once that has happened, `trouble` says so, and no answer of the whole conversation is to be relied on.
 */
export class Repository {
  readonly #root: AbsolutePath;
  #trouble: Trouble | undefined;

  constructor(root: AbsolutePath) {
    this.#root = root;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** The id of a commit, by whatever name; a name that begins with a dash is never an option. */
  async resolve(revision: string): Promise<string | undefined> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
    const mayBeFatal = revision.includes("@{"); // so git calls an upstream or an old place that a branch does not have
    return this.#ask(args, ({ exitCode }) => exitCode === 1 || mayBeFatal);
  }

  /** What HEAD and another commit have in common last. Git fails alike for a name it does not know and for HEAD without a commit. */
  async mergeBase(revision: string): Promise<string | undefined> {
    return this.#ask(["merge-base", "--end-of-options", revision, "HEAD"], () => true);
  }

  /** The refs that stand for the default branches of the remotes. */
  async remoteHeads(): Promise<readonly string[]> {
    const heads = await this.#ask(
      ["for-each-ref", "--format=%(refname)", "refs/remotes/*/HEAD"],
      () => false,
    );
    return heads?.split("\n").filter(Boolean) ?? [];
  }

  async #ask(args: readonly string[], isNo: (answer: GitAnswer) => boolean): Promise<string | undefined> {
    const answer = await git(this.#root, args);
    if (!answer.ok) {
      this.#trouble ??= answer.trouble;
      return undefined;
    }
    const { exitCode, stdout, stderr, wasEnded } = answer.value;
    if (exitCode === 0) return stdout.toString().trim();
    if (wasEnded || !isNo(answer.value)) this.#trouble ??= gitTrouble(args, stderr);
    return undefined;
  }
}
