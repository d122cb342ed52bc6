declare const brand: unique symbol;

/** A path as the operating system spells it, from the root of the file system. */
export type AbsolutePath = string & { readonly [brand]: "absolute" };

/** A path relative to the project root, with `/` on every platform; `.` is the project itself. */
export type ProjectPath = string & { readonly [brand]: "project" };

/** Marks a string that the caller knows to be absolute. The only place where the brand is put on. */
export function absolutePath(text: string): AbsolutePath {
  return text as AbsolutePath;
}

/** Marks a string that the caller knows to be project-relative, without leading `./` or trailing `/`. */
export function projectPath(text: string): ProjectPath {
  const trimmed = text.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  return (trimmed === "" ? "." : trimmed) as ProjectPath;
}

/** A path as a terminal may show it: what would break the line, move the cursor or turn the text around is escaped. */
export function displayPath(path: string): string {
  return path.replaceAll(
    UNPRINTABLE,
    (char) => NAMED_ESCAPES[char] ?? `\\u{${char.charCodeAt(0).toString(16)}}`,
  );
}

const UNPRINTABLE = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
