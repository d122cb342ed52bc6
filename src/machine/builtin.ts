import type * as ChildProcess from "node:child_process";
import type * as Crypto from "node:crypto";
import type * as Os from "node:os";

/** `node:crypto`, loaded when it is first needed: it costs a tenth of Node's own start, and most stops need none of it. */
export function nodeCrypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}

/** `node:os`, which most stops can do without. */
export function nodeOs(): typeof Os {
  return process.getBuiltinModule("node:os");
}

/** `node:child_process`, which brings Node's streams and `net` with it: a fifth of Node's own start. */
export function nodeChildProcess(): typeof ChildProcess {
  return process.getBuiltinModule("node:child_process");
}
