import { basename } from "node:path";
import { startGauntlet } from "./cli/start-gauntlet.ts";

/** The native executable serves both command lines: the name it is started as decides. */
const name = basename(process.argv0).replace(/\.exe$/i, "");

if (name === "brepl" || name === "brepl-native")
  void import("./brepl/start-brepl.ts").then(({ startBrepl }) => startBrepl());
else void startGauntlet();
