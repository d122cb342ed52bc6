import { fail, ok, type Result } from "../../core/trouble.ts";
import { homeDirectory } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";
import type { SshKey } from "../process/ssh-keygen.ts";
import { type Git, gitTrouble } from "./git.ts";

/** Where attestations are kept in the repository; pushed and fetched like any ref. */
export const NOTES_REF = "refs/notes/gauntlet";

/** The lines of a commit's note; none where it has no note. */
export async function readNote(git: Git, commit: string): Promise<Result<readonly string[]>> {
  const args = ["notes", `--ref=${NOTES_REF}`, "show", commit];
  const answer = await git.ask(args);
  if (!answer.ok) return answer;
  const { exitCode, stdout, stderr } = answer.value;
  if (exitCode === 0) return ok(stdout.toString().split("\n").filter(Boolean));
  return /no note found/i.test(stderr) ? ok([]) : fail(gitTrouble(args, stderr));
}

/** Adds a line to a commit's note, after those that are there. */
export async function addToNote(git: Git, commit: string, line: string): Promise<Result<void>> {
  const before = await readNote(git, commit);
  if (!before.ok) return before;
  if (before.value.includes(line)) return ok(undefined);
  const stdin = `${[...before.value, line].join("\n")}\n`;
  const added = await git.output(["notes", `--ref=${NOTES_REF}`, "add", "--force", "--file=-", commit], {
    stdin,
  });
  return added.ok ? ok(undefined) : added;
}

/** The SSH key git signs with. */
export async function signingKey(git: Git, env: Environment): Promise<Result<SshKey>> {
  const answer = await git.ask(["config", "--get", "user.signingkey"]);
  if (!answer.ok) return answer;
  const named = answer.value.stdout.toString().trim();
  if (named === "")
    return fail({ kind: "signing-failed", command: "git config user.signingkey", detail: NO_KEY });
  const literal = /^(?:key::)?((?:ssh-|ecdsa-|sk-)\S+ .+)$/.exec(named)?.[1];
  return ok(
    literal === undefined ? { file: named.replace(/^~(?=\/)/, homeDirectory(env)) } : { publicKey: literal },
  );
}

const NO_KEY =
  "it is not set. Name an SSH key: `git config user.signingkey ~/.ssh/id_ed25519.pub` (and `gpg.format ssh`, to sign commits with it too)";
