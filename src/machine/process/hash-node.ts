import { createHash } from "node:crypto";
import type { HashEncoding } from "./runtime.ts";

export function sha256(content: string | Uint8Array, encoding: HashEncoding = "hex"): string {
  return createHash("sha256").update(content).digest(encoding);
}

/** For the ids of git; nothing rests on its strength. */
export function sha1(content: Uint8Array): string {
  return createHash("sha1").update(content).digest("hex");
}
