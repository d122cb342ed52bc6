import { createHash } from "node:crypto";
import type { HashEncoding } from "./runtime.ts";

export function sha256(content: string | Uint8Array, encoding: HashEncoding = "hex"): string {
  return createHash("sha256").update(content).digest(encoding);
}
