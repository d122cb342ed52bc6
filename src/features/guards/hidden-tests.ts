import { isForeign, languageOf } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine } from "./patched-file.ts";
import { bodyOf, type Declaration, type TestSource } from "./test-source.ts";

export interface HiddenTest {
  readonly test: Declaration;
  readonly issue: string;
}

/** Tests whose body stays under a name, or without the mark, by which a runner finds them. */
export function hiddenTests(source: TestSource, files: readonly PatchedFile[]): readonly HiddenTest[] {
  const renamed = source.removed.filter(({ name }) => !source.added.some((one) => one.name === name));
  return renamed.flatMap((test): readonly HiddenTest[] => {
    const now = test.isAnnotated ? withoutMark(test, source) : newNameOf(test, source);
    if (now === undefined || isCalled(now, files)) return [];
    const words = now === test.name ? "its mark removed" : `renamed to \`${now}\``;
    return [{ test, issue: `test that no runner finds any more, ${words}: \`${normal(test.name)}\`` }];
  });
}

/** The function stays where it was, and nothing else marks it. */
function withoutMark({ name, line, named }: Declaration, { hunks }: TestSource): string | undefined {
  if (named.kind !== "kept" || line.kind !== "removed") return undefined;
  const between = (hunks[named.hunk] ?? []).slice(Math.max(0, line.at - 3), named.at);
  return between.some(({ kind, text }) => kind === "added" && MARK.test(text)) ? undefined : name;
}

const MARK = /^\s*(?:@|#?\[)/;

/** Another function begins in place of the test, and its body is the test's. */
function newNameOf(test: Declaration, source: TestSource): string | undefined {
  const { named } = test;
  const around = (source.hunks[named.hunk] ?? []).slice(Math.max(0, named.at - 3), named.at + 4);
  const added = around.filter(({ kind }) => kind === "added").map(({ text }) => text);
  const heads = added.filter((text) => !source.language.test.test(text));
  const now = heads.map((text) => FUNCTION.exec(text)?.groups?.["name"]).find((name) => name !== undefined);
  const isBodyKept = bodyOf(test, source).some(({ kind, text }) => kind === "kept" && /\w/.test(text));
  return isBodyKept && named.kind === "removed" ? now : undefined;
}

const FUNCTION =
  /^\s*(?:(?:public|private|protected|final|static|async|export)\s+)*(?:def|func|function|fn|fun|void)\s+(?:\([^)]*\)\s*)?(?<name>\w+)\s*[(<]/;

/** As a helper of other tests it still runs. */
function isCalled(name: string, files: readonly PatchedFile[]): boolean {
  const call = new RegExp(String.raw`\b${name}\b`);
  const others = ({ kind, text }: PatchLine): boolean =>
    kind !== "removed" && FUNCTION.exec(text)?.groups?.["name"] !== name;
  return files.some(({ lines }) => lines.some((line) => others(line) && call.test(line.text)));
}

/** `sum.test.js` → `sum.helper.js`, `sum_test.go` → `sum_tests.go`: the tests are there, and no runner looks. */
export function isHiddenFile({ file, renamedFrom }: PatchedFile): boolean {
  if (renamedFrom === undefined || isForeign(renamedFrom) || !isNamedAsTest(renamedFrom)) return false;
  return !isNamedAsTest(file) && directoryOf(file) === directoryOf(renamedFrom);
}

function isNamedAsTest(file: string): boolean {
  const language = languageOf(file);
  const name = file.split("/").at(-1) ?? "";
  return language?.testFile.test(name) === true && !NO_TEST.test(name);
}

/** The name of the file alone says it, but tests are elsewhere. */
const NO_TEST = /^conftest\.py$|\.rs$/;

function directoryOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}
