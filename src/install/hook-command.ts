import { PACKAGE } from "../package-name.ts";
import { startOfProjectCopy } from "../system/process/runtime.ts";

export interface Installation {
  readonly script: string;
  readonly version: string;
  readonly onPath: readonly string[];
  readonly node: string;
  readonly native?: string | undefined;
  readonly isWindows: boolean;
}

export interface HookCommand {
  readonly line: string;
  readonly note?: string;
}

/**
 * The command that works from a hook: the bare name where it is installed for good; the native executable where there is one; the
 * pinned package where it was fetched for this run only; yarn where only that finds it; its file where it lies in a project or a checkout.
 */
export function chooseHookCommand(installation: Installation, subcommand: string = STOP_HOOK): HookCommand {
  const { script, version, node, native, isWindows } = installation;
  if (installation.onPath.some(isThereForHooks)) return { line: `agent-gauntlet ${subcommand}` };
  if (native !== undefined) return { line: `${quote(native, isWindows)} ${subcommand}`, note: BY_FILE };
  if (isOneOff(script)) return { line: `npx --yes ${PACKAGE}@${version} ${subcommand}`, note: FETCHED };
  if (startOfProjectCopy(script)?.startsWith("yarn "))
    return { line: `yarn agent-gauntlet ${subcommand}`, note: BY_YARN };
  return { line: `${quote(node, isWindows)} ${quote(script, isWindows)} ${subcommand}`, note: BY_FILE };
}

/**
 * The command for a file that a team commits: it must hold on every machine. Where the project depends on the package, npx runs
 * that one and fetches nothing; elsewhere every developer has it on the PATH.
 */
export function portableHookCommand(isDependency: boolean): HookCommand {
  if (isDependency) return { line: "npx --no-install agent-gauntlet stop-hook", note: OF_THE_PROJECT };
  return { line: "agent-gauntlet stop-hook", note: BY_EVERYBODY };
}

/** Whether a program found on the PATH is there for good: what package managers put there while they run something is not. */
export function isThereForHooks(file: string): boolean {
  return isAbsolute(file) && !isProjectBin(file) && !isOneOff(file);
}

export function pathOfHooks(path: string, delimiter: string): string {
  const directories = path.split(delimiter);
  return directories.filter((directory) => isThereForHooks(`${directory}/agent-gauntlet`)).join(delimiter);
}

/** Whether a hook's command runs the copy of one project, and so is not for a file that serves them all. */
export function isOfOneProject(line: string): boolean {
  return /^(?:npx|yarn) /.test(line) || startOfProjectCopy(line) !== undefined;
}

export const STOP_HOOK = "stop-hook";
export const EDIT_HOOK = "edit-hook";

const SUBCOMMANDS = [STOP_HOOK, EDIT_HOOK, "session-start", "prompt-hook", "config-hook"] as const;

export type Subcommand = (typeof SUBCOMMANDS)[number];

/** Whether a hook's command runs one of ours, in any of the forms above and those people write themselves. */
export function isOurCommand(command: string): boolean {
  return ["agent-gauntlet", "agent-gauntlet-native"].some((program) => {
    const [first] = argumentsAfter(command, program) ?? [];
    return SUBCOMMANDS.some((subcommand) => subcommand === first);
  });
}

const FETCHED = `agent-gauntlet is not installed here, so the hook fetches it with npx. For a faster answer run \`npm install --global ${PACKAGE}\` and then \`agent-gauntlet init --hook\`.`;
const OF_THE_PROJECT =
  "The hook runs the agent-gauntlet that package.json names: `npm install` is all a colleague needs.";
const BY_EVERYBODY = `Every colleague needs agent-gauntlet on the PATH (\`npm install --global ${PACKAGE}\`); as a devDependency of the project it would come with \`npm install\`.`;
const BY_YARN = "agent-gauntlet is in an archive of yarn's, so the hook starts it with yarn.";
const BY_FILE = "agent-gauntlet is not on the PATH that hooks get, so the hook names its file.";

/** `pnpm exec` puts `./node_modules/.bin` on the PATH: what is relative there is found in one directory only. */
function isAbsolute(file: string): boolean {
  return /^(?:[/\\]|[a-z]:[/\\])/i.test(file);
}

/** On the PATH only while a package manager runs a script: in the project, or in a directory that yarn makes for the time. */
function isProjectBin(file: string): boolean {
  return /[/\\](?:node_modules[/\\]\.bin|xfs-[\da-f]+)[/\\]/.test(file);
}

/** In the cache of `npx`, `pnpm dlx`, `yarn dlx` or `bunx`. */
export function isOneOff(file: string): boolean {
  return /[/\\](?:_npx|dlx(?:-[^/\\]*)?|bunx-[^/\\]*)[/\\]/.test(file);
}

function quote(word: string, isWindows: boolean): string {
  if (isWindows) return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll("\\", "/")}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * What a hook's command line hands to `program`, whether it is called by name, by path, through a package runner or through node.
 * Undefined when the line does something else, or more than that.
 */
function argumentsAfter(commandLine: string, program: string): readonly string[] | undefined {
  const words = shellWords(commandLine);
  const start = words?.findIndex((word) => !isPreamble(word)) ?? -1;
  const called = words?.[start];
  if (words === undefined || called === undefined || !isProgram(called, program)) return undefined;
  return words.slice(start + 1);
}

const RUNNERS = new Set([
  "npx",
  "pnpx",
  "bunx",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "node",
  "sh",
  "deno",
  "exec",
  "dlx",
  "x",
  "run",
]);

function isPreamble(word: string): boolean {
  return (
    /^\w+=/.test(word) || word.startsWith("-") || RUNNERS.has(baseName(word).replace(/\.(?:exe|cmd)$/i, ""))
  );
}

function isProgram(word: string, program: string): boolean {
  const name = baseName(word).replace(/\.(?:cjs|mjs|js|sh|cmd|ps1|exe)$/i, "");
  return name === program || name.startsWith(`${program}@`);
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** The words of one simple command up to its first redirection; undefined when the line has more than one command. */
export function shellWords(commandLine: string): readonly string[] | undefined {
  const words: string[] = [];
  for (const [piece, operator, redirection] of commandLine.trim().matchAll(PIECE)) {
    if (operator !== undefined) return undefined;
    if (redirection !== undefined) break;
    if (piece.trim() !== "") words.push(unquote(piece));
  }
  return words;
}

const PIECE = /[ \t]+|([;&|()`\r\n])|(\d*[<>])|(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[^\s;&|()`<>'"\\])+|[^]/g;

function unquote(word: string): string {
  return word.replaceAll(/'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g, (quoted) => {
    if (quoted.startsWith("\\")) return quoted.slice(1);
    const inner = quoted.slice(1, -1);
    return quoted.startsWith("'") ? inner : inner.replaceAll(/\\(["\\$`])/g, "$1");
  });
}
