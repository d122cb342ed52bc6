import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** One exact release of an agent program on npm. */
export interface PinnedClient {
  readonly package: string;
  readonly version: string;
  /** Which of the package's commands; needed only when it has several. */
  readonly command?: string;
  /** The program inside the package, where it declares no command. */
  readonly file?: string;
}

/** A client ready to run, or why this machine cannot have it: tests then say `skip(reason)`. */
export type InstalledClient =
  { readonly ok: true; readonly bin: string } | { readonly ok: false; readonly reason: string };

/** Installs a client once, if it starts on this machine. */
export async function installClient(client: PinnedClient): Promise<InstalledClient> {
  const spec = `${client.package}@${client.version}`;
  const cached = await fillCache(spec, async (directory) => {
    const problem = await npmInstall(directory, spec, "--include=optional");
    return problem ?? (await whyItDoesNotStart(directory, client));
  });
  return cached.ok ? findBin(cached.directory, client) : cached;
}

/** Installs a library once, without its optional dependencies; it is below `node_modules` of the directory. */
export function installLibrary(
  spec: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Cached> {
  return fillCache(spec, (directory) => npmInstall(directory, spec, "--omit=optional", overrides));
}

/** A directory of the cache, or why it could not be filled. */
export type Cached =
  { readonly ok: true; readonly directory: string } | { readonly ok: false; readonly reason: string };

/**
 * Fills a directory once, in a cache outside the repository (`$AGENT_GAUNTLET_E2E_CACHE`, else `~/.cache/agent-gauntlet-e2e`).
 * Each filling happens in its own directory and enters the cache by one rename, so two processes cannot disturb each other
 * and a broken download is never found later. `fill` says what went wrong, if something did.
 */
async function fillCache(
  name: string,
  fill: (directory: string) => Promise<string | undefined>,
): Promise<Cached> {
  const directory = join(cacheRoot(), name.replaceAll(/[/:]/g, "+"));
  if (await exists(directory)) return { ok: true, directory };

  await mkdir(cacheRoot(), { recursive: true });
  const staging = await mkdtemp(join(cacheRoot(), ".installing-"));
  try {
    const problem = await fill(staging);
    if (problem !== undefined) return { ok: false, reason: problem };
    await rename(staging, directory).catch(ignoreLostRace);
    return { ok: true, directory };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function cacheRoot(): string {
  return process.env["AGENT_GAUNTLET_E2E_CACHE"] ?? join(homedir(), ".cache", "agent-gauntlet-e2e");
}

/** By force: also a program for another system. */
const QUIETLY = ["--no-audit", "--no-fund", "--save-exact", "--loglevel=error", "--force"];
const GIVING_UP_SOON = ["--fetch-retries=2", "--fetch-retry-maxtimeout=10000"];

async function npmInstall(
  directory: string,
  spec: string,
  flag: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, overrides }));
  const npm = await run("npm", ["install", "--prefix", directory, ...QUIETLY, ...GIVING_UP_SOON, flag, spec]);
  return npm.exitCode === 0 ? undefined : `npm install ${spec} failed: ${headline(npm.output)}`;
}

async function whyItDoesNotStart(directory: string, client: PinnedClient): Promise<string | undefined> {
  const found = await findBin(directory, client);
  if (!found.ok) return found.reason;
  const probe = await run(found.bin, ["--version"], { ...process.env, HOME: directory });
  if (probe.exitCode === 0) return undefined;
  return `${client.package}@${client.version} does not start: ${headline(probe.output)}`;
}

async function findBin(home: string, client: PinnedClient): Promise<InstalledClient> {
  const missing = { ok: false, reason: `${client.package}@${client.version} is not in ${home}` } as const;
  const directory = join(home, "node_modules", client.package);
  const manifest = await readFile(join(directory, "package.json"), "utf8").catch(() => undefined);
  if (manifest === undefined) return missing;
  const { bin } = JSON.parse(manifest) as { bin?: string | Record<string, string> }; // npm has checked its shape
  const relative = client.file ?? commandOf(bin, client.command);
  if (relative === undefined) return { ok: false, reason: `${client.package} has no such command` };
  const path = join(directory, relative);
  return (await exists(path)) ? { ok: true, bin: path } : missing;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function commandOf(bin: string | Record<string, string> | undefined, name?: string): string | undefined {
  return typeof bin === "string" ? bin : bin?.[name ?? Object.keys(bin)[0] ?? ""];
}

/** Another process put the same release there first: as good as ours. */
function ignoreLostRace(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

interface Finished {
  readonly exitCode: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[], env = process.env): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", (error) => resolve({ exitCode: null, output: error.message }));
    child.on("close", (exitCode) => resolve({ exitCode, output }));
  });
}

function headline(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("npm warn"));
  return lines.slice(0, 3).join(" | ");
}
