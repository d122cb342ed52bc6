import { isRecord, parseJson } from "../../../json.ts";

/** How often each line that can run did, by file, as the report names it. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** lcov, Cobertura, JaCoCo, a profile of Go, JSON of Istanbul or coverage.py; undefined if it is none of these. */
export function readCoverage(text: string): Coverage | undefined {
  const hits = new Hits();
  if (/^\s*[{]/.test(text)) readJson(text, hits);
  else if (/^mode: (?:set|count|atomic)$/m.test(text.slice(0, 200))) readGo(text, hits);
  else if (/<!DOCTYPE report\b|<report\b/.test(text.slice(0, 2_000))) readJacoco(text, hits);
  else if (/<coverage\b/.test(text.slice(0, 2_000))) readCobertura(text, hits);
  else if (/^SF:/m.test(text)) readLcov(text, hits);
  return hits.files.size === 0 ? undefined : hits.files;
}

class Hits {
  readonly files = new Map<string, Map<number, number>>();

  add(file: string, line: number, count: number): void {
    const lines = this.files.get(file) ?? new Map<number, number>();
    this.files.set(file, lines);
    lines.set(line, Math.max(lines.get(line) ?? 0, count));
  }
}

function readLcov(text: string, hits: Hits): void {
  let file = "";
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("SF:")) file = line.slice(3).trim();
    const [, number, count] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
    if (number !== undefined) hits.add(file, Number(number), Number(count));
  }
}

/** `example.org/module/pkg/file.go:3.14,5.2 1 0` */
function readGo(text: string, hits: Hits): void {
  for (const [, file = "", from, to, count] of text.matchAll(/^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/gm))
    for (let line = Number(from); line <= Number(to); line++) hits.add(file, line, Number(count));
}

function readCobertura(text: string, hits: Hits): void {
  for (const [, attributes = "", body = ""] of text.matchAll(/<class\b([^>]*)>([^]*?)<\/class>/g)) {
    const file = attribute(attributes, "filename");
    for (const [, line = ""] of body.matchAll(/<line\b([^>]*)>/g))
      if (file !== undefined)
        hits.add(file, Number(attribute(line, "number")), Number(attribute(line, "hits")));
  }
}

function readJacoco(text: string, hits: Hits): void {
  for (const [, name = "", body = ""] of text.matchAll(/<package\b([^>]*)>([^]*?)<\/package>/g)) {
    const directory = attribute(name, "name");
    for (const [, source = "", lines = ""] of body.matchAll(/<sourcefile\b([^>]*)>([^]*?)<\/sourcefile>/g)) {
      const file = [directory, attribute(source, "name")].filter(Boolean).join("/");
      for (const [, line = ""] of lines.matchAll(/<line\b([^>]*)>/g))
        hits.add(file, Number(attribute(line, "nr")), Number(attribute(line, "ci")));
    }
  }
}

function attribute(text: string, name: string): string | undefined {
  return new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`)
    .exec(text)
    ?.slice(1)
    .find((one) => one !== undefined);
}

function readJson(text: string, hits: Hits): void {
  const report = parseJson(text);
  if (!isRecord(report)) return;
  const { files } = report;
  for (const [name, entry] of Object.entries(isRecord(files) ? files : report)) {
    if (!isRecord(entry)) continue;
    for (const line of numbersIn(entry["executed_lines"])) hits.add(name, line, 1);
    for (const line of numbersIn(entry["missing_lines"])) hits.add(name, line, 0);
    const { statementMap, s } = entry;
    if (isRecord(statementMap) && isRecord(s)) readStatements(name, { statementMap, s }, hits);
  }
}

interface Statements {
  readonly statementMap: Readonly<Record<string, unknown>>;
  readonly s: Readonly<Record<string, unknown>>;
}

function readStatements(file: string, { statementMap, s }: Statements, hits: Hits): void {
  for (const [id, place] of Object.entries(statementMap)) {
    const start = isRecord(place) ? place["start"] : undefined;
    const line = isRecord(start) ? Number(start["line"]) : Number.NaN;
    if (Number.isSafeInteger(line)) hits.add(file, line, Number(s[id] ?? 0));
  }
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((one): one is number => typeof one === "number") : [];
}
