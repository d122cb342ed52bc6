import type { Diagnostic } from "../../trouble.ts";
import type { ConfigFiles } from "./config-files.ts";
import type { PathComplaint, YamlSource } from "../yaml/yaml-source.ts";
import type { Path } from "../yaml/yaml-tree.ts";

export interface Declaration<Fields> {
  readonly name: string;
  /** Undefined if what is written is not valid; the name is known all the same. */
  readonly fields?: Fields | undefined;
  readonly file: string;
  readonly complain: (path: Path, complaint: PathComplaint) => Diagnostic;
  readonly writtenAt: (path: Path) => string | undefined;
}

export function declareAt<Fields>(
  name: string,
  fields: Fields | undefined,
  { source, path }: { source: YamlSource; path: Path },
): Declaration<Fields> {
  return {
    name,
    fields,
    file: source.text.file,
    complain: (inner, complaint) => source.complain([...path, ...inner], complaint),
    writtenAt: (inner) => source.writtenAt([...path, ...inner]),
  };
}

export function unreadable(name: string, file: string): Declaration<never> {
  return {
    name,
    file,
    complain: (_path, { severity = "error", message }) => ({ severity, file, message }),
    writtenAt: () => undefined,
  };
}

export function ownFirst<D extends { readonly name: string }>(
  inline: readonly D[],
  fromFiles: readonly D[],
  originOf: (name: string) => string | undefined,
): readonly D[] {
  const names = new Set(fromFiles.map(({ name }) => name));
  return inline.filter(({ name }) => !(names.has(name) && originOf(name) === "inherited"));
}

export function byName<Fields>(
  declarations: readonly Declaration<Fields>[],
  { report }: ConfigFiles,
): ReadonlyMap<string, Declaration<Fields>> {
  const known = new Map<string, Declaration<Fields>>();
  for (const declaration of declarations) {
    const { name, complain } = declaration;
    reportBadName(declaration, report);
    const earlier = known.get(name);
    if (earlier === undefined) known.set(name, declaration);
    else
      report(
        complain([], {
          message: `\`${name}\` is already defined in ${earlier.file}`,
          hint: "rename or remove one of them",
        }),
      );
  }
  return known;
}

export function reportBadName(
  { name, complain }: Declaration<unknown>,
  report: (diagnostic: Diagnostic) => void,
): void {
  if (!isGateName(name))
    report(complain([], { message: `\`${name}\` cannot be the name of a gate`, hint: NAME_RULE }));
}

const NAME_RULE =
  "a name has up to 100 characters, none of them `/`, `\\` or `:`, and does not begin with `-`";

/** Names become part of gate ids, log file names and command lines. */
function isGateName(name: string): boolean {
  return name.length <= 100 && name.trim() === name && /^(?!-)[^/\\:\p{Cc}]+$/u.test(name);
}
