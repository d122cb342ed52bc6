import {
  below,
  inlineText,
  isShell,
  isShellScript,
  type NamedScript,
  scriptIn,
  scriptsNamedIn,
} from "./named-scripts.ts";
import { commandsIn, type ShellCommand, statementsIn } from "../../system/process/shell-text.ts";
import { holdsRecipes, recipesOf } from "./recipes.ts";

export type ReadText = (path: string) => string | undefined;

export interface Step extends ShellCommand {
  readonly directory: string;
}

export interface Chain {
  readonly commands: readonly string[];
  readonly by: string;
}

interface Steps {
  readonly steps: readonly Step[];
  readonly chains: readonly Chain[];
}

export function stepsOf(command: string, directory: string, read: ReadText): Steps {
  const reader = new StepReader(read);
  const chains = reader.chainsOf({ text: command, directory }, 0);
  return { steps: reader.steps, chains: [...chains, ...reader.chainsInFiles] };
}

interface ShellText {
  readonly text: string;
  readonly directory: string;
  /** Why its caller ends it at the first failing command, if so. */
  readonly endsBy?: string | undefined;
  readonly file?: string;
}

class StepReader {
  readonly steps: Step[] = [];
  /** To its caller a script file is one command. */
  readonly chainsInFiles: Chain[] = [];
  #exported: Step["variables"] = {};
  readonly #read: ReadText;

  constructor(read: ReadText) {
    this.#read = read;
  }

  chainsOf({ text, directory, file, endsBy }: ShellText, depth: number): readonly Chain[] {
    let here = directory;
    const statements = statementsIn(text.replaceAll("\\\n", " "));
    const found = statements.map((parts) => {
      const outside = here;
      const expanded = parts.map((part) => {
        const command = withoutKeywords(part);
        here = directoryAfter(command, here);
        this.#exported = { ...this.#exported, ...variablesExportedBy(command) };
        return isPreparation(command) ? [] : this.#expanded(command, here, depth);
      });
      if (parts[0]?.startsWith("(")) here = outside;
      return isCloser(parts) ? [] : expanded;
    });
    const sourced = this.#sourcedIn(statements, [directory, directoryOf(file ?? "")]);
    const by = endsBy ?? whyItEnds([text, ...sourced]) ?? whyItExits(statements);
    if (by !== undefined) return joined(repeated(found.flat(), statements), by);
    return found.flatMap((parts) => joined(parts, "&&"));
  }

  /** The chains of the scripts it names, or the command itself. */
  #expanded(command: string, directory: string, depth: number): readonly Chain[] {
    const commands = commandsIn(command);
    this.steps.push(
      ...commands.map(({ words, variables }) => ({
        words,
        variables: { ...this.#exported, ...variables },
        directory,
      })),
    );
    const isTooMuch = depth > MOST_DEPTH || this.steps.length > MOST_STEPS;
    const texts = isTooMuch ? [] : this.#textsIn(command, commands, directory);
    const chains = texts.map((text) => ({ text, found: this.chainsOf(text, depth + 1) }));
    for (const { text, found } of chains) if (text.file !== undefined) this.chainsInFiles.push(...found);
    const inside = chains.flatMap(({ text, found }) => (text.file === undefined ? [found] : []));
    if (inside.length === 0) return [{ commands: [command], by: "" }];
    const runsAll = commands.some(({ words }) => RUNS_ALL.test(words[0] ?? ""));
    return runsAll ? inside.flat() : joined(inside, "&&");
  }

  #textsIn(command: string, commands: readonly ShellCommand[], directory: string): readonly ShellText[] {
    const endsBy = commands.map(({ words }) => whyShellEnds(words)).find((why) => why !== undefined);
    const inline = commands.flatMap(({ words: [program = "", ...args] }) => inlineText(program, args) ?? []);
    if (inline.length > 0) return inline.map((text) => ({ text, directory, endsBy }));
    return scriptsNamedIn(command).flatMap((script) => this.#textsOf(script, { directory, endsBy }));
  }

  #textsOf(script: NamedScript, { directory, endsBy }: Omit<ShellText, "text">): readonly ShellText[] {
    const { name, args = [] } = script;
    const there = below(directory, script.directory);
    const content = this.#read(below(there, script.manifest ?? name));
    if (content === undefined) return [];
    if (script.kind === "script") {
      const text = scriptIn(content, script);
      return text === undefined ? [] : [{ text: [text, ...args].join(" "), directory: there }];
    }
    if (holdsRecipes(name)) return recipeTexts(name, recipesOf(content, args), there);
    return isShellScript(name, content) && !INSTALLED.test(name)
      ? [{ text: content, directory, endsBy, file: below(there, name) }]
      : [];
  }

  /** A `set -e` in a sourced file holds for all that follows. */
  #sourcedIn(statements: readonly (readonly string[])[], directories: readonly string[]): readonly string[] {
    return statements.flat().flatMap((part) => {
      const [, path] = /^(?:\.|source)\s+(?:"?\$.*\/)?"?([\w./-]+)"?$/.exec(part) ?? [];
      return path === undefined ? [] : directories.flatMap((one) => this.#read(below(one, path)) ?? []);
    });
  }
}

