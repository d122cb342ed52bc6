import { readdirSync, readFileSync } from "node:fs";

/** The processes that carry `mark` in their environment or on their command line, other than this one. Linux only. */
export function survivors(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => ["environ", "cmdline"].some((file) => read(`/proc/${name}/${file}`).includes(mark)))
    .map(Number);
}

/** A process may end between listing and reading it. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
