import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf } from "../files/files.ts";
import { type Git, splitNul } from "./git.ts";
import type { Repository } from "./repository.ts";

export type GitSettings = readonly (readonly [key: string, value?: string])[];

export async function settingsWithFilters(top: Git): Promise<GitSettings | undefined> {
  const listed = await top.output(["config", "--list", "-z"]);
  if (!listed.ok) return undefined; // git says why when it is asked for more
  const settings = splitNul(listed.value).map((entry): GitSettings[number] => {
    const end = entry.indexOf("\n");
    return end === -1 ? [entry] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  return settings.some(([key]) => /^filter\..*\.(?:clean|process)$/.test(key)) ? settings : undefined;
}

/**
 * Makes a git directory for filters: what they find when they ask git for its directory, and where they may write. Settings are
 * written out, because the conditions of `includeIf` would differ here. Files are linked one by one: git-crypt reads its keys,
 * and a new file still stays here.
 */
export async function makeGitDir(repository: Repository, settings: GitSettings, to: string): Promise<void> {
  mkdirSync(join(to, "refs"), { recursive: true });
  const { places } = repository;
  const { head, refs } = await headOf(repository);
  writeFileSync(join(to, "HEAD"), `${head}\n`);
  writeFileSync(join(to, "packed-refs"), refs);
  writeFileSync(join(to, "config"), settings.map(configLines).join(""), { mode: 0o600 });
  const room = { left: MOST_LINKS };
  for (const from of new Set([places.commonDir, places.gitDir])) linkFiles(from, to, { room, isTop: true });
}

async function headOf({ top, head }: Repository): Promise<{ readonly head: string; readonly refs: string }> {
  const { branch, commit } = head();
  if (commit !== undefined)
    return branch === undefined ? { head: commit, refs: "" } : onBranch(`refs/heads/${branch}`, commit);
  const asked = await top.ask(["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
  const [found = "", name = ""] = asked.ok && asked.value.exitCode === 0 ? lines(asked.value.stdout) : [];
  if (found !== "") return name === "HEAD" ? { head: found, refs: "" } : onBranch(name, found);
  const unborn = await top.ask(["symbolic-ref", "HEAD"]);
  const [ref = ""] = unborn.ok ? lines(unborn.value.stdout) : [];
  return { head: `ref: ${ref === "" ? "refs/heads/main" : ref}`, refs: "" };
}

function onBranch(ref: string, commit: string): { readonly head: string; readonly refs: string } {
  return { head: `ref: ${ref}`, refs: `${commit} ${ref}\n` };
}

function lines(output: Buffer): readonly string[] {
  return output.toString().trim().split("\n");
}

/** They name other places, were already followed, or hold secrets that no scan needs. */
const LEFT_OUT =
  /^(?:include|includeif|http|credential)\.|^core\.(?:worktree|bare)$|^extensions\.(?:worktreeconfig|refstorage)$/;

function configLines([key, value]: GitSettings[number]): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  if (LEFT_OUT.test(key) || first === -1) return "";
  const section = key.slice(0, first);
  const header = first === last ? `[${section}]` : `[${section} ${quoted(key.slice(first + 1, last))}]`;
  return `${header}\n\t${key.slice(last + 1)}${value === undefined ? "" : ` = ${quoted(value)}`}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"`;
}

/** Written out above, of other work trees, or not read by a scan; what git-lfs keeps may be huge. */
const NOT_LINKED =
  /^(?:HEAD|config(?:\.worktree)?|commondir|gitdir|packed-refs|refs|reftable|objects|logs|hooks|modules|worktrees|lfs|index|.*\.lock)$/;

const MOST_LINKS = 1_000;

interface Linking {
  readonly room: { left: number };
  readonly isTop?: boolean;
}

function linkFiles(from: string, to: string, { room, isTop = false }: Linking): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (isTop && NOT_LINKED.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && room.left > 0) {
      mkdirSync(target, { recursive: true });
      linkFiles(source, target, { room });
    } else if (entry.isDirectory() || entry.isFile()) {
      room.left--;
      if (factsOf(target) !== undefined) rmSync(target, { recursive: true });
      symlinkSync(source, target);
    }
  }
}
