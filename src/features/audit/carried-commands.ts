import { extname } from "node:path";
import type { AuditedHook } from "./audit-hooks.ts";
import { type FoundHook, nameOf } from "./found-hook.ts";
import { isTool } from "./stubs.ts";

/** A command of a stop hook, as a check can run it. */
export interface CarriedCommand {
  readonly command: string;
  /** The hook or script it comes from. */
  readonly source: string;
  readonly workingDirectory?: string;
  /** Globs for the changed files that the hook passes to it: `{files}` in the command. */
  readonly files?: readonly string[];
  readonly timeoutS?: number;
}

/** What the hook started when it was tried, in its order: what edits or installs is no check. */
export function commandsCalled({ hook, trials }: AuditedHook): readonly CarriedCommand[] {
  const trial = (name: string) => trials.find(({ scenario }) => scenario === name);
  const calls = [...(trial("green")?.calls ?? []), ...(trial("failing")?.calls ?? [])];
  const commands = calls
    .filter(({ kind }) => kind === "check")
    .map(({ program, args, cwd }) => {
      const files = [...new Set(args.filter((arg) => CHANGED.test(arg)).map((arg) => `*${extname(arg)}`))];
      const words = [program, ...args.map((word) => (CHANGED.test(word) ? "{files}" : quoted(word)))];
      const command = words.filter((word, at) => word !== "{files}" || words.indexOf(word) === at).join(" ");
      return carried(hook, command, { cwd, files });
    });
  return unique(commands);
}

/** The copies of the audit change such files; a hook that passes more than two passes what changed. */
const CHANGED = /^(?:[\w.-]+\/)+[\w.-]+\.(?:[cm]?[jt]sx?|py|rs|go|rb|php|java|kt|swift)$/;

/** The commands that the scripts of a hook name, read without running anything. */
export function commandsWritten(hook: FoundHook): readonly CarriedCommand[] {
  const texts = hook.scripts.length === 0 ? [hook.command] : hook.scripts.map(({ text }) => text);
  const own = hook.scripts.some(({ path }) => /\.(?:sh|bash|zsh)$/.test(path)) ? [] : [hook.command];
  const commands = [...own, ...texts].flatMap((text) =>
    codeLines(text).flatMap((line) =>
      commandsIn(line).map(({ command, cwd }) => carried(hook, command, { cwd, files: [] })),
    ),
  );
  return unique(commands);
}

interface Place {
  readonly cwd: string;
  readonly files: readonly string[];
}

const LONGEST_TIMEOUT_S = 3600;

function carried(hook: FoundHook, command: string, { cwd, files }: Place): CarriedCommand {
  const timeoutS = (hook.timeoutMs ?? 0) / 1000;
  return {
    command,
    source: nameOf(hook),
    ...(cwd === "." || cwd.startsWith("/") ? {} : { workingDirectory: cwd }),
    ...(files.length === 0 ? {} : { files }),
    ...(timeoutS >= 1 && timeoutS <= LONGEST_TIMEOUT_S ? { timeoutS } : {}),
  };
}

function unique(commands: readonly CarriedCommand[]): readonly CarriedCommand[] {
  const keyOf = ({ command, workingDirectory }: CarriedCommand): string =>
    `${workingDirectory ?? ""} ${command}`;
  return [...new Map(commands.map((one) => [keyOf(one), one])).values()].filter(({ command }) =>
    isCheck(command),
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./*{}-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Without comments, texts for people and the bodies of heredocs; a command that goes on is one line. */
function codeLines(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, " ")
    .replaceAll(/<<-?\s*['"]?(\w+)['"]?[^\n]*\n[^]*?\n\s*\1(?=\n|$)/g, "")
    .replaceAll(/^\s*(?:#|\/\/|\*).*$/gm, "")
    .replaceAll(/(?:\becho(?: -\w+)?|\bprintf|=)\s*"(?:[^"\\$]|\\[^]|\$(?!\())*"/g, " ")
    .split("\n")
    .filter((line) => !/^\s*(?:echo\b|printf\b|log\w*\b|for\b|case\b|function\b|\w+\(\))/.test(line))
    .map(withoutTexts);
}

const LITERAL = /"(?:[^"\\$`]|\\.|\$(?!\())*"|'[^']*'/g;

/** A literal is a label or a text, unless it is the only command of its line. */
function withoutTexts(line: string): string {
  const bare = line.replaceAll(LITERAL, (literal) => {
    const inner = literal.slice(1, -1);
    return inner.includes(" ") || isTool(inner) ? " " : inner;
  });
  if (commandsIn(bare).length > 0) return bare;
  return line.replaceAll(LITERAL, (literal) => {
    const inner = literal.slice(1, -1);
    return isTool(inner.split(" ")[0] ?? "") && inner.includes(" ") && !/[:—–]/.test(inner) ? inner : " ";
  });
}

const ENDS = /&&|\|\||[;|)`]|\d*>&?|<|\bthen\b/;

function commandsIn(line: string): readonly { readonly command: string; readonly cwd: string }[] {
  const cwd = /(?:\(|^|\s)cd ["']?(?:\$\{?\w+\}?\/)?([\w][\w./-]*)["']? *(?:&&|;)/.exec(line)?.[1] ?? ".";
  const words = [...line.matchAll(/(?<![\w./$-])([\w.-]+)(?=\s|$)/g)].filter(([, word]) =>
    isProgram(word ?? ""),
  );
  let end = 0;
  const found: { command: string; cwd: string }[] = [];
  for (const match of words) {
    if (
      match.index < end ||
      /(?:command -v|which|type|hash|--with|-x|-f|for \w+ in|case)\s+(?:\S+\s+)?$/.test(
        line.slice(0, match.index),
      )
    )
      continue;
    const rest = line.slice(match.index);
    const cut = ENDS.exec(rest)?.index ?? rest.length;
    end = match.index + cut;
    const command = rest
      .slice(0, cut)
      .split(/\s+/)
      .filter((word) => word !== "" && !/[$"'{}]/.test(word))
      .join(" ");
    found.push({ command, cwd });
  }
  return found;
}

/** `python3 -m pytest` is found by its first word, too. */
function isProgram(word: string): boolean {
  return isTool(word) || /^python3?$/.test(word);
}

/** Runners that are given their command elsewhere. */
const BARE =
  /^(?:(?:corepack )?(?:npm|pnpm|yarn|bun)(?: run| exec| --\S+)*|npx|bunx|uvx?(?: run)?|poetry(?: run)?|cargo|go|python3?)$/;

/** Not what installs, edits, asks for a version or starts another program than a check. */
function isCheck(command: string): boolean {
  if (
    /^(?:gh|glab|docker|docker-compose|podman|kubectl|claude|codex|gemini|nvm|direnv|mise|corepack enable)\b/.test(
      command,
    )
  )
    return false;
  if (
    / (?:--version|-V|--help|install|i|ci|sync|lock|add|list|env|metadata|ls|venv|init)(?= |$)/.test(
      command,
    ) &&
    !/ run /.test(command)
  )
    return false;
  if (
    /(?:^| )(?:--write|--fix|-w|--apply|--in-place|--autocorrect(?:-all)?|--unsafe-fixes)(?= |$|=)/.test(
      command,
    )
  )
    return false;
  if (/^python3? (?!-m )/.test(command)) return false;
  if (BARE.test(command)) return false;
  return (
    command.includes(" ") ||
    /^(?:make|just|tsc|eslint|pytest|mypy|rspec|phpunit|vitest|jest|rake|tox|nox|golangci-lint)$/.test(
      command,
    )
  );
}
