import { type ProjectPath, projectPath } from "../../core/path.ts";

/** The part of a patch that is about one file. */
export interface FilePatch {
  readonly file: ProjectPath;
  readonly text: string;
  readonly binary: boolean;
  /** Lines of the new file that the patch touches or shows, 1-based, end included. */
  readonly shown: readonly LineRange[];
}

interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Splits the output of `git diff` by file. Only headers start at the beginning of a line with a letter. */
export function parsePatch(patch: string): readonly FilePatch[] {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((section) => section.startsWith("diff --git "))
    .map(readSection);
}

function readSection(text: string): FilePatch {
  const firstHunk = text.search(/^@@ /m);
  const header = firstHunk === -1 ? text : text.slice(0, firstHunk);
  return {
    file: projectPath(fileOf(header)),
    text,
    binary: /^(?:Binary files |GIT binary patch)/m.test(header),
    shown: [...text.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, start, count]) => {
      const first = Number(start);
      return { first, last: first + Math.max(0, Number(count ?? 1) - 1) };
    }),
  };
}

function fileOf(header: string): string {
  const [first = "", ...rest] = header.split("\n");
  const named = ["+++ ", "rename to ", "copy to ", "--- "].flatMap((label) => {
    const line = rest.find((candidate) => candidate.startsWith(label));
    return line === undefined || line.endsWith("/dev/null")
      ? []
      : [{ label, name: line.slice(label.length) }];
  })[0];
  if (named === undefined) return sameNameTwice(first.slice("diff --git ".length));
  const name = unquote(named.name.replace(/\t$/, ""));
  return named.label.endsWith("to ") ? name : withoutPrefix(name);
}

/** `a/x y b/x y`: a mode change or a binary file names itself twice and nowhere else. */
function sameNameTwice(names: string): string {
  if (names.startsWith('"')) return withoutPrefix(unquote(names.slice(0, names.length / 2)));
  return withoutPrefix(names.slice(0, (names.length - 1) / 2));
}

function withoutPrefix(name: string): string {
  return name.replace(/^[ab]\//, "");
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** git quotes names with quotes, backslashes or control characters the way C does. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const inner = name.slice(1, name.lastIndexOf('"'));
  return inner.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    /^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
}
