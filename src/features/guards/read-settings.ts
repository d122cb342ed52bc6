import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { isRecord } from "../../json.ts";

/** What a settings file says: for each name (`compilerOptions.strict`) its value, or its values, as text. */
export type Said = ReadonlyMap<string, readonly string[]>;

/** Undefined if the text is not what the name of the file says. */
export function readSettings(file: string, text: string): Said | undefined {
  if (/\.(?:toml)$/.test(file)) return flatOf(() => parseToml(text));
  if (/\.ya?ml$/.test(file)) return flatOf(() => parseYaml(text));
  if (/\.(?:[cm]?[jt]s|jsonc?|json5)$|(?:^|\/)\.\w+rc$/.test(file) && !INI_NAMES.test(file))
    return readObjects(text);
  return readIni(text);
}

const INI_NAMES = /(?:^|\/)\.(?:coveragerc|pylintrc)$/;

function flatOf(parse: () => unknown): Said | undefined {
  let value: unknown;
  try {
    value = parse();
  } catch {
    return undefined; // the tool itself complains
  }
  const said = new Settings();
  flatten(value, [], said);
  return said.all;
}

class Settings {
  readonly all = new Map<string, string[]>();

  add(path: readonly string[], value: string): void {
    const name = path.join(".");
    this.all.set(name, [...(this.all.get(name) ?? []), value]);
  }
}

function flatten(value: unknown, path: readonly string[], said: Settings): void {
  if (Array.isArray(value)) for (const one of value) flatten(one, path, said);
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) flatten(one, [...path, key], said);
  else said.add(path, String(value));
}

/** Sections, keys, values that go on in indented lines; lists by commas and blanks. */
function readIni(text: string): Said {
  const said = new Settings();
  let section: readonly string[] = [];
  let key: string | undefined;
  for (const line of text.split("\n")) {
    const code = line.replace(/(?:^|\s)[#;].*$/, "").trimEnd();
    if (code === "") continue;
    const [, heading] = /^\[(.+)\]\s*$/.exec(code) ?? [];
    const [, name, value = ""] = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(code) ?? [];
    if (heading !== undefined) [section, key] = [[heading], undefined];
    else if (name !== undefined) key = name;
    const values = name === undefined && heading === undefined && key !== undefined ? code.trim() : value;
    if (key !== undefined)
      for (const one of values.split(/[,\s]+/).filter(Boolean)) said.add([...section, key], one);
  }
  return said.all;
}

/** Object literals of JavaScript and JSON, whatever is around them: no code is executed. */
function readObjects(text: string): Said {
  const said = new Settings();
  const tokens = tokensIn(text);
  const keys: string[] = [];
  const opened: boolean[] = [];
  let pending: string | undefined;
  tokens.forEach((token, at) => {
    if (token === ":") return;
    if ("{[(".includes(token)) {
      opened.push(pending !== undefined);
      if (pending !== undefined) keys.push(pending);
      pending = undefined;
    } else if ("}])".includes(token)) {
      if (opened.pop() === true) keys.pop();
      pending = undefined;
    } else if (token === ",") pending = undefined;
    else if (tokens[at + 1] === ":") pending = plain(token);
    else said.add(pending === undefined ? keys : [...keys, pending], plain(token));
  });
  return said.all;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/(?:[^/\\\n*]|\\.)+\/[a-z]*|[{}[\](),:]|[^\s{}[\](),:"'`;/]+|\//g;

function tokensIn(text: string): readonly string[] {
  return (text.match(TOKEN) ?? []).filter((token) => !/^\/[/*]/.test(token));
}

function plain(token: string): string {
  return /^["'`]/.test(token) ? token.slice(1, -1) : token;
}
