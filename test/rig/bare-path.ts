import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** A PATH with these programs and no others: a global agent-gauntlet may lie beside `node`, agents in /usr/bin. */
export const BARE_PATH = mkdtempSync(join(tmpdir(), "gauntlet-bare-"));
process.on("exit", () => rmSync(BARE_PATH, { recursive: true }));

symlinkSync(process.execPath, join(BARE_PATH, "node"));
for (const name of ["git", "npm", "sh", "cat", "ps"]) {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, name));
  const place = places.find((file) => existsSync(file));
  if (place !== undefined) symlinkSync(place, join(BARE_PATH, name));
}
