import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { explain, ok, type Result } from "../../trouble.ts";
import type { Answer } from "./find-pass.ts";
import {
  verifyAttested,
  commitSubject,
  type Place,
  type Subject,
  verifyHere,
  workTreeSubject,
  attest,
} from "./attestations.ts";
import { kindOf } from "../../system/files/files.ts";
import { findProject } from "../../system/files/find-project.ts";
import { type VerifiedSubject, verifyJson, attestJson } from "./json.ts";
import { EXIT } from "../../report/exit-code.ts";
import { refuse, tellTrouble } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { absolutePath } from "../../path.ts";
import type { Environment } from "../../system/process/environment.ts";
import { timeLimit } from "../../system/process/time-limit.ts";
import { Git } from "../../system/git/git.ts";
import { NOTES_REF } from "./signed-notes.ts";

/** Whether the files as they are now have passed, in words. */
export async function describeWorkTree(place: Place): Promise<string | undefined> {
  const subject = await workTreeSubject(place);
  const found = subject.ok ? verifyHere(place, subject.value) : subject;
  if (!found.ok) return undefined;
  const answer = found.value;
  return answer.kind === "pass"
    ? "The files as they are now have passed."
    : `The files as they are now have not passed: ${answer.reason}.`;
}

export interface VerifyOptions {
  readonly revision?: string | undefined;
  readonly run?: boolean;
  /** The name of the remote, where git's hook tells it. */
  readonly prePush?: string | true;
  readonly attested?: boolean;
  readonly allowedSigners?: string;
  readonly json?: boolean;
  readonly runGates: (terminal: Terminal) => Promise<number>;
}

export async function verifyCommand(terminal: Terminal, options: VerifyOptions): Promise<number> {
  const { json, prePush, attested, revision } = options;
  const place = { root: findProject(terminal.cwd) ?? terminal.cwd, env: terminal.env };
  const verified = attested
    ? await verifyWithKeys(place, options)
    : prePush === undefined
      ? await verifyOne(terminal, place, { ...options, name: revision })
      : await verifyPush(terminal, place, options);
  if (!verified.ok) return tellTrouble(terminal, verified.trouble, { command: "verify", json });
  if (typeof verified.value === "string")
    return refuse(terminal, verified.value, { command: "verify", json });
  const subjects = verified.value;
  if (json) printLine(terminal.stdout, verifyJson(subjects));
  else for (const subject of subjects) printSubject(terminal, subject);
  if (subjects.every((one) => one.verified)) return EXIT.ok;
  if (prePush !== undefined && !json) printLine(terminal.stderr, WAY_OUT);
  return EXIT.notOk;
}

const WAY_OUT =
  "Run `agent-gauntlet run` on exactly these files and push again; `git push --no-verify` pushes them unverified.";

type Verified = Result<readonly VerifiedSubject[] | string>;

