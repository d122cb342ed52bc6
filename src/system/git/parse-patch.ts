import { type ProjectPath, projectPath } from "../../path.ts";

export interface FilePatch {
  readonly file: ProjectPath;
  readonly text: string;
  readonly binary: boolean;
  /** Lines of the new file that the patch touches or shows, from 1, end included. */
  readonly shown: readonly LineRange[];
}

interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Splits the output of `git diff` by file: in its body no line starts with a letter. */
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

export interface TrimmedPatch {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Cuts a patch to a budget: binary and generated files are only named, the largest files are cut first. */
export function trimPatch(patches: readonly FilePatch[], maxChars: number): TrimmedPatch {
  const readable = patches.filter((patch) => !patch.binary && !isGenerated(patch));
  const share = fairShare(
    readable.map(({ text }) => text.length),
    maxChars,
  );
  const cut = readable.map((patch) => cutAtLine(patch, share));
  return {
    text: cut.map(({ text }) => text).join(""),
    notes: [
      ...patches.filter(({ binary }) => binary).map(({ file }) => `${file}: binary, not shown`),
      ...patches
        .filter((patch) => !patch.binary && isGenerated(patch))
        .map(({ file }) => `${file}: generated, not shown`),
      ...cut.flatMap(({ note }) => (note === undefined ? [] : [note])),
    ],
  };
}

/** The largest size at which every file, cut to it, fits the budget: small files stay whole. */
function fairShare(sizes: readonly number[], budget: number): number {
  let left = budget;
  let share = budget;
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Math.max(share, ...sizes);
}

function cutAtLine(patch: FilePatch, maxChars: number): { text: string; note?: string } {
  const { file, text } = patch;
  if (text.length <= maxChars) return { text };
  const end = text.lastIndexOf("\n", Math.max(0, maxChars - 1)) + 1;
  const leftOut = text.slice(end).split("\n").length - 1;
  const note = `${file}: the last ${leftOut} lines of its diff are left out`;
  return {
    text: end === 0 ? "" : `${text.slice(0, end)}[… ${leftOut} more lines of ${file} left out …]\n`,
    note,
  };
}

const GENERATED_NAMES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|gradle\.lockfile|pubspec\.lock|Package\.resolved)$|\.(?:min\.(?:js|css)|map|pb\.go|pb2?\.py|g\.dart|designer\.cs)$/i;
const GENERATED_MARKS = /^\+.{0,20}(?:@generated\b|Code generated .{0,80}DO NOT EDIT|<auto-generated)/m;

/** Known by its name, or by the mark that generators put at the top of their files. */
function isGenerated({ file, text }: FilePatch): boolean {
  return GENERATED_NAMES.test(file) || GENERATED_MARKS.test(text.slice(0, 2_000));
}
