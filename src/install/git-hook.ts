import type { FileChange } from "./hook-registration.ts";

export type HookPlan =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "present" }
  | { readonly kind: "left-alone"; readonly why: string };

const MANAGERS: readonly (readonly [RegExp, string])[] = [
  [/lefthook/i, "lefthook"],
  [/husky/i, "husky"],
  [/pre-commit\.com|pre_commit|\bprek\b/i, "pre-commit"],
  [/overcommit/i, "overcommit"],
  [/simple-git-hooks/i, "simple-git-hooks"],
  [/\bcaptainhook\b/i, "CaptainHook"],
  [/\bghooks\b|git-hooks-js|yorkie/i, "another hook manager"],
];

const BEGIN = "# agent-gauntlet: begin (added by `agent-gauntlet install --git-hook`)";
const END = "# agent-gauntlet: end";

export const GIT_HOOKS = { "pre-push": "verify --pre-push", "pre-commit": "run --staged" } as const;

export type GitHook = keyof typeof GIT_HOOKS;

export const GIT_HOOK_NAMES: readonly GitHook[] = ["pre-push", "pre-commit"];

/**
 * Adds our lines to a hook before whatever is there. In pre-push they read git's lines from stdin and hand them on, so that the rest of
 * the script finds what it would have found. `directory` is where the project is, from the top of the work tree.
 */
export function planGitHook(
  before: string | undefined,
  {
    hook,
    command,
    directory,
  }: { readonly hook: GitHook; readonly command: string; readonly directory: string },
): HookPlan {
  const block = `${hook === "pre-push" ? blockOf(command, directory) : commitBlock(command, directory)}\n`;
  if (before?.includes(BEGIN)) return planRenewal(before, block);
  if (before === undefined || before.trim() === "") return { kind: "write", text: `#!/bin/sh\n${block}` };
  const manager = MANAGERS.find(([mark]) => mark.test(before))?.[1];
  if (manager !== undefined) return { kind: "left-alone", why: `${manager} manages it` };
  const [first = "", ...rest] = before.split("\n");
  if (!/^#!.*\b(?:sh|bash|dash|ksh|zsh)\s*$/.test(first))
    return { kind: "left-alone", why: "it is not a shell script" };
  return { kind: "write", text: `${first}\n${block}${rest.join("\n")}` };
}

/** Our lines name a program that may have moved since; lines that were edited by hand stay. */
function planRenewal(before: string, block: string): HookPlan {
  const from = before.indexOf(BEGIN);
  const end = before.indexOf(`${END}\n`, from);
  const old = before.slice(from, end === -1 ? undefined : end + END.length + 1);
  const isOurs = end !== -1 && withoutCommand(old) === withoutCommand(block);
  if (!isOurs || old === block) return { kind: "present" };
  return { kind: "write", text: before.replace(old, () => block) };
}

function withoutCommand(block: string): string {
  return block.replace(/^ *\(.*\) \|\| exit 1$/m, "");
}

/** Takes our lines out again: a file that held nothing else goes, one whose lines were edited by hand is left alone. */
export function planGitHookRemoval(before: string | undefined): FileChange | { readonly kind: "edited" } {
  if (before === undefined || !before.includes(BEGIN)) return { kind: "unchanged" };
  const from = before.indexOf(BEGIN);
  const end = before.indexOf(`${END}\n`, from);
  if (end === -1) return { kind: "edited" };
  const text = before.slice(0, from) + before.slice(end + END.length + 1);
  return /^#!.*\n?$/.test(text.trim()) ? { kind: "removed" } : { kind: "written", text };
}

function blockOf(command: string, directory: string): string {
  const place = directory === "." ? "" : `cd ${quote(directory)} && `;
  return `${BEGIN}
gauntlet_refs=$(cat)
if [ -n "$gauntlet_refs" ]; then
  (${place}printf '%s\\n' "$gauntlet_refs" | ${command} "$1") || exit 1
  exec <<GAUNTLET_REFS
$gauntlet_refs
GAUNTLET_REFS
fi
${END}`;
}

function commitBlock(command: string, directory: string): string {
  const place = directory === "." ? "" : `cd ${quote(directory)} && `;
  return `${BEGIN}\n(${place}${command}) || exit 1\n${END}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
