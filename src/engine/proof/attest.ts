import { ok, type Result } from "../../core/trouble.ts";
import type { VerdictRecord } from "../../core/record/verdict-record.ts";
import { now } from "../../machine/clock.ts";
import { Git } from "../../machine/git/git.ts";
import { addToNote, readNote, signingKey } from "../../machine/git/notes.ts";
import { fingerprintOf, sign, signerOf } from "../../machine/process/ssh-keygen.ts";
import {
  type Attested,
  type Envelope,
  envelopeLine,
  passedIn,
  readEnvelope,
  signedText,
  statementText,
  whyNotAttested,
} from "../../report/attestation.ts";
import { commitSubject, type Place, projectInRepository, proofHere } from "./verify.ts";

export interface Attestation {
  readonly commit: string;
  readonly tree: string;
  readonly signer: string;
  readonly record: VerdictRecord;
}

/** Signs that a commit passed and keeps that as a note; a reason in words where there is nothing to sign. */
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

/** Whether an allowed signer attested that a commit passed: who, or why not. */
export type Attestedness =
  | {
      readonly kind: "attested";
      readonly commit: string;
      readonly principal: string;
      readonly signer: string;
      /** The ids of the gates that passed, without those that only warned. */
      readonly passed: readonly string[];
    }
  | { readonly kind: "not-attested"; readonly commit: string; readonly reason: string };

type Signed = Extract<Attestedness, { kind: "attested" }>;

/** Asks the notes of the repository; the ledger of this machine has no say. */
export async function verifyAttested(
  place: Place,
  revision: string,
  allowedSigners: string,
): Promise<Result<Attestedness>> {
  const subject = await commitSubject(place, revision);
  if (!subject.ok) return subject;
  const { commit, tree, gates } = subject.value;
  const about = { commit, tree, gates, project: await projectInRepository(place) };
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
  about: Attested,
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
