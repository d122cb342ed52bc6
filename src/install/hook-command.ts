import { argumentsAfter } from "./shell-words.ts";

/** How this program was started and where it lies: everything the choice of a hook command depends on. */
export interface Installation {
  /** The file that runs now. */
  readonly script: string;
  readonly version: string;
  /** Every `agent-gauntlet` on the PATH. */
  readonly onPath: readonly string[];
  /** What runs the file from a hook: `node`, or its path where that is not on the PATH. */
  readonly node: string;
  /** The native executable, where there is one for good. */
  readonly native?: string | undefined;
  readonly isWindows: boolean;
}

/** A shell line that a host can run as a hook, and why it is more than the bare command. */
export interface HookCommand {
  readonly line: string;
  readonly note?: string;
}

/**
 * The command that works from a hook: the bare name where it is installed for good; the native executable where there is one; the
 * pinned package where it was fetched for this run only; its file where it lies in a project or a checkout.
 */
export function chooseHookCommand(installation: Installation, subcommand = "stop-hook"): HookCommand {
  const { script, version, node, native, isWindows } = installation;
  if (installation.onPath.some(isThereForHooks)) return { line: `agent-gauntlet ${subcommand}` };
  if (native !== undefined) return { line: `${quote(native, isWindows)} ${subcommand}`, note: BY_FILE };
  if (isOneOff(script)) return { line: `npx --yes agent-gauntlet@${version} ${subcommand}`, note: FETCHED };
  return { line: `${quote(node, isWindows)} ${quote(script, isWindows)} ${subcommand}`, note: BY_FILE };
}

/** Whether a program found on the PATH is there for good: what npm and npx put there while they run is not. */
export function isThereForHooks(file: string): boolean {
  return !isProjectBin(file) && !isOneOff(file);
}

/** Whether a hook's command runs our stop hook, in any of the forms above and those people write themselves. */
export function isOurCommand(command: string): boolean {
  return ["agent-gauntlet", "agent-gauntlet-native"].some(
    (program) => argumentsAfter(command, program)?.[0] === "stop-hook",
  );
}

const FETCHED =
  "agent-gauntlet is not installed here, so the hook fetches it with npx. For a faster answer run `npm install --global agent-gauntlet` and then `agent-gauntlet init --hook`.";
const BY_FILE = "agent-gauntlet is not on the PATH that hooks get, so the hook names its file.";

/** On the PATH only while a package manager runs a script. */
function isProjectBin(file: string): boolean {
  return /[/\\]node_modules[/\\]\.bin[/\\]/.test(file);
}

/** In the cache of `npx`, `pnpm dlx`, `yarn dlx` or `bunx`. */
export function isOneOff(file: string): boolean {
  return /[/\\](?:_npx|dlx(?:-[^/\\]*)?|bunx-[^/\\]*)[/\\]/.test(file);
}

function quote(word: string, isWindows: boolean): string {
  if (isWindows) return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll("\\", "/")}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