function printSubject(
  { stdout, stderr, colours }: Terminal,
  { name, commit, verified, reason }: VerifiedSubject,
): void {
  const shown = commit === undefined || commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})`;
  const mark = verified ? colours.green("✓") : colours.red("✗");
  const next = verified || commit !== undefined ? "" : " Run `agent-gauntlet run` to check them.";
  printLine(verified ? stdout : stderr, `${mark} ${shown}: ${reason}.${next}`);
}

async function verifyWithKeys(
  place: Place,
  { revision = "HEAD", allowedSigners }: VerifyOptions,
): Promise<Verified> {
  if (allowedSigners === undefined)
    return ok("Name the keys you trust: `--allowed-signers FILE` (see ssh-keygen(1), ALLOWED SIGNERS).");
  const file = resolve(allowedSigners);
  if (kindOf(file) !== "file") return ok(`There is no file ${allowedSigners}.`);
  const found = await verifyAttested(place, revision, { allowedSigners: file });
  if (!found.ok) return found;
  const { commit, kind } = found.value;
  const isAttested = kind === "attested";
  const reason = isAttested
    ? `attested by ${found.value.principal} (${found.value.signer})`
    : found.value.reason;
  return ok([{ name: revision, commit, verified: isAttested, reason }]);
}

interface Asked extends VerifyOptions {
  readonly name?: string | undefined;
}

async function verifyOne(terminal: Terminal, place: Place, asked: Asked): Promise<Verified> {
  const { name, run } = asked;
  const subject = await (name === undefined ? workTreeSubject(place) : commitSubject(place, name));
  if (!subject.ok) return subject;
  const found = verifyHere(place, subject.value);
  if (!found.ok) return found;
  if (found.value.kind === "pass" || !run) return ok([told(subject.value, found.value)]);
  const obstacle = await runMissing(terminal, place, { subject: subject.value, asked });
  const now = name === undefined ? await workTreeSubject(place) : subject;
  const again = now.ok ? verifyHere(place, now.value) : now;
  if (!again.ok) return again;
  const { reason, ...rest } = told(subject.value, again.value);
  return ok([{ ...rest, reason: obstacle === undefined ? reason : `${reason}; ${obstacle}` }]);
}

async function runMissing(
  terminal: Terminal,
  place: Place,
  { subject, asked }: { readonly subject: Subject; readonly asked: Asked },
): Promise<string | undefined> {
  const here = await workTreeSubject(place);
  if (!here.ok) return explain(here.trouble);
  if (here.value.tree !== subject.tree)
    return "its gates cannot be run, because the work tree holds other files";
  const stdout = asked.json ? terminal.stderr : terminal.stdout;
  await asked.runGates({ ...terminal, stdout });
  return undefined;
}

function told({ name, commit }: Subject, answer: Answer): VerifiedSubject {
  if (answer.kind === "no-pass") return { name, commit, verified: false, reason: answer.reason };
  const { record } = answer;
  const { at, status, host, door, rests } = record;
  const resting = rests === undefined ? "" : `, resting on ${rests.join(" and ")}`;
  const reason = `${status} at ${new Date(at).toISOString()} (${host ?? door}${resting})`;
  return { name, commit, verified: true, reason, record };
}

async function verifyPush(terminal: Terminal, place: Place, options: VerifyOptions): Promise<Verified> {
  const remote = typeof options.prePush === "string" ? options.prePush : undefined;
  const verified: VerifiedSubject[] = [];
  for (const pushed of readPushedRefs(await textOf(terminal.stdin))) {
    const one = await verifyRef(terminal, place, { pushed, remote, options });
    if (!one.ok || typeof one.value === "string") return one;
    verified.push(...one.value);
  }
  return ok(verified);
}

async function verifyRef(
  terminal: Terminal,
  place: Place,
  { pushed, remote, options }: { pushed: PushedRef; remote: string | undefined; options: VerifyOptions },
): Promise<Verified> {
  const { localRef: name, commit } = pushed;
  const unchecked = await whyUnchecked(place, pushed, remote);
  if (unchecked !== undefined) return ok([{ name, verified: true, reason: `not checked: ${unchecked}` }]);
  const found = await verifyOne(terminal, place, { ...options, name: commit });
  if (!found.ok && found.trouble.kind === "no-config")
    return ok([{ name, commit, verified: true, reason: "not checked: it has no gates" }]);
  if (!found.ok || typeof found.value === "string") return found;
  return ok(found.value.map((one) => ({ ...one, name })));
}

interface PushedRef {
  readonly localRef: string;
  readonly commit: string;
  readonly remoteRef: string;
}

function readPushedRefs(text: string): readonly PushedRef[] {
  return text
    .split("\n")
    .map((line) => line.trim().split(" "))
    .filter((words) => words.length === 4)
    .map(([localRef = "", commit = "", remoteRef = ""]) => ({ localRef, commit, remoteRef }));
}

async function whyUnchecked(
  place: Place,
  { commit, remoteRef }: PushedRef,
  remote: string | undefined,
): Promise<string | undefined> {
  if (/^0+$/.test(commit)) return "it is deleted";
  if (remoteRef.startsWith("refs/notes/")) return "notes are not work";
  const kind = await new Git(place.root).output(["cat-file", "-t", `${commit}^{}`]);
  if (kind.ok && kind.value.toString().trim() !== "commit") return "it is not a commit";
  if (remote === undefined || !/^[\w.-]+$/.test(remote)) return undefined;
  return (await hasAlready(place, commit, remote)) ? `${remote} has it already` : undefined;
}

/**
 * Tracking refs are files that anything here can write, so they only tell when it is worth asking the remote itself for its branches
 * and tags. If it is silent, the tracking ref of the base branch counts.
 */
async function hasAlready({ root, env }: Place, commit: string, remote: string): Promise<boolean> {
  const git = new Git(root, timeLimit(REMOTE_MS));
  const refs = ["for-each-ref", "--count=1", `--contains=${commit}`, `refs/remotes/${remote}/`];
  const known = await git.output(refs);
  if (!known.ok || known.value.length === 0) return false;
  const to = await git.output(["remote", "get-url", "--push", remote]);
  const url = to.ok ? to.value.toString().trim() : remote;
  const listed = await git.output(["ls-remote", "--heads", "--tags", "--", url]);
  const there = listed.ok ? idsIn(listed.value.toString()) : await baseBranchRef(root, env, remote);
  const above = await git.output([
    "rev-list",
    "--max-count=1",
    "--ignore-missing",
    commit,
    "--not",
    ...there,
  ]);
  return above.ok && above.value.length === 0;
}

const REMOTE_MS = 20_000;

function idsIn(listed: string): readonly string[] {
  return listed.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

async function baseBranchRef(root: string, env: Environment, remote: string): Promise<readonly string[]> {
  const loaded = await loadSettingsQuickly(absolutePath(root), env);
  const base = loaded.ok ? loaded.value.settings.baseBranch : "";
  return base.startsWith(`${remote}/`) ? [`refs/remotes/${base}`] : [];
}

export interface AttestOptions {
  readonly revision?: string | undefined;
  readonly json?: boolean;
}

export async function attestCommand(
  terminal: Terminal,
  { revision = "HEAD", json }: AttestOptions,
): Promise<number> {
  const { cwd, env, stdout } = terminal;
  const attested = await attest({ root: findProject(cwd) ?? cwd, env }, revision);
  if (!attested.ok) return tellTrouble(terminal, attested.trouble, { command: "attest", json });
  if (typeof attested.value === "string")
    return refuse(terminal, `${revision} cannot be attested: ${attested.value}.`, {
      command: "attest",
      json,
    });
  const { commit, tree, signer } = attested.value;
  if (json) printLine(stdout, attestJson({ commit, tree, signer, ref: NOTES_REF }));
  else {
    printLine(stdout, `✓ ${revision} (${commit.slice(0, 7)}) is attested by ${signer}.`);
    printLine(stdout, `Share it with \`git push origin ${NOTES_REF}\`.`);
  }
  return EXIT.ok;
}
