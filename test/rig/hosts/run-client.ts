import { type ChildProcessByStdio, spawn } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";

import { type InstalledClient, installClient, installLibrary } from "../client-cache.ts";
import type { Client, ClientPlace } from "./clients.ts";

export interface ClientRun {
  readonly exitCode: number | null;
  readonly output: string;
}

/** The command line that starts the client, installed into the cache if it was not there. */
export async function installHost(client: Client): Promise<InstalledClient & { readonly via?: string }> {
  const installed = await installClient(client.release);
  if (!installed.ok || client.node === undefined) return installed;
  const node = await installClient(client.node);
  return node.ok ? { ...installed, via: node.bin } : node;
}

/** Puts the client's own settings into the home directory. */
export async function configureClient(client: Client, place: ClientPlace): Promise<void> {
  const { files } = client.setUp(place);
  for (const [name, content] of Object.entries(files)) await writeBelow(place.home, name, content);
  if (client.pluginLibrary !== undefined)
    await linkLibrary(client.pluginLibrary.spec, client.pluginLibrary.folders(place));
}

/** Saves the client's own download, which takes a minute; where it cannot be had here, the client tries for itself. */
async function linkLibrary(spec: string, folders: readonly string[]): Promise<void> {
  const library = await installLibrary(spec);
  if (!library.ok) return;
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    for (const name of ["package.json", "package-lock.json"])
      await copyFile(join(library.directory, name), join(folder, name));
    await symlink(join(library.directory, "node_modules"), join(folder, "node_modules"));
  }
}

export interface Start extends ClientPlace {
  readonly command: readonly string[];
  readonly path: string;
  /** What the user's own shell would add. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the client with nothing of our environment but the PATH it is given. */
export function startClient(
  client: Client,
  place: Start,
  args: readonly string[],
): ChildProcessByStdio<null, Readable, Readable> {
  const { env } = client.setUp(place);
  const [program = "", ...first] = place.command;
  return spawn(program, [...first, ...args], {
    cwd: place.project,
    env: {
      PATH: place.path,
      HOME: place.home,
      TMPDIR: place.home,
      NO_PROXY: "127.0.0.1",
      ...env,
      ...place.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the client once, headless. */
export async function runClient(client: Client, place: Start): Promise<ClientRun> {
  const child = startClient(client, place, client.setUp(place).args);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, output }));
  });
}

async function writeBelow(root: string, name: string, content: string): Promise<void> {
  const file = join(root, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
