import { posix } from "node:path";
import { scriptIn } from "../../../config/gauntlet/named-scripts.ts";
import type { PlannedCheck } from "../../../gates/gate-context.ts";
import { commandsIn, simpleCommands, statementsIn } from "../../../system/process/shell-text.ts";

/** The command of a check for some test files alone; undefined if its tool cannot run those alone, or it is more than one command. */
export function narrowed(
  { gate, workingDirectory }: Pick<PlannedCheck, "gate" | "workingDirectory">,
  files: readonly string[],
  read: (path: string) => string | undefined,
): string | undefined {
  const { command, shell } = gate;
  const inside = files.map((file) => posix.relative(workingDirectory, file));
  const isPlain = inside.every((file) => PLAIN.test(file));
  if (files.length === 0 || files.length > MOST_FILES || !isPlain || shell !== undefined) return undefined;
  if (!isSimple(command) || command.includes("{files}")) return undefined;
  const script = packageScript(command);
  if (script === undefined) return withFiles(command, inside);
  const manifest = read(posix.join(workingDirectory, "package.json"));
  const line = manifest && scriptIn(manifest, { kind: "script", directory: ".", name: script.name });
  if (line === undefined || line === "" || !isSimple(line)) return undefined;
  const rest = withFiles(line, inside);
  const hasOnlyMore = rest?.startsWith(`${line} `) === true;
  return hasOnlyMore ? `${command}${script.separator}${rest.slice(line.length)}` : undefined;
}

/** More of them are nearly all. */
const MOST_FILES = 100;
/** As a shell reads it without quotes; a name that begins with a dash would be an option. */
const PLAIN = /^(?!\.\.\/|-)[\w./@+=,-]+$/;

function isSimple(line: string): boolean {
  const isOne = statementsIn(line).flat().length === 1 && simpleCommands(line).length === 1;
  return isOne && !/[<>|&;`]|\$\(/.test(line);
}

function packageScript(command: string): { readonly name: string; readonly separator: string } | undefined {
  const [, program = "", run, first] =
    /^(npm|pnpm|yarn|bun)\s+(run(?:-script)?\s+)?([\w:.-]+)$/.exec(command.trim()) ?? [];
  if (first === undefined || (program === "bun" && run === undefined)) return undefined;
  const name = program === "npm" && run === undefined ? SHORT[first] : first;
  return name === undefined ? undefined : { name, separator: program === "npm" ? " --" : "" };
}

const SHORT: Readonly<Record<string, string>> = { test: "test", t: "test", tst: "test" };

function withFiles(line: string, files: readonly string[]): string | undefined {
  const words = (commandsIn(line)[0]?.words ?? []).join(" ");
  if (TAKES_FILES.test(words)) return `${line} ${files.join(" ")}`;
  if (/^python[\d.]* -m unittest$/.test(words.replace(/^\S*\/(?=python)/, "").replace(/(?: -[vqbc])+$/, "")))
    return `${line} ${files.join(" ")}`;
  if (/\bunittest discover\b/.test(words) && !/\s-p\b|--pattern/.test(words))
    return files.length === 1 ? `${line} -p ${posix.basename(files[0] ?? "")}` : undefined;
  if (/^go test\b/.test(words) && words.includes("./...")) {
    const directories = new Set(files.map((file) => `./${posix.dirname(file)}`));
    return line.replace("./...", [...directories].join(" "));
  }
  if (/^cargo (?:test|t)\b(?!.* --(?:\s|$|test\b|lib\b|bin\b|doc\b))/.test(words)) {
    const names = files.map((file) => /^tests\/(\w+)\.rs$/.exec(file)?.[1]);
    return names.includes(undefined)
      ? undefined
      : `${line} ${names.map((name) => `--test ${name}`).join(" ")}`;
  }
  return undefined;
}

/** Runners to which files can be given behind all else. */
const TAKES_FILES =
  /^(?:\S*\/)?(?:vitest(?: run| --run)?|jest|mocha|ava|tap|jasmine|playwright test|deno test|bun test|rspec|mix test|rails test|(?:python[\d.]* -m )?pytest|py\.test|node\b.* --test)(?= |$)(?!.* -- )/;
