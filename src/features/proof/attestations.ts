import { ok, type Result, fail } from "../../trouble.ts";
import { type Answer, type Claim, findPass, findProof, type TrustingClaim } from "./find-pass.ts";
import type { VerdictRecord } from "../../ledger/verdict-record.ts";
import { now } from "../../system/clock.ts";
import { Git, splitNul } from "../../system/git/git.ts";
import { addToNote, readNote, signingKey, fingerprintOf, sign, signerOf } from "./signed-notes.ts";
import {
  type Attested,
  type Envelope,
  envelopeLine,
  passedIn,
  readEnvelope,
  signedText,
  statementText,
  whyNotAttested,
} from "./attestation.ts";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { absolutePath, displayPath } from "../../path.ts";
import { coversGates, settingsFor, type Settings } from "../../config/settings.ts";
import { scratchDir } from "../../system/files/scratch.ts";
import { Commits } from "../../system/git/compare/base.ts";
import { findPlaces } from "../../system/git/places.ts";
import { WorkTree } from "../../system/git/work-tree.ts";
import { type Environment, isCi } from "../../system/process/environment.ts";
import { findBreak, readLedger, verdictsIn } from "../../ledger/ledger-lines.ts";
import { passIndexOf } from "../../stop/work-tree-store.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { trustedEnvironments } from "../../ledger/trusted-environments.ts";
import { openProject, type Project, readPast } from "../../run/open.ts";

export interface Attestation {
  readonly commit: string;
  readonly tree: string;
  readonly signer: string;
  readonly record: VerdictRecord;
}

export async function attest(place: Place, revision: string): Promise<Result<Attestation | string>> {
  const subject = await commitSubject(place, revision);
  if (!subject.ok) return subject;
  const found = proofHere(place, subject.value);
  if (!found.ok) return found;
  if (found.value.kind === "no-pass") return ok(found.value.reason);
  const { record } = found.value;
  const git = new Git(place.root);
  const key = await signingKey(git, place.env);
  if (!key.ok) return key;
  const signer = await fingerprintOf(key.value);
  if (!signer.ok) return signer;
  const { commit, tree, gates } = subject.value;
  const project = await projectInRepository(place);
  const payload = statementText(record, { commit, tree, gates, project }, signer.value);
  const signature = await sign(signedText(payload), key.value);
  if (!signature.ok) return signature;
  const line = envelopeLine(payload, { signature: signature.value, keyid: signer.value });
  const added = await addToNote(git, commit, line);
  return added.ok ? ok({ commit, tree, signer: signer.value, record }) : added;
}

export type Attestedness =
  | {
      readonly kind: "attested";
      readonly commit: string;
      readonly principal: string;
      readonly signer: string;
      readonly passed: readonly string[];
    }
  | { readonly kind: "not-attested"; readonly commit: string; readonly reason: string };

type Signed = Extract<Attestedness, { kind: "attested" }>;

interface AttestedHow {
  readonly allowedSigners: string;
  readonly eachGate?: boolean;
}

/** Reads the notes of the repository only, not the ledger of this machine. */
export async function verifyAttested(
  place: Place,
  revision: string,
  { allowedSigners, eachGate }: AttestedHow,
): Promise<Result<Attestedness>> {
  const subject = await commitSubject(place, revision);
  if (!subject.ok) return subject;
  const { commit, tree, gates } = subject.value;
  const about = { commit, tree, gates, project: await projectInRepository(place), eachGate };
  const note = await readNote(new Git(place.root), commit);
  if (!note.ok) return note;
  let reason =
    "there is no attestation for it (`git fetch origin refs/notes/gauntlet:refs/notes/gauntlet` gets what others did)";
  for (const line of note.value) {
    const judged = await judgeLine(line, about, allowedSigners);
    if (!judged.ok) return judged;
    if (typeof judged.value !== "string") return ok({ kind: "attested", commit, ...judged.value });
    reason = `its attestation does not count: ${judged.value}`;
  }
  return ok({ kind: "not-attested", commit, reason });
}

async function judgeLine(
  line: string,
  about: Attested & { readonly eachGate?: boolean | undefined },
  allowedSigners: string,
): Promise<Result<Pick<Signed, "principal" | "signer" | "passed"> | string>> {
  const envelope = readEnvelope(line);
  if (typeof envelope === "string") return ok(envelope);
  const signer = await whoSigned(envelope, allowedSigners);
  if (!signer.ok) return signer;
  if (typeof signer.value === "string") return ok(signer.value);
  const { principal, fingerprint } = signer.value;
  const why = whyNotAttested(envelope.payload, { ...about, signer: fingerprint, now: now() });
  return ok(why ?? { principal, signer: fingerprint, passed: passedIn(envelope.payload) });
}

async function whoSigned({ payload, signature, keyid }: Envelope, allowedSigners: string) {
  const signer = await signerOf(signedText(payload), signature, allowedSigners);
  if (!signer.ok) return signer;
  if (signer.value === undefined) return ok("no allowed signer signed exactly this");
  return ok(
    signer.value.fingerprint === keyid ? signer.value : "it names another key than the one that signed it",
  );
}

export interface Place {
  readonly root: string;
  readonly env: Environment;
}

export interface Subject extends Claim {
  readonly name: string;
  readonly commit?: string;
  /** Why a pass of other bytes may be meant: git stores both alike. */
  readonly doubt?: string;
}

interface CommitSubject extends Subject {
  readonly commit: string;
}

