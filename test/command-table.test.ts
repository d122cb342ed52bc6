import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { gauntletCommands } from "../src/cli/command-table.ts";
import { readPage } from "./rig/docs.ts";
import { commandsReference } from "./schema/commands-reference.ts";

/** Their output is a protocol, a script or help already, or they talk with a person. */
const NOT_FOR_MACHINES = [
  "acp",
  "mcp",
  "worker",
  "stop-hook",
  "session-start",
  "statusline",
  "brepl",
  "completion",
  "help",
  "parse",
  "init",
  "install",
  "uninstall",
  "simulate",
  "dashboard",
  "demo",
  "report",
  "deny",
  "accept",
  "skip",
  "prompt-hook",
  "config-hook",
  "edit-hook",
  "run-ahead",
];

const program = gauntletCommands(async () => {}, "all");
const commands = program.commands.map((command) => command.name());

/** Agents call them, or they have another name now. */
const HIDDEN = [
  "health",
  "mcp",
  "stop-hook",
  "prompt-hook",
  "config-hook",
  "edit-hook",
  "run-ahead",
  "session-start",
  "statusline",
];

test("`help --all` names every command for people, the overview the dozen that they use", () => {
  const all = commands.filter((name) => new RegExp(`^  ${name}\\b`, "m").test(helpOf(program)));
  const overview = helpOf(gauntletCommands(async () => {}));

  expect(commands.filter((name) => !all.includes(name))).toEqual(HIDDEN);
  expect(overview.split("\n").filter((line) => /^ {2}[a-z]/.test(line)).length).toBe(13);
  expect(overview).toContain("agent-gauntlet help --all\nDocs: npm docs agent-gauntlet");
});

test.for(program.commands.filter((command) => command.name() !== "brepl"))(
  "the help of $_name says what it does, with every option",
  (command) => {
    const help = helpOf(command);

    expect(help.replaceAll(/\s+/g, " ")).toContain(command.description());
    expect(help).not.toContain("(default: [])");
    for (const { long, description } of command.options) {
      expect(help).toContain(long);
      expect(description).not.toBe("");
    }
  },
);

test("docs/commands-reference.md is up to date", async () => {
  await expect(commandsReference()).toMatchFileSnapshot("../docs/commands-reference.md");
});

test("examples use commands and flags that exist", () => {
  const examples = [program, ...program.commands].flatMap(examplesOf);

  expect(examples.length).toBeGreaterThan(5);
  for (const example of examples) expect(unknownWordsOf(example)).toEqual([]);
});

test.for(program.commands.flatMap((command) => command.options.map((option) => [command, option] as const)))(
  "every declared flag is read",
  ([command, option]) => {
    expect(sourceOf(command), `${command.name()} ${option.flags}`).toMatch(readOf(option));
  },
);

test("every command that looks at a project has --json", () => {
  const without = program.commands.filter(
    (command) => !command.options.some(({ long }) => long === "--json"),
  );

  expect(without.map((command) => command.name()).filter((name) => !NOT_FOR_MACHINES.includes(name))).toEqual(
    [],
  );
});

test("docs/json-output.md names the commands that have --json, and no other", () => {
  const [listed = ""] = readPage("docs/json-output.md").split(" take `--json`");
  const named = [...listed.matchAll(/`(\w+)(?: plan)?`/g)].map(([, name]) => name);
  const having = program.commands.filter((command) => command.options.some(({ long }) => long === "--json"));

  expect(new Set(named)).toEqual(new Set(having.map((command) => command.name())));
});

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (chunk) => (text += chunk) });
  command.outputHelp();
  return text;
}

function examplesOf(command: Command): readonly string[] {
  return helpOf(command)
    .split("\n")
    .filter((line) => line.startsWith("  $ "));
}

/** Words right after the program's name that are no command, and flags that command does not have. */
function unknownWordsOf(example: string): readonly string[] {
  const [name = "", ...args] = (/agent-gauntlet ([^|)"]*)/.exec(example)?.[1] ?? "").trim().split(/\s+/);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) return [name];
  const known = command.options.flatMap(({ short, long }) => [short, long]);
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args; // the rest is another program's
  return own.filter((arg) => arg.startsWith("-") && !known.includes(arg));
}

const SOURCES = resolve(import.meta.dirname, "../src");

/** The code of a command and of what it imports, without the declarations of options; if no file has its name, that of all commands. */
function sourceOf(command: Command): string {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?:^|\/)(?:commands\/[^/]+|(?:[\w-]+-)?command|hooks\/[^/]+)\.ts$/.test(file),
  );
  const name = command.name();
  const names = [`commands/${name}.ts`, `/${name}-command.ts`, `/${name}/command.ts`, `hooks/${name}.ts`];
  const own = files.filter((file) => names.some((one) => file.endsWith(one)));
  return (own.length === 0 ? files : own)
    .map((file) => join(SOURCES, file))
    .flatMap((file) => [file, ...importsOf(file)])
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .replaceAll(/^export interface \w+Options[^{]*\{[^}]*\}/gm, "");
}

function importsOf(file: string): readonly string[] {
  const imports = readFileSync(file, "utf8").matchAll(/from "(\.[^"]+\.ts)"/g);
  return [...imports].map(([, path]) => resolve(dirname(file), path ?? ""));
}

function readOf(option: Option): RegExp {
  return new RegExp(`\\b${option.attributeName()}\\b|"${option.long}"`);
}
