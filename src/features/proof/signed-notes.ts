import { fail, ok, type Result } from "../../trouble.ts";
import { homeDirectory } from "../../system/files/xdg.ts";
import type { Environment } from "../../system/process/environment.ts";
import { type Git, gitTrouble } from "../../system/git/git.ts";
import { scratchDir } from "../../system/files/scratch.ts";
import { runProcess } from "../../system/process/run-process.ts";

/** Where attestations are kept in the repository; pushed and fetched like any ref. */
export const NOTES_REF = "refs/notes/gauntlet";

export async function readNote(git: Git, commit: string): Promise<Result<readonly string[]>> {
  const args = ["notes", `--ref=${NOTES_REF}`, "show", commit];
  const answer = await git.ask(args);
  if (!answer.ok) return answer;
  const { exitCode, stdout, stderr } = answer.value;
  if (exitCode === 0) return ok(stdout.toString().split("\n").filter(Boolean));
  return /no note found/i.test(stderr) ? ok([]) : fail(gitTrouble(args, stderr));
}

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

/** A signature made for commits or files must not count. */
const NAMESPACE = "agent-gauntlet";

/** git's `user.signingkey`: a file, or a public key whose private half is in the agent. */
export type SshKey = { readonly file: string } | { readonly publicKey: string };

export async function fingerprintOf(key: SshKey): Promise<Result<string>> {
  return withKeyFile(key, async (file) => {
    const listed = await keygen(["-l", "-f", file]);
    if (!listed.ok) return listed;
    const fingerprint = /SHA256:\S+/.exec(listed.value)?.[0];
    return fingerprint === undefined ? failed("-l", "it names no fingerprint") : ok(fingerprint);
  });
}

export async function sign(text: string, key: SshKey): Promise<Result<string>> {
  const fromAgent = "publicKey" in key ? ["-U"] : [];
  return withKeyFile(key, (file) => keygen(["-Y", "sign", ...fromAgent, "-n", NAMESPACE, "-f", file], text));
}

export async function signerOf(
  text: string,
  signature: string,
  allowedSigners: string,
): Promise<Result<{ readonly principal: string; readonly fingerprint: string } | undefined>> {
  await using scratch = await scratchDir({ sig: signature });
  const files = ["-f", allowedSigners, "-s", `${scratch.path}/sig`];
  const found = await ask(["-Y", "find-principals", ...files]);
  if (!found.ok) return found;
  for (const principal of found.value.exitCode === 0 ? found.value.stdout.split("\n").filter(Boolean) : []) {
    const verified = await ask(["-Y", "verify", "-n", NAMESPACE, "-I", principal, ...files], text);
    if (!verified.ok) return verified;
    const fingerprint = /SHA256:\S+/.exec(verified.value.stdout)?.[0];
    if (verified.value.exitCode === 0 && fingerprint !== undefined) return ok({ principal, fingerprint });
  }
  return ok(undefined);
}

async function withKeyFile<T>(key: SshKey, use: (file: string) => Promise<Result<T>>): Promise<Result<T>> {
  if ("file" in key) return use(key.file);
  await using scratch = await scratchDir({ "key.pub": `${key.publicKey}\n` });
  return await use(`${scratch.path}/key.pub`);
}

async function keygen(args: readonly string[], stdin?: string): Promise<Result<string>> {
  const answer = await ask(args, stdin);
  if (!answer.ok) return answer;
  const { exitCode, stdout, stderr } = answer.value;
  return exitCode === 0
    ? ok(stdout)
    : failed(args.slice(0, 2).join(" "), stderr.trim() || `exit code ${exitCode}`);
}

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person may be asked for a passphrase. */
const PATIENCE_MS = 120_000;

async function ask(args: readonly string[], stdin?: string): Promise<Result<Said>> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const end = await runProcess({
    argv: ["ssh-keygen", ...args],
    cwd: process.cwd(),
    env: { ...process.env, LC_ALL: "C" },
    stdin,
    timeoutMs: PATIENCE_MS,
    onOutput: (chunk, stream) => output[stream].push(chunk),
  });
  if (end.kind === "not-started") return failed(args[0] ?? "", end.detail);
  if (end.kind === "timed-out") return failed(args[0] ?? "", `no answer within ${end.afterMs / 1000} s`);
  const [stdout, stderr] = [output.stdout, output.stderr].map((chunks) => Buffer.concat(chunks).toString());
  return ok({
    exitCode: end.kind === "exited" ? end.exitCode : 255,
    stdout: stdout ?? "",
    stderr: stderr ?? "",
  });
}

function failed(what: string, detail: string): ReturnType<typeof fail> {
  return fail({ kind: "signing-failed", command: `ssh-keygen ${what}`, detail });
}
