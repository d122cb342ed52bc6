import { type Node, type ParseError, getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import { join } from "node:path";
import { type Result, ok } from "../../trouble.ts";
import { readUserFile, removeUserFile, replaceUserFile } from "../../system/files/user-file.ts";
import type { FileChange, HookRegistration } from "../hook-registration.ts";
import type { planInstall } from "../plan-hooks.ts";

export interface SettingsProblem {
  readonly offset: number;
  readonly message: string;
}

export type ParsedSettings =
  | { readonly ok: true; readonly root: Node | undefined }
  | { readonly ok: false; readonly problem: SettingsProblem };

export function parseSettings(text: string): ParsedSettings {
  if (text.trim() === "") return { ok: true, root: undefined };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return refuse(first.offset, `not valid JSON: ${inWords(first.error)}`);
  if (root?.type !== "object") return refuse(root?.offset ?? 0, "must be a JSON object");
  return { ok: true, root };
}

/** Whether a reader without trailing commas and, by default, without comments accepts it. */
export function isPlainJson(text: string, { comments = false } = {}): boolean {
  const errors: ParseError[] = [];
  parseTree(text.replace(/^\uFEFF/, ""), errors, { disallowComments: !comments, allowTrailingComma: false });
  return errors.length === 0;
}

export function findProperty(object: Node, key: string): Node | SettingsProblem | undefined {
  const named = properties(object).filter((property) => property.key === key);
  const [first, second] = named;
  if (second !== undefined) return { offset: second.offset, message: `"${key}" is there twice` };
  return first?.value;
}

export function properties(object: Node): readonly { key: string; value: Node; offset: number }[] {
  return (object.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return [];
    return [{ key: String(getNodeValue(key)), value, offset: property.offset }];
  });
}

export function isProblem(found: Node | SettingsProblem | undefined): found is SettingsProblem {
  return found !== undefined && "message" in found;
}

export function isNode(found: Node | SettingsProblem | undefined): found is Node {
  return found !== undefined && !isProblem(found);
}

export function placeOf(text: string, offset: number): { line: number; column: number; excerpt: string } {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(0, start).split("\n").length;
  const excerpt = text.slice(start).split(/\r?\n/, 1)[0] ?? "";
  return { line, column: offset - start + 1, excerpt };
}

function refuse(offset: number, message: string): ParsedSettings {
  return { ok: false, problem: { offset, message } };
}

function inWords(code: ParseError["error"]): string {
  return EXPLANATIONS[printParseErrorCode(code)] ?? "it breaks off here";
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  CommaExpected: "a comma is missing before this",
  ColonExpected: "a colon is missing before this",
  ValueExpected: "a value is missing here",
  PropertyNameExpected: "a property name in double quotes is missing here",
  CloseBraceExpected: "a closing } is missing here",
  CloseBracketExpected: "a closing ] is missing here",
  EndOfFileExpected: "nothing may follow the closing bracket",
  InvalidSymbol: "this is not JSON",
  InvalidNumberFormat: "this is not a number",
  InvalidCharacter: "this character is not allowed here",
  InvalidUnicode: "this \\u escape is not valid",
  InvalidEscapeCharacter: "this escape is not valid",
  UnexpectedEndOfString: "this string is not closed",
  UnexpectedEndOfComment: "this comment is not closed",
};

export interface SettingsEdit {
  readonly path: string;
  readonly before: string | undefined;
  readonly change: FileChange;
}

export async function prepareEdit(
  directory: string,
  registration: HookRegistration,
  plan: typeof planInstall,
): Promise<Result<SettingsEdit>> {
  const path = join(directory, registration.file);
  const text = await readUserFile(path);
  if (!text.ok) return text;
  const change = plan(text.value, registration);
  return change.ok ? ok({ path, before: text.value, change: change.value }) : change;
}

export async function applyEdit({ path, change }: SettingsEdit): Promise<Result<undefined>> {
  switch (change.kind) {
    case "unchanged":
      return ok(undefined);
    case "written":
      return replaceUserFile(path, change.text);
    case "removed":
      return removeUserFile(path);
  }
}

export function isIgnoredByHost({ change }: SettingsEdit, { shape }: HookRegistration): boolean {
  return change.kind === "written" && shape.isStrictJson === true && !isPlainJson(change.text);
}

const CONTEXT = 2;

export function previewChange(file: string, before: string | undefined, change: FileChange): string {
  if (change.kind === "unchanged") return `  ${file}: nothing to change\n`;
  const old = linesOf(before ?? "");
  const changed = change.kind === "removed" ? [] : linesOf(change.text);
  const edited = change.kind === "removed" ? "removed" : "changed";
  const head = before === undefined ? "new file" : edited;
  return [`  ${file} (${head})`, ...hunk(old, changed).map((line) => `    ${line}`), ""].join("\n");
}

/** Our edits are one insertion or one removal, give or take a comma: what lies between the common ends is the change. */
function hunk(old: readonly string[], changed: readonly string[]): readonly string[] {
  const head = commonLength(old, changed);
  const tail = commonLength(old.slice(head).toReversed(), changed.slice(head).toReversed());
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...changed.slice(head, changed.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map((line) => `  ${line}`),
  ];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const difference = one.findIndex((line, index) => line !== other[index]);
  return difference === -1 ? Math.min(one.length, other.length) : difference;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
}
