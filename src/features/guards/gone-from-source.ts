import { isForeign, languageOf } from "./languages.ts";
import type { PatchedFile, PatchLine } from "./patched-file.ts";

/** What the source outside of tests no longer has, and which of its words came and went. */
export interface SourceChange {
  readonly goneNames: ReadonlySet<string>;
  readonly cameWords: ReadonlySet<string>;
  readonly wentWords: ReadonlySet<string>;
}

export function sourceChange(files: readonly PatchedFile[]): SourceChange {
  const source = files.filter(({ file }) => isSource(file));
  const [removed, added] = [linesOf(source, "removed"), linesOf(source, "added")];
  const stays = new Set(
    source.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== "removed").flatMap(namesIn)),
  );
  const shrunk = source.flatMap(({ hunks }) => hunks.filter(hasFewerNames).flat());
  const gone = shrunk.filter(({ kind }) => kind === "removed").flatMap(namesIn);
  return {
    goneNames: new Set(gone.filter((name) => !stays.has(name))),
    cameWords: new Set(added.flatMap(({ text }) => wordsIn(text))),
    wentWords: new Set(removed.flatMap(({ text }) => wordsIn(text))),
  };
}

/** Whether it is about something that the change takes out of the source. */
export function isAboutGone(lines: readonly PatchLine[], { goneNames }: SourceChange): boolean {
  return goneNames.size > 0 && lines.some(({ text }) => wordsIn(text).some((word) => goneNames.has(word)));
}

/** Every word that differs in the snapshot came or went in the source, too. */
export function showsSource({ lines }: PatchedFile, { cameWords, wentWords }: SourceChange): boolean {
  const words = (wanted: PatchLine["kind"]) =>
    lines.filter(({ kind }) => kind === wanted).flatMap(({ text }) => wordsIn(text));
  const [was, is] = [words("removed"), words("added")];
  const [old, fresh] = [new Set(was), new Set(is)];
  const went = was.filter((word) => !fresh.has(word));
  const came = is.filter((word) => !old.has(word));
  const isShown = [...went, ...came].length > 0;
  return isShown && went.every((word) => wentWords.has(word)) && came.every((word) => cameWords.has(word));
}

/** Code that is neither a test nor somebody else's. */
export function isSource(file: string): boolean {
  const language = languageOf(file);
  return (
    language !== undefined && !isForeign(file) && !(language.testsOnly?.file ?? language.testFile).test(file)
  );
}

function linesOf(files: readonly PatchedFile[], wanted: PatchLine["kind"]): readonly PatchLine[] {
  return files.flatMap(({ lines }) => lines.filter(({ kind }) => kind === wanted));
}

/** With as many new names as old ones, things were renamed. */
function hasFewerNames(lines: readonly PatchLine[]): boolean {
  const count = (wanted: PatchLine["kind"]) =>
    lines.filter(({ kind }) => kind === wanted).flatMap(namesIn).length;
  return count("removed") > count("added");
}

const DECLARES =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|final|pub(?:\([^)]*\))?|async|abstract|override|suspend|open|inline)\s+)*(?:function\*?|class|interface|type|enum|const|let|var|defp?|func|fn|fun|struct|trait|record|module|object|void|int|String|boolean|\(defn-?)\s+(?:\([^)]*\)\s*)?(?<name>[A-Za-z_$][\w$]*)/;

function namesIn({ text }: PatchLine): readonly string[] {
  const name = DECLARES.exec(text)?.groups?.["name"];
  return name === undefined ? [] : [name];
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}