export async function workTreeSubject({ root, env }: Place): Promise<Result<Subject>> {
  const opened = await openProject({ cwd: root, env });
  if (!opened.ok) return opened;
  await using tree = await WorkTree.open(opened.value);
  const snapshot = await tree.snapshot();
  const found = await snapshot.fingerprint();
  if (found.kind === "tree") {
    const { gateHash: gates } = opened.value.settings;
    const doubt = await doubtAbout(opened.value, { tree, id: found.hash });
    return ok({ name: "the work tree", tree: found.hash, sizes: snapshot.sizes(), gates, doubt });
  }
  const repository = await new Git(root).output(["rev-parse", "--git-dir"]);
  const detail = `these files are not a git tree: ${found.reason}`;
  return repository.ok ? fail({ kind: "git-failed", command: "git write-tree", detail }) : repository;
}

/**
 * Files that git converts may differ from those that passed, in the same size. Only the last pass knows if they were written
 * since.
 */
async function doubtAbout(
  project: Project,
  { tree, id }: { readonly tree: WorkTree; readonly id: string },
): Promise<string | undefined> {
  const unlike = await (await tree.snapshot()).unlikeGit();
  const names = unlike === undefined ? undefined : [...unlike.names, ...unlike.filtered];
  if (names?.length === 0) return undefined;
  const { pass } = readPast(project).workTree;
  const isOfPass = pass?.fingerprint === id && coversGates(pass.key.gates, project.settings.gateHash);
  const index = isOfPass ? passIndexOf(project.stateDir, pass) : undefined;
  if (index !== undefined && (await tree.isUnchangedSince(index))) return undefined;
  const [first, ...others] = names?.map((name) => displayPath(name)) ?? ["some file"];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${first}${more} may have other bytes than what passed: git keeps the same of both`;
}

export async function commitSubject(place: Place, revision: string): Promise<Result<CommitSubject>> {
  const git = new Git(place.root);
  const commits = new Commits(git);
  const commit = await commits.resolve(revision);
  if (commit === undefined) return fail(commits.trouble ?? { kind: "unknown-revision", revision });
  const tree = await git.output(["rev-parse", "--verify", `${commit}^{tree}`]);
  if (!tree.ok) return tree;
  const gates = await gatesAt(git, commit, place);
  return gates.ok
    ? ok({ name: revision, commit, tree: tree.value.toString().trim(), gates: gates.value })
    : gates;
}

/** The hash of a commit's gates, or of the work tree's if the configuration is not committed. */
async function gatesAt(git: Git, commit: string, place: Place): Promise<Result<string>> {
  const committed = await settingsOfCommit(git, commit, place);
  if (!committed.ok) return committed;
  const asker = { ci: isCi(place.env) };
  if (committed.value !== undefined) return ok(settingsFor(committed.value, asker).gateHash);
  const loaded = await loadSettings(absolutePath(place.root), place.env);
  return loaded.ok ? ok(settingsFor(loaded.value.settings, asker).gateHash) : loaded;
}

export async function settingsOfCommit(
  git: Git,
  commit: string,
  { env }: Place,
): Promise<Result<Settings | undefined>> {
  const files = await filesAt(git, commit);
  if (!files.ok) return files;
  if (!(".gauntlet/config.yml" in files.value) && !(".validator/config.yml" in files.value))
    return ok(undefined);
  await using scratch = await scratchDir(files.value);
  const loaded = await loadSettings(absolutePath(scratch.path), env);
  return loaded.ok ? ok(loaded.value.settings) : loaded;
}

async function filesAt(git: Git, commit: string): Promise<Result<Readonly<Record<string, string>>>> {
  const listed = await git.output(["ls-tree", "-r", "-z", commit, "--", ".gauntlet", ".validator"]);
  if (!listed.ok) return listed;
  const files: Record<string, string> = {};
  for (const entry of splitNul(listed.value)) {
    const [, id, path] = /^100\d+ blob (\w+)\t(.+)$/s.exec(entry) ?? [];
    if (id === undefined || path === undefined) continue; // a link or a submodule holds no configuration
    const content = await git.output(["cat-file", "blob", id]);
    if (!content.ok) return content;
    files[path] = content.value.toString();
  }
  return ok(files);
}

/** Whether the ledger has a pass for exactly this. The chain from that line to the end must be intact. */
export function verifyHere(place: Place, subject: Subject): Result<Answer> {
  const found = askLedger(place, subject, findPass);
  const { doubt } = subject;
  if (doubt === undefined || !found.ok || found.value.kind === "no-pass") return found;
  return ok({ kind: "no-pass", reason: doubt });
}

function proofHere(place: Place, subject: Claim): Result<Answer> {
  return askLedger(place, subject, findProof);
}

function askLedger(
  place: Place,
  claim: Claim,
  find: (newestFirst: readonly VerdictRecord[], claim: TrustingClaim) => Answer,
): Result<Answer> {
  const read = readLedger(ledgerOf(place.root, place.env));
  if (!read.ok) return read;
  const environments = trustedEnvironments(place);
  const found = find([...verdictsIn(read.value, claim.tree)], { ...claim, environments });
  const broken = found.kind === "pass" ? findBreak(read.value, found.record) : undefined;
  if (broken === undefined) return ok(found);
  const reason = `line ${broken.line} of the ledger is not as it was written (\`agent-gauntlet log --check\`)`;
  return ok({ kind: "no-pass", reason });
}

async function projectInRepository({ root }: Place): Promise<string> {
  const places = await findPlaces(new Git(root));
  return places?.prefix.replace(/\/$/, "") || ".";
}