const MOST_DEPTH = 5;
/** Scripts that name each other would multiply. */
const MOST_STEPS = 1000;

function directoryOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
}

/** A tool's own script, not the project's. */
const INSTALLED = /(?:^|\/)(?:(?:node_modules|vendor|\.?venv|\.tox|\.nox)\/|(?:gradlew|mvnw)$)/;

/** Their scripts do not wait for each other, or their own options say so. */
const RUNS_ALL = /^(?:npm-run-all2?|run-[sp]|concurrently|g?make)$/;

/** `just` ends at the first failure; `make` goes by its options. */
function recipeTexts(name: string, recipes: readonly string[], directory: string): readonly ShellText[] {
  const isJust = /justfile$/i.test(name);
  const texts = isJust && recipes.length > 0 ? [recipes.join("\n")] : recipes;
  return texts.map((text) => ({ text, directory, endsBy: isJust ? "`just`" : "a recipe of make" }));
}

/** Preparation: a check that ends with one of these has found nothing. */
const PREPARING = new Set(
  "cd pushd popd mkdir rm cp mv touch source . echo printf true : test [ [[ command type which sleep kill wait export unset set shopt trap umask ulimit shift read local readonly declare typeset exit return break for select case".split(
    " ",
  ),
);

const TELLING = new Set(
  "git dirname basename pwd mktemp realpath readlink date uname nproc cat ls find".split(" "),
);

function isPreparation(command: string): boolean {
  return command.split("||").every(onlyPrepares);
}

function onlyPrepares(command: string): boolean {
  const [first, ...rest] = commandsIn(command).map(({ words: [program = ""] }) => program);
  if (first !== "") return PREPARING.has(first ?? "");
  return rest.every((program) => PREPARING.has(program) || TELLING.has(program));
}

const KEYWORDS =
  /^(?:(?:if|elif|then|else|while|until|do|time)(?=\s|$)\s*|(?:function\s+)?[\w-]+\s*\(\s*\)\s*|[!({]\s*)+/;

function withoutKeywords(part: string): string {
  return part.replace(KEYWORDS, "");
}

/** The end of a compound command; before `&&` it represents the whole. */
function isCloser(parts: readonly string[]): boolean {
  return parts.length === 1 && /^(?:fi|done|esac|[)}])(?:\s|$)/.test(parts[0] ?? "");
}

function directoryAfter(command: string, directory: string): string {
  const [, goal] = /^(?:cd|pushd)\s+([^\s"'$)]+)\)?$/.exec(command) ?? [];
  return goal === undefined ? directory : below(directory, goal);
}

function variablesExportedBy(command: string): Step["variables"] {
  return command.startsWith("export ") ? (commandsIn(command.slice(7))[0]?.variables ?? {}) : {};
}

function joined(parts: readonly (readonly Chain[])[], by: string): readonly Chain[] {
  const some = parts.filter((chains) => chains.length > 0);
  if (some.length <= 1) return some.flat();
  return [{ commands: some.flat(2).flatMap(({ commands }) => commands), by }];
}

/** A command in a loop runs again only if it passed. */
function repeated(
  parts: readonly (readonly Chain[])[],
  statements: readonly (readonly string[])[],
): readonly (readonly Chain[])[] {
  const isLoop = statements.flat().some((part) => /^(?:for|while|until|select)\s/.test(part));
  return isLoop ? [...parts, ...parts] : parts;
}

/** Why a shell ends these texts at the first failing command. */
function whyItEnds([own = "", ...sourced]: readonly string[]): string | undefined {
  if (/^#!.*\s-(?!-)\w*e/.test(own)) return `\`${/^#!\s*(.*)/.exec(own)?.[1]}\``;
  const all = [own, ...sourced].join("\n");
  if (/(?:^|[\n;&{(])\s*set\s[^\n;&|]*(?:(?<=\s)-[a-zA-Z]*e|errexit)/.test(all)) return "`set -e`";
  return /\btrap\s.*\bERR\b/.test(all) ? "`trap`" : undefined;
}

/** Whether an `exit` in the text skips the rest. */
function whyItExits(statements: readonly (readonly string[])[]): string | undefined {
  const parts = statements.flat();
  const exit = parts.findIndex((part) => commandsIn(part).some(({ words }) => EXITS.test(words[0] ?? "")));
  const isLast = exit === -1 || parts.slice(exit + 1).every((part) => !isWork(part));
  return isLast ? undefined : "`exit`";
}

const EXITS = /^(?:exit|return|break)$/;

function isWork(part: string): boolean {
  const command = withoutKeywords(part);
  const isDone = /^(?:fi|esac|[)}])(?:\s|$)/.test(command);
  return command !== "" && !isPreparation(command) && !isDone;
}

function whyShellEnds([program = "", ...args]: readonly string[]): string | undefined {
  if (!isShell(program)) return undefined;
  const end = args.findIndex((arg) => !/^(?:-.*|errexit|pipefail|nounset)$/.test(arg));
  const options = args.slice(0, end === -1 ? args.length : end);
  return options.some((arg) => /^-(?!-)\w*e|^errexit$/.test(arg)) ? `\`${program} -e\`` : undefined;
}
