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
}

/** A client ready to run, or why this machine cannot have it: tests then say `skip(reason)`. */
export type InstalledClient =
  { readonly ok: true; readonly bin: string } | { readonly ok: false; readonly reason: string };

/**
 * Installs a client once into a cache outside the repository (`$AGENT_GAUNTLET_E2E_CACHE`, else `~/.cache/agent-gauntlet-e2e`).
 * Each install happens in a directory of its own and enters the cache by one rename, so two processes cannot disturb each other
 * and a broken download is never found later.
 */
export async function installClient(client: PinnedClient): Promise<InstalledClient> {
  const home = join(cacheRoot(), `${client.package}@${client.version}`.replaceAll(/[/:]/g, "+"));
  const cached = await findBin(home, client);
  if (cached.ok) return cached;

  await mkdir(cacheRoot(), { recursive: true });
  const staging = await mkdtemp(join(cacheRoot(), ".installing-"));
  try {
    const problem = await npmInstall(staging, client);
    if (problem !== undefined) return { ok: false, reason: problem };
    await rename(staging, home).catch(ignoreLostRace);
    return await findBin(home, client);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function cacheRoot(): string {
  return process.env["AGENT_GAUNTLET_E2E_CACHE"] ?? join(homedir(), ".cache", "agent-gauntlet-e2e");
}

const QUIETLY = ["--no-audit", "--no-fund", "--no-package-lock", "--include=optional", "--loglevel=error"];
const GIVING_UP_SOON = ["--fetch-retries=2", "--fetch-retry-maxtimeout=10000"];

async function npmInstall(directory: string, client: PinnedClient): Promise<string | undefined> {
  const spec = `${client.package}@${client.version}`;
  await writeFile(join(directory, "package.json"), '{ "private": true }\n');
  const npm = await run("npm", ["install", "--prefix", directory, ...QUIETLY, ...GIVING_UP_SOON, spec]);
  if (npm.exitCode !== 0) return `npm install ${spec} failed: ${headline(npm.output)}`;

  const found = await findBin(directory, client);
  if (!found.ok) return found.reason;
  const probe = await run(found.bin, ["--version"], { ...process.env, HOME: directory });
  if (probe.exitCode !== 0) return `${spec} does not start: ${headline(probe.output)}`;
  return undefined;
}

async function findBin(home: string, client: PinnedClient): Promise<InstalledClient> {
  const missing = { ok: false, reason: `${client.package}@${client.version} is not in ${home}` } as const;
  const directory = join(home, "node_modules", client.package);
  const manifest = await readFile(join(directory, "package.json"), "utf8").catch(() => undefined);
  if (manifest === undefined) return missing;
  const { bin } = JSON.parse(manifest) as { bin?: string | Record<string, string> }; // npm has checked its shape
  const relative = typeof bin === "string" ? bin : bin?.[client.command ?? Object.keys(bin)[0] ?? ""];
  if (relative === undefined) return { ok: false, reason: `${client.package} has no such command` };
  const path = join(directory, relative);
  const exists = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return exists ? { ok: true, bin: path } : missing;
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
