import { posix } from "node:path";
import type { Described, Manifests } from "./manifests.ts";

/** The modules of a Go workspace. */
export function readGo({ paths, read }: Manifests): readonly Described[] {
  const directories = wordsAfter(read("go.work") ?? "", "use").map((one) =>
    posix.normalize(one.replace(/^\.\//, "")).replace(/\/$/, ""),
  );
  return directories
    .filter((directory) => directory !== "." && paths.includes(`${directory}/go.mod`))
    .map((directory) => {
      const text = read(`${directory}/go.mod`) ?? "";
      const [name = directory] = wordsAfter(text, "module");
      return { directory, name, manifest: `${directory}/go.mod`, uses: wordsAfter(text, "require") };
    });
}

/** The first word after a directive, on one line or in its block. */
function wordsAfter(text: string, directive: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.replace(/\/\/.*$/, "").trim());
  const found: string[] = [];
  let isInside = false;
  for (const line of lines) {
    const single = new RegExp(`^${directive}\\s+(?!\\()(\\S+)`).exec(line)?.[1];
    if (single !== undefined) found.push(unquoted(single));
    else if (new RegExp(`^${directive}\\s*\\(`).test(line)) isInside = true;
    else if (line === ")") isInside = false;
    else if (isInside && line !== "") found.push(unquoted(line.split(/\s+/)[0] ?? ""));
  }
  return found;
}

function unquoted(word: string): string {
  return word.replaceAll(/["`]/g, "");
}
