import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { gauntletCommands } from "../../src/cli/command-table.ts";
import { readPage } from "../rig/docs.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET_LINE } from "../rig/program.ts";

/** Their output is a protocol, a script or help already, or they talk with a person. */
const NOT_FOR_MACHINES = [
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
];

/** Runs a command in a new terminal (util-linux). */
const SCRIPT = "/usr/bin/script";

const program = gauntletCommands(async () => {});
const commands = program.commands.map((command) => command.name());

describe.concurrent("help", () => {
  test.for(commands.filter((name) => name !== "brepl"))(
    "%s --help says what it does, with every option, on stdout",
    async (name) => {
      await using empty = await GauntletProject.create({}, { git: false });
      const command = program.commands.find((one) => one.name() === name);

      const asked = await empty.gauntlet([name, "--help"]);

      expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
      expect(asked.stdout).toMatch(new RegExp(`^Usage: agent-gauntlet ${name}`));
      expect(unwrapped(asked.stdout)).toContain(command?.description());
      expect(asked.stdout).not.toContain("(default: [])");
      for (const { long, description } of command?.options ?? []) {
        expect(asked.stdout).toContain(long);
        expect(description).not.toBe("");
      }
    },
  );

  test("help and a name is the same", async () => {
    await using empty = await GauntletProject.create({}, { git: false });

    expect(await empty.gauntlet(["help", "detect"])).toEqual(await empty.gauntlet(["detect", "--help"]));
  });

  test("the overview names every command and shows examples", async () => {
    await using empty = await GauntletProject.create({}, { git: false });

    const flag = await empty.gauntlet(["--help"]);
    const word = await empty.gauntlet(["help"]);
    const nothing = await empty.gauntlet([]);

    expect(flag).toMatchObject({ exitCode: 0, stderr: "" });
    expect(word.stdout).toBe(flag.stdout);
    for (const name of commands) expect(flag.stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    expect(flag.stdout).toContain("Examples:\n  $ agent-gauntlet ");
    expect(nothing).toMatchObject({ exitCode: 1, stdout: "", stderr: flag.stdout });
  });

  test.for(["--version", "-V"])("%s is the version of the package", async (flag) => {
    await using empty = await GauntletProject.create({}, { git: false });

    expect(await empty.gauntlet([flag])).toMatchObject({
      exitCode: 0,
      stdout: `${packageJson.version}\n`,
      stderr: "",
    });
  });

  test("examples use commands and flags that exist", () => {
    const examples = [program, ...program.commands].flatMap(examplesOf);

    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) expect(unknownWordsOf(example)).toEqual([]);
  });
});

describe.concurrent("what is mistyped", () => {
  test.for([
    [["lst"], "unknown command 'lst'", "Did you mean list?"],
    [["help", "detct"], "unknown command 'detct'", "did you mean `detect`?"],
    [["detect", "--jsno"], "unknown option '--jsno'", "Did you mean --json?"],
    [["--verison"], "unknown option '--verison'", "Did you mean --version?"],
    [["run", "--gate"], "argument missing", "--help"],
    [["run", "lint"], "too many arguments", "--help"],
    [["completion"], "missing required argument 'shell'", "--help"],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish", "--help"],
    [["zzzzzz"], "unknown command 'zzzzzz'", "--help"],
  ] as const)("%j is refused on stderr, with a way out, exit code 1", async ([args, message, hint]) => {
    await using empty = await GauntletProject.create({}, { git: false });

    const done = await empty.gauntlet(args);

    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toContain(message);
    expect(done.stderr).toContain(hint);
  });

  test("a gate that does not exist is refused with the names of those that do", async () => {
    await using project = await GauntletProject.withChecks({ lint: "true", unit: "true" });

    const done = await project.gauntlet(["run", "--gate", "lnt"]);
    const known = await project.gauntlet(["run", "--gate", "unit", "--gate", "check:.:lint"]);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain('There is no gate "lnt"');
    expect(done.stderr).toContain("lint, unit");
    expect(known.exitCode).toBe(0);
  });
});

describe("the command table", () => {
  test.for(
    program.commands.flatMap((command) => command.options.map((option) => [command, option] as const)),
  )("every declared flag is read", ([command, option]) => {
    expect(sourceOf(command), `${command.name()} ${option.flags}`).toMatch(readOf(option));
  });

  test("every command that looks at a project has --json", () => {
    const without = program.commands.filter(
      (command) => !command.options.some(({ long }) => long === "--json"),
    );

    expect(
      without.map((command) => command.name()).filter((name) => !NOT_FOR_MACHINES.includes(name)),
    ).toEqual([]);
  });
});

test("docs/json-output.md names the commands that have --json, and no other", () => {
  const [listed = ""] = readPage("docs/json-output.md").split(" take `--json`");
  const named = [...listed.matchAll(/`(\w+)(?: plan)?`/g)].map(([, name]) => name);
  const having = program.commands.filter((command) => command.options.some(({ long }) => long === "--json"));

  expect(new Set(named)).toEqual(new Set(having.map((command) => command.name())));
});

describe.concurrent("colour", () => {
  test.for<Record<string, string>>([
    {},
    { FORCE_COLOR: "1" },
    { CI: "true" },
    { NO_COLOR: "1" },
    { TERM: "xterm-256color" },
  ])("is never written into a pipe, with %j", async (env) => {
    await using project = await GauntletProject.withChecks({ bad: "exit 1" });
    await project.write({ a: "1" });

    const outputs = await Promise.all(
      [["detect", "--why"], ["list"], ["validate"], ["run"], ["status"]].map((args) =>
        project.gauntlet(args, { env }),
      ),
    );

    expect(outputs.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("\u001B");
  });

  test.skipIf(!existsSync(SCRIPT))("is written to a terminal, unless NO_COLOR says otherwise", async () => {
    await using project = await GauntletProject.withChecks({ test: "true" });
    const inTerminal = (env: Record<string, string>): Promise<Finished> =>
      run([SCRIPT, "-qec", `${GAUNTLET_LINE} list`, "/dev/null"], {
        cwd: project.root,
        env: { ...cleanEnv(project.home), TERM: "xterm", ...env },
      });

    const coloured = await inTerminal({});
    const plain = await inTerminal({ NO_COLOR: "1" });
    const dumb = await inTerminal({ TERM: "dumb" });

    expect(coloured.stdout).toContain("\u001B[1m");
    expect(plain.stdout + dumb.stdout).not.toContain("\u001B");
  });
});

function examplesOf(command: Command): readonly string[] {
  let text = "";
  command.configureOutput({ writeOut: (chunk) => (text += chunk) });
  command.outputHelp();
  return text.split("\n").filter((line) => line.startsWith("  $ "));
}

/** Words right after the program's name that are no command, and flags that command does not have. */
function unknownWordsOf(example: string): readonly string[] {
  const [name = "", ...args] = (/agent-gauntlet ([^|)"]*)/.exec(example)?.[1] ?? "").trim().split(/\s+/);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) return [name];
  const known = command.options.flatMap(({ short, long }) => [short, long]);
  return args.filter((arg) => arg.startsWith("-") && !known.includes(arg));
}

const SOURCES = resolve(import.meta.dirname, "../../src");

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

function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
