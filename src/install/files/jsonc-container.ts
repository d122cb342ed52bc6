import type { Node } from "jsonc-parser";

/**
 * Minimal edits of objects and arrays in JSON with comments. Appending and then removing an item gives the same bytes back.
 * How the text remembers: an item put into an empty container touches its opening bracket, while the containers we write
 * ourselves have space behind theirs. So after removing the last item it is known whether the container was there before.
 */
export function appendItem(text: string, container: Node, item: NewItem): string {
  const last = container.children?.at(-1);
  if (last === undefined) return putIntoEmpty(text, container, item);

  const comma = commaAfter(text, last);
  const spot = endOfLineTrivia(text, comma === undefined ? endOf(last) : comma + 1);
  const separated = separator(text, container, item.layout) + render(text, container, item);
  if (comma !== undefined) return splice(text, { at: spot, insert: `${separated},` });
  return splice(splice(text, { at: spot, insert: separated }), { at: endOf(last), insert: "," });
}

export interface NewItem {
  readonly key?: string | undefined;
  readonly value: unknown;
  readonly layout: TextLayout;
}

export function replaceItem(text: string, item: Node, replacement: NewItem): string {
  const isOnOneLine = !text.slice(item.offset, endOf(item)).includes("\n");
  const insert = isOnOneLine
    ? renderInline(replacement)
    : renderAt(lineIndent(text, item.offset), replacement);
  return splice(text, { at: item.offset, remove: item.length, insert });
}

export function removeItem(text: string, item: Node): string {
  const before = startOfSpaceBefore(text, item);
  const comma = commaAfter(text, item);
  if (comma !== undefined) {
    const end = before === item.offset ? gluePoint(text, comma + 1) : comma + 1;
    return splice(text, { at: before, remove: end - before });
  }
  const withoutItem = splice(text, { at: before, remove: endOf(item) - before });
  const previous = siblingBefore(item);
  const orphaned = previous === undefined ? undefined : commaAfter(text, previous);
  return orphaned === undefined ? withoutItem : splice(withoutItem, { at: orphaned, remove: 1 });
}

/** Whether nothing would be lost with the container when its only item goes: we wrote it, and it holds no comment. */
export function existsOnlyFor(text: string, container: Node, item: Node): boolean {
  const isOnlyItem = container.children?.length === 1;
  const wasEmptyBefore = item.offset === container.offset + 1;
  const head = text.slice(container.offset + 1, item.offset);
  const tail = text.slice(endOf(item), endOf(container) - 1);
  return isOnlyItem && !wasEmptyBefore && `${head}${tail}`.replace(",", "").trim() === "";
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

function putIntoEmpty(text: string, container: Node, item: NewItem): string {
  const rendered = renderAt(lineIndent(text, container.offset), item);
  return splice(text, { at: container.offset + 1, insert: rendered });
}

function render(text: string, container: Node, item: NewItem): string {
  if (!isSpread(text, container)) return renderInline(item);
  return renderAt(itemIndent(text, container, item.layout), item);
}

function renderAt(indent: string, { key, value, layout }: NewItem): string {
  const json = reindent(JSON.stringify(value, null, layout.indent), indent, layout.eol);
  return key === undefined ? json : `${JSON.stringify(key)}: ${json}`;
}

function renderInline({ key, value }: NewItem): string {
  const json = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  return key === undefined ? json : `${JSON.stringify(key)}: ${json}`;
}

function separator(text: string, container: Node, layout: TextLayout): string {
  return isSpread(text, container) ? layout.eol + itemIndent(text, container, layout) : " ";
}

function isSpread(text: string, container: Node): boolean {
  const first = container.children?.[0];
  const last = container.children?.at(-1);
  if (first === undefined || last === undefined) return false;
  const edges = text.slice(container.offset, first.offset) + text.slice(endOf(last), endOf(container));
  return edges.includes("\n");
}

function itemIndent(text: string, container: Node, layout: TextLayout): string {
  const sibling = container.children?.findLast((child) => startsItsLine(text, child));
  if (sibling !== undefined) return lineIndent(text, sibling.offset);
  return lineIndent(text, container.offset) + layout.indent;
}

function startsItsLine(text: string, node: Node): boolean {
  return text.slice(text.lastIndexOf("\n", node.offset - 1) + 1, node.offset).trim() === "";
}

function siblingBefore(item: Node): Node | undefined {
  const siblings = item.parent?.children ?? [];
  return siblings[siblings.indexOf(item) - 1];
}

function commaAfter(text: string, node: Node): number | undefined {
  const next = endOf(node) + matchAt(text, endOf(node), /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y).length;
  return text[next] === "," ? next : undefined;
}

/** Behind the comments that share a line with what ends at `offset`. */
function endOfLineTrivia(text: string, offset: number): number {
  return offset + matchAt(text, offset, /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^]*?\*\/))*/y).length;
}

function matchAt(text: string, offset: number, pattern: RegExp): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? "";
}

/** Where the white space in front of a node begins; a line comment keeps the line break that ends it. */
function startOfSpaceBefore(text: string, node: Node): number {
  const start = text.slice(0, node.offset).trimEnd().length;
  const isFollowedByBreak = matchAt(text, commaAfter(text, node) ?? endOf(node), /,?[ \t]*\r?\n/y) !== "";
  return isFollowedByBreak || !endsInLineComment(text, node) ? start : node.offset;
}

function endsInLineComment(text: string, node: Node): boolean {
  const previous = siblingBefore(node);
  const start = previous === undefined ? (node.parent?.offset ?? 0) + 1 : endOf(previous);
  const trivia = text.slice(start, node.offset).trimEnd();
  return [...trivia.matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\//g)].some(
    (comment) => comment[0].startsWith("//") && comment.index + comment[0].length === trivia.length,
  );
}

/** The start of the next item, which then touches the opening bracket in its turn; a comment in between stays where it is. */
function gluePoint(text: string, offset: number): number {
  return offset + matchAt(text, offset, /\s*(?!\s|\/)/y).length;
}

interface Splice {
  readonly at: number;
  readonly remove?: number;
  readonly insert?: string;
}

function splice(text: string, { at, remove = 0, insert = "" }: Splice): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}

export interface TextLayout {
  readonly eol: "\n" | "\r\n";
  readonly indent: string;
}

export const DEFAULT_LAYOUT: TextLayout = { eol: "\n", indent: "  " };

export function detectLayout(text: string): TextLayout {
  const eol = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : DEFAULT_LAYOUT.eol;
  const indent = /^([ \t]+)["[{]/m.exec(text)?.[1] ?? DEFAULT_LAYOUT.indent;
  return { eol, indent };
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function reindent(text: string, indent: string, eol: string): string {
  return text.split("\n").join(`${eol}${indent}`);
}
