import { fail, ok, type Result } from "../../trouble.ts";
import type { FileFormat, FoundEntry } from "./host-files.ts";
import { isOurCommand } from "../hook-command.ts";
import type { FileChange } from "../hook-registration.ts";
import { placeOf } from "./settings-file.ts";

interface TomlHook {
  readonly event: string;
  readonly command: string;
  readonly timeout: number;
}

/** A `[[hooks]]` table for each hook at the end of a TOML file, which is named as people know it. Only our own tables are ever read or changed. */
export function tomlFormat(hooks: readonly TomlHook[], file: string): FileFormat {
  return {
    install: (text) => install(text, hooks, file),
    uninstall: (text) => ok(text === undefined ? UNCHANGED : changed(text, removeTables(text, ours(text)))),
    find: ours,
    isSkipped: () => false,
  };
}

const UNCHANGED: FileChange = { kind: "unchanged" };

function changed(before: string, after: string | undefined): FileChange {
  if (after === undefined) return { kind: "removed" };
  return after === before ? UNCHANGED : { kind: "written", text: after };
}

function install(text: string | undefined, hooks: readonly TomlHook[], file: string): Result<FileChange> {
  const inline = /^[ \t]*hooks[ \t]*=/m.exec(maskStrings(text ?? ""));
  if (inline !== null) return refuse(text ?? "", inline.index, { hooks, file });
  const found = ours(text ?? "");
  const surplus = found.filter(
    ({ event }, at) =>
      !hooks.some((hook) => hook.event === event) || found.findIndex((other) => other.event === event) < at,
  );
  const tidied = text === undefined ? undefined : removeTables(text, surplus);
  const written = hooks.reduce(register, tidied) ?? "";
  return ok(text === undefined ? { kind: "written", text: written } : changed(text, written));
}

function register(text: string | undefined, hook: TomlHook): string {
  if (text === undefined) return `${tableText(hook, "")}\n`;
  const present = ours(text).find(({ event }) => event === hook.event);
  if (present === undefined) return append(text, tableText(hook, text));
  return present.command === hook.command ? text : corrected(text, present, hook);
}

function tableText({ event, command, timeout }: TomlHook, text: string): string {
  const lines = [
    "[[hooks]]",
    `event = ${JSON.stringify(event)}`,
    `command = ${JSON.stringify(command)}`,
    `timeout = ${timeout}`,
  ];
  return lines.join(lineEnd(text));
}

/** Behind one empty line. A file without a line end at its end gets none, so that taking the table out restores its bytes. */
function append(text: string, table: string): string {
  const eol = lineEnd(text);
  if (text.trim() === "") return text + table;
  return text.endsWith("\n") ? `${text}${eol}${table}${eol}` : `${text}${eol}${eol}${table}`;
}

interface FoundTable extends FoundEntry {
  readonly start: number;
  readonly end: number;
}

/** `[[hooks]]` and what follows up to the next empty line or table. */
const TABLE = /(?<=^[ \t]*)\[\[[ \t]*hooks[ \t]*\]\].*(?:\r?\n(?![ \t]*(?:\r?\n|\[|$)).*)*/gm;

function ours(text: string): readonly FoundTable[] {
  return [...maskStrings(text).matchAll(TABLE)].flatMap(({ index: start, 0: table }) => {
    const end = start + table.length;
    const body = text.slice(start, end);
    const command = valueOf(body, "command");
    if (command === undefined || !isOurCommand(command)) return [];
    const timeout = /^[ \t]*timeout[ \t]*=[ \t]*(\d+)/m.exec(body)?.[1];
    const event = valueOf(body, "event") ?? "";
    return [{ event, command, start, end, timeout: timeout === undefined ? undefined : Number(timeout) }];
  });
}

const VALUE = String.raw`[ \t]*=[ \t]*(?:("(?:\\.|[^"\\\n])*")|'([^'\n]*)')`;

function valueOf(body: string, key: string): string | undefined {
  const found = new RegExp(`^[ \\t]*${key}${VALUE}`, "m").exec(body);
  if (found?.[1] === undefined) return found?.[2];
  try {
    return String(JSON.parse(found[1]));
  } catch {
    return undefined; // an escape that JSON does not have: not written by us
  }
}

function corrected(text: string, table: FoundTable, { command }: TomlHook): string {
  const body = text.slice(table.start, table.end);
  const fixed = body.replace(
    new RegExp(`^([ \\t]*command)${VALUE}`, "m"),
    (_, key) => `${key} = ${JSON.stringify(command)}`,
  );
  return text.slice(0, table.start) + fixed + text.slice(table.end);
}

function removeTables(text: string, tables: readonly FoundTable[]): string | undefined {
  const last = tables.at(-1);
  if (last === undefined) return text;
  const before = text.slice(0, last.start);
  const after = text.slice(last.end);
  if (before === "" && /^\r?\n$/.test(after)) return undefined;
  return removeTables(withoutGap(before, after), tables.slice(0, -1));
}

/** Takes out the empty line we put before a table, and the line end that closed it. */
function withoutGap(before: string, after: string): string {
  if (after === "" && before.trim() === "") return before;
  if (after === "") return before.replace(/\r?\n\r?\n$/, "");
  return before.replace(/(\n|^)\r?\n$/, "$1") + after.replace(/^\r?\n/, "");
}

/** The same text with every string and comment blanked out, so that nothing in one is taken for a table. */
function maskStrings(text: string): string {
  return text.replaceAll(STRINGS, (string) => "_".repeat(string.length));
}

const STRINGS = /"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*/g;

function lineEnd(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function refuse(
  text: string,
  offset: number,
  { hooks, file }: { readonly hooks: readonly TomlHook[]; readonly file: string },
): ReturnType<typeof fail> {
  return fail({
    kind: "host-settings-invalid",
    diagnostic: {
      severity: "error",
      file,
      message: "`hooks` is written as a value, beside which no `[[hooks]]` table can stand",
      ...placeOf(text, offset),
    },
    snippet: hooks.map((hook) => tableText(hook, "")).join("\n\n"),
  });
}
