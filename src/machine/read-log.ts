import { readFile } from "node:fs/promises";

/** A gate's log as text; bytes that are not UTF-8 become replacement characters, a log that is gone is empty. */
export async function readLog(path: string): Promise<string> {
  return readFile(path).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
}
