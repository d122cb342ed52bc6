import { fail, ok, type Result } from "../core/trouble.ts";
import type { FileFormat, FoundEntry } from "./file-format.ts";
import { isOurCommand } from "./hook-command.ts";
import type { FileChange } from "./hook-registration.ts";
import { HOOK_TIMEOUT_MS } from "./host-registration.ts";
import { placeOf } from "./settings-text.ts";

interface TomlHook {
  readonly event: string;
  readonly command: string;
  /** As shown to people. */
  readonly file: string;
}

/** One `[[hooks]]` table at the end of a TOML file. Only our own table is ever read or changed. */
export function tomlFormat(hook: TomlHook): FileFormat {
  return {
    install: (text) => install(text, hook),
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

function install(text: string | undefined, hook: TomlHook): Result<FileChange> {
  const table = tableText(hook, text ?? "");
  if (text === undefined) return ok({ kind: "written", text: `${table}\n` });
  const inline = /^[ \t]*hooks[ \t]*=/m.exec(maskStrings(text));
  if (inline !== null) return refuse(text, inline.index, hook);
  const [first, ...surplus] = ours(text);
  if (first === undefined) return ok({ kind: "written", text: append(text, table) });
  const tidied = removeTables(text, surplus) ?? "";
  const isRight = first.event === hook.event && first.command === hook.command;
  return ok(changed(text, isRight ? tidied : corrected(tidied, first, hook)));
}

function tableText({ event, command }: TomlHook, text: string): string {
  const lines = [
    "[[hooks]]",
    `event = ${JSON.stringify(event)}`,
    `command = ${JSON.stringify(command)}`,
    `timeout = ${HOOK_TIMEOUT_MS / 1000}`,
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
    return [{ event, command, start, end, ...(timeout === undefined ? {} : { timeout: Number(timeout) }) }];
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

function corrected(text: string, table: FoundTable, { event, command }: TomlHook): string {
  const body = text.slice(table.start, table.end);
  const fixed = body
    .replace(new RegExp(`^([ \\t]*event)${VALUE}`, "m"), (_, key) => `${key} = ${JSON.stringify(event)}`)
    .replace(new RegExp(`^([ \\t]*command)${VALUE}`, "m"), (_, key) => `${key} = ${JSON.stringify(command)}`);
  return text.slice(0, table.start) + fixed + text.slice(table.end);
}

/** Undefined when nothing of the file is left. */
function removeTables(text: string, tables: readonly FoundTable[]): string | undefined {
  const [table] = tables.toReversed();
  if (table === undefined) return text;
  const before = text.slice(0, table.start);
  const after = text.slice(table.end);
  const rest = removeTables(before, tables.slice(0, -1)) ?? "";
  if (rest === "" && /^\r?\n$/.test(after)) return undefined;
  return withoutGap(rest, after);
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

function refuse(text: string, offset: number, hook: TomlHook): ReturnType<typeof fail> {
  return fail({
    kind: "host-settings-invalid",
    diagnostic: {
      severity: "error",
      file: hook.file,
      message: "`hooks` is written as a value, beside which no `[[hooks]]` table can stand",
      ...placeOf(text, offset),
    },
    snippet: tableText(hook, ""),
  });
}
