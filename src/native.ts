import { basename } from "node:path";

/** The native executable serves both command lines: the name it is started as decides. */
const name = basename(process.argv0).replace(/\.exe$/i, "");

void (name === "brepl" || name === "brepl-native"
  ? import("./cli/brepl.ts")
  : import("./cli/agent-gauntlet.ts"));
