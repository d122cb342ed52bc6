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
