import {
  appendFileSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { factsOf, isFile, kindOf, namesIn, readIfFile, removeTree } from "../../system/files/files.ts";
import { Git, MISLEADING, splitNul } from "../../system/git/git.ts";
import { findDependencies } from "../../system/git/dependencies.ts";
import { Repository } from "../../system/git/repository.ts";
import { makeScratchTree } from "../../system/git/scratch-tree.ts";
import type { Environment } from "../../system/process/environment.ts";
import { withoutOwnCredentials } from "../../system/process/environment.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { isTool, makeStubs, stubPrograms, type StubbedPath } from "./stubs.ts";

/** The work that lies in a copy when its stop is played. */
export type Work = "uncommitted" | "untracked" | "committed";

/** A project in a scratch directory, with everything committed, and the copies of it that scenarios are played in. */
export interface Playground extends AsyncDisposable {
  readonly directory: string;
  readonly root: string;
  readonly stubs: StubbedPath;
  readonly env: Environment;
  readonly copy: (work: Work, label: string) => Promise<Copy>;
}

export interface Copy {
  readonly root: string;
  readonly home: string;
  /** The files an agent has changed there, absolute. */
  readonly changed: readonly string[];
  readonly git: Git;
  /** Changes the changed files once more, as an agent does that was sent back. */
  readonly changeAgain: (label: string) => void;
  readonly remove: () => void;
}

export async function makePlayground(
  root: string,
  env: Environment,
  signal: AbortSignal,
): Promise<Result<Playground>> {
  const repository = await Repository.around(new Git(root, signal));
  if (repository === undefined) return refuse(root, "it is in no git repository");
  const tree =
    (await textOf(repository.git, ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"])) ?? EMPTY_TREE;
  const head = await textOf(repository.git, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  const made = await makeScratchTree(repository, { tree, head, objects: [] }, signal);
  if (!made.ok) return made;
  const scratch = made.value;
  const directory = dirname(scratch.top);
  const stubs = makeStubs(directory, env["PATH"] ?? "");
  const dependencies = (await findDependencies(repository)) ?? [];
  await overlay(repository, scratch.top);
  for (const path of dependencies) stubDependencies(join(scratch.top, path), stubs);
  for (const name of WRAPPERS.filter((one) => isFile(join(scratch.top, one))))
    stubPrograms(dirname(join(scratch.top, name)), (one) => name.endsWith(one), stubs.stubFor("make"));
  const prepared = await commitAll(repository, scratch.top);
  if (!prepared.ok) {
    await scratch[Symbol.asyncDispose]();
    return prepared;
  }
  const files = splitNul(await listed(new Git(scratch.top), ["ls-files", "-z"]));
  const template = { top: scratch.top, directory, dependencies, files: filesToChange(scratch.top, files) };
  return ok({
    directory,
    root: repository.places.top,
    stubs,
    env: surroundings(env, { from: repository.places.top, to: scratch.top }),
    copy: (work, label) => makeCopy(template, work, label),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  });
}

/** Of a repository without commits; git knows it without having it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function refuse(root: string, detail: string): Result<never> {
  return fail({ kind: "file-failed", action: "copy", path: root, detail });
}

async function textOf(git: Git, args: readonly string[]): Promise<string | undefined> {
  const answer = await git.output(args);
  return answer.ok ? answer.value.toString().trim() || undefined : undefined;
}

async function listed(git: Git, args: readonly string[]): Promise<Buffer> {
  const answer = await git.output(args);
  return answer.ok ? answer.value : Buffer.alloc(0);
}

/** Settings directories that git may ignore although the hook is in one. */
const SETTINGS = [".claude", ".codex", ".gemini", ".cursor"];
const NOT_COPIED = /\/\.claude\/(?:worktrees|projects|todos|logs|cache)(?:\/|$)/;

/** What the work tree has and the last commit has not. */
async function overlay({ top, git, places }: Repository, to: string): Promise<void> {
  const changed = splitNul(await listed(top, ["diff", "--name-only", "-z", "HEAD", "--"]));
  const others = splitNul(
    await listed(top, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]),
  );
  for (const file of new Set([...changed, ...others])) {
    const [source, target] = [join(places.top, file), join(to, file)];
    const isKnown = !changed.includes(file) && factsOf(target) !== undefined;
    if (isKnown || factsOf(source)?.isFile() !== true) continue;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
  for (const name of SETTINGS.map((one) => join(git.cwd, one)).filter((one) => kindOf(one) === "directory"))
    await cp(name, join(to, name.slice(places.top.length)), {
      recursive: true,
      force: false,
      filter: (path) => !NOT_COPIED.test(path),
    });
}

const WRAPPERS = ["gradlew", "mvnw", "bin/rails", "bin/rubocop", "bin/rspec", "bin/rake", "artisan"];

function stubDependencies(directory: string, stubs: StubbedPath): void {
  const stub = (name: string): string => stubs.stubFor(name);
  stubPrograms(join(directory, ".bin"), (name) => !/^(?:tsx|ts-node|agent-gauntlet)/.test(name), stub("npx"));
  for (const bin of ["bin", "Scripts"]) stubPrograms(join(directory, bin), isPython, stub("python3"));
}

function isPython(name: string): boolean {
  return isTool(name) || /^python3?$/.test(name);
}

/** The branch of the project, with one commit more if there was anything to commit. */
async function commitAll({ head }: Repository, top: string): Promise<Result<void>> {
  const git = new Git(top);
  const { branch = "main", commit } = head();
  if (commit !== undefined) await git.output(["update-ref", `refs/heads/${branch}`, commit]);
  await git.output(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
  for (const [key, value] of SETTINGS_OF_GIT) await git.output(["config", key, value]);
  return commitWork(git, "Work in progress");
}

const SETTINGS_OF_GIT = [
  ["user.name", "Audit"],
  ["user.email", "audit@example.com"],
  ["commit.gpgsign", "false"],
  ["gc.auto", "0"],
] as const;

async function commitWork(git: Git, message: string): Promise<Result<void>> {
  const added = await git.output(["add", "--all"]);
  if (!added.ok) return added;
  const status = await git.output(["status", "--porcelain"]);
  if (!status.ok) return status;
  if (status.value.length === 0) return ok(undefined);
  const done = await git.output(["commit", "--quiet", "--no-verify", "--message", message]);
  return done.ok ? ok(undefined) : done;
}

const MOST_CHANGED = 60;

/** One file of each kind in each directory, two levels deep: hooks look at names before they check. */
function filesToChange(top: string, files: readonly string[]): readonly string[] {
  const chosen = new Map<string, string>();
  for (const file of files) {
    const key = `${file.split("/").slice(0, -1).slice(0, 2).join("/")} ${extname(file)}`;
    if (COMMENTS[extname(file)] === undefined || LEFT_ALONE.test(file) || chosen.has(key)) continue;
    if ((factsOf(join(top, file))?.size ?? Infinity) < 200_000) chosen.set(key, file);
  }
  return [...chosen.values()].slice(0, MOST_CHANGED);
}

const LEFT_ALONE =
  /^\.(?:claude|codex|gemini|cursor|git|github|husky)\/|(?:^|\/)(?:node_modules|vendor|dist|build|target)\/|\.min\.js$/;

/** How a line of a comment begins: a change that breaks no file. */
const COMMENTS: Readonly<Record<string, string>> = Object.fromEntries([
  ...".ts .tsx .mts .js .jsx .mjs .cjs .go .rs .java .kt .kts .scala .swift .c .h .cc .cpp .hpp .cs .php .dart .zig .groovy .gradle .proto .scss .sol"
    .split(" ")
    .map((ending) => [ending, "// "] as const),
  ...".py .rb .sh .bash .ex .exs .pl .r .jl .tf .yml .yaml .toml .nix .graphql .cr"
    .split(" ")
    .map((ending) => [ending, "# "] as const),
  ...".clj .cljs .cljc .edn .lisp .el".split(" ").map((ending) => [ending, ";; "] as const),
  ...".lua .sql .hs .elm".split(" ").map((ending) => [ending, "-- "] as const),
  ...".md .html .vue .svelte .css .json .txt".split(" ").map((ending) => [ending, ""] as const),
]);

interface Template {
  readonly top: string;
  readonly directory: string;
  readonly dependencies: readonly string[];
  readonly files: readonly string[];
}

async function makeCopy(template: Template, work: Work, label: string): Promise<Copy> {
  const { top, directory, dependencies, files } = template;
  const place = await mkdtemp(join(directory, "copy-"));
  const [root, home] = [join(place, "project"), join(place, "home")];
  mkdirSync(home);
  mkdirSync(join(place, "tmp"));
  const left = new Set(dependencies.map((path) => join(top, path)));
  cpSync(top, root, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => !left.has(path),
  });
  for (const path of dependencies) linkEntries(join(top, path), join(root, path));
  const git = new Git(root);
  await git.output(["update-index", "-q", "--refresh"]); // the index has the times of the other copy
  const targets = files.map((file) => (work === "untracked" ? besides(file) : file));
  const changed =
    targets.length === 0 ? [join(root, "src", "audit.ts")] : targets.map((file) => join(root, file));
  const change = (what: string): void => changed.forEach((file) => appendComment(file, what));
  change(label);
  if (work === "committed") await commitWork(git, "Work of the agent");
  return { root, home, changed, git, changeAgain: change, remove: () => removeTree(place) };
}

function besides(file: string): string {
  const ending = extname(file);
  return `${file.slice(0, file.length - ending.length)}_new${ending}`;
}

function appendComment(file: string, what: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const text = readIfFile(file);
  const start = COMMENTS[extname(file)] ?? "";
  const line = start === "" ? "\n" : `${start}${what}\n`;
  if (text === undefined) writeFileSync(file, line);
  else appendFileSync(file, text.endsWith("\n") || text === "" ? line : `\n${line}`);
}

/** A directory of links: what a hook removes or adds there stays in its copy. */
function linkEntries(from: string, to: string): void {
  if (kindOf(from) !== "directory") return;
  mkdirSync(to, { recursive: true });
  for (const name of namesIn(from)) symlinkSync(join(from, name), join(to, name));
}

/** The user's environment without what names the project, points git elsewhere, or is secret of ours. */
function surroundings(
  env: Environment,
  { from, to }: { readonly from: string; readonly to: string },
): Environment {
  const kept = Object.entries(withoutOwnCredentials(env)).filter(
    ([name]) => !MISLEADING.includes(name) && !NOT_PASSED.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value?.replaceAll(from, to)]));
}

const NOT_PASSED =
  /^(?:CLAUDE|CODEX_|GEMINI_|CURSOR_|GAUNTLET_|XDG_|npm_|INIT_CWD$|BASH_ENV$|ENV$|NODE_OPTIONS$|CI$|GITHUB_)|TOKEN|SECRET|PASSWORD|API_KEY|CREDENTIAL/;
