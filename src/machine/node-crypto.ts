import type * as Crypto from "node:crypto";
import { createRequire } from "node:module";

/** `node:crypto`, loaded when it is first needed: it costs a tenth of Node's own start, and most stops need none of it. */
export function nodeCrypto(): typeof Crypto {
  return createRequire(process.execPath)("node:crypto") as typeof Crypto; // what Node has under this name
}
