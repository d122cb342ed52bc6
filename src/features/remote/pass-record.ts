import { parseJson } from "../../json.ts";
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { anyOf, isCount, isText, isTime, onlyObjectOf, oneOf, type ShapeOf, textLike } from "../../shape.ts";
import type { TrustedKey } from "../../config/settings.ts";

const isWords = textLike(/^[^]{0,500}$/);
const isInstant = (value: unknown): value is number => isCount(value) && isTime(value);

const isBody = onlyObjectOf({
  v: oneOf(1),
  /** A hash of everything that decided the result; the record is stored under it. */
  key: textLike(/^[\da-f]{64}$/),
  gate: isWords,
  /** The git tree of all files at the time; null where there was none. */
  tree: anyOf<string | null>(oneOf(null), textLike(/^[\da-f]{40,64}$/)),
  status: oneOf("passed"),
  at: isInstant,
  runner: isWords,
  platform: isWords,
  expires: isInstant,
});

export type PassBody = ShapeOf<typeof isBody>;

const isPassRecord = onlyObjectOf({ keyid: isText, body: isBody, sig: isText });

/** A record is about 500 bytes; what is larger is not one. */
export const MAX_RECORD_BYTES = 4096;

export function signedRecord(body: PassBody, key: KeyObject): string {
  const sig = sign(null, signedText(body), key).toString("base64");
  return JSON.stringify({ keyid: keyIdOf(createPublicKey(key)), body, sig });
}

/** The prefix keeps signatures of other things from fitting; the order of fields is fixed. */
function signedText(body: PassBody): Buffer {
  const { v: version, key, gate, tree, status, at, runner, platform, expires } = body;
  const ordered = { v: version, key, gate, tree, status, at, runner, platform, expires } satisfies PassBody;
  return Buffer.from(`agent-gauntlet pass\n${JSON.stringify(ordered)}`);
}

export interface Wanted {
  readonly key: string;
  readonly gate: string;
  readonly platform: string;
  readonly now: number;
  readonly trust: readonly TrustedKey[];
}

export type JudgedRecord =
  | { readonly kind: "pass"; readonly body: PassBody; readonly signer: string }
  | { readonly kind: "refused"; readonly why: string };

/** Clocks of two machines differ by less. */
const CLOCK_SKEW_MS = 300_000;

/** Anyone with write access can store any text, so everything is checked. */
export function judgeRecord(text: string, { key, gate, platform, now, trust }: Wanted): JudgedRecord {
  const read = parseJson(text);
  if (!isPassRecord(read)) return refused("it is cut, or not a record of ours");
  const { keyid, body, sig } = read;
  const signer = trust.find(({ pem }) => publicKeyOf(pem).id === keyid);
  if (signer === undefined) return refused(`it is signed with the key ${shown(keyid)}, which is not trusted`);
  if (!verify(null, signedText(body), publicKeyOf(signer.pem).key, Buffer.from(sig, "base64")))
    return refused("its signature does not fit");
  if (body.key !== key || body.gate !== gate) return refused("it is about another gate or other inputs");
  if (body.platform !== platform) return refused(`it is of another platform, ${shown(body.platform)}`);
  if (body.at > now + CLOCK_SKEW_MS) return refused("it is dated in the future");
  if (body.expires <= now) return refused(`it expired at ${new Date(body.expires).toISOString()}`);
  return { kind: "pass", body, signer: signer.file };
}

export function keyIdOf(key: KeyObject): string {
  const der = key.export({ format: "der", type: "spki" });
  return createHash("sha256").update(der).digest("hex").slice(0, 16);
}

export function keyIdOfPem(pem: string): string {
  return publicKeyOf(pem).id;
}

const publicKeys = new Map<string, { readonly key: KeyObject; readonly id: string }>();

/** Reading a key takes as long as using it, and a run checks many records of few keys. */
function publicKeyOf(pem: string): { readonly key: KeyObject; readonly id: string } {
  const known = publicKeys.get(pem);
  if (known !== undefined) return known;
  const key = createPublicKey(pem);
  const read = { key, id: keyIdOf(key) };
  publicKeys.set(pem, read);
  return read;
}

function refused(why: string): JudgedRecord {
  return { kind: "refused", why };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 20));
}
