import { bun, type HashEncoding } from "./runtime.ts";

/** `node:crypto` takes Bun 1.7 ms to load. */
export function sha256(content: string | Uint8Array, encoding: HashEncoding = "hex"): string {
  if (bun === undefined) throw new Error("this is not the native program"); // package.json names this file for Bun alone
  return new bun.CryptoHasher("sha256").update(content).digest(encoding);
}

/** For the ids of git; nothing rests on its strength. */
export function sha1(content: Uint8Array): string {
  if (bun === undefined) throw new Error("this is not the native program"); // as above
  return new bun.CryptoHasher("sha1").update(content).digest("hex");
}
