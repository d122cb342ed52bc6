import { resolve } from "node:path";

type Argv = readonly [file: string, ...args: string[]];

const ROOT = resolve(import.meta.dirname, "../..");

/** Whether the tests drive the native executable (`AGENT_GAUNTLET_PROGRAM=native`, after `npm run build:native`) instead of the program for Node. */
export const IS_NATIVE = process.env["AGENT_GAUNTLET_PROGRAM"] === "native";

/** What starts the program under test. */
export const GAUNTLET = startOf("agent-gauntlet");
export const BREPL = startOf("brepl");

/** The same for a shell. */
export const GAUNTLET_LINE = GAUNTLET.map((word) => `'${word}'`).join(" ");

function startOf(name: string): Argv {
  return IS_NATIVE ? [nativeFile(name)] : [process.execPath, resolve(ROOT, `dist/cli/${name}.cjs`)];
}

/** The executable of this platform. */
export function nativeFile(name = "agent-gauntlet"): string {
  const isMusl =
    process.platform === "linux" &&
    !JSON.stringify(process.report.getReport()).includes("glibcVersionRuntime");
  return resolve(ROOT, "dist/native", `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`, name);
}
