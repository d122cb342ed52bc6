import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Script } from "node:vm";

export interface CompiledFile {
  readonly path: string;
  readonly script: Script;
}

/** What V8 made of a file the last time; undefined when there is none, it is not ours, or it is not of this file and this Node. */
export function readCompiled(path: string): Buffer | undefined {
  const directory = cacheDirectory();
  if (directory === undefined) return undefined;
  try {
    const kept = readOwnFile(join(directory, nameFor(path)));
    const key = Buffer.from(keyOf(path));
    if (!kept.subarray(0, key.length).equals(key)) return undefined;
    const twice = kept.subarray(key.length);
    const half = twice.subarray(0, twice.length / 2);
    return half.equals(twice.subarray(half.length)) ? half : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it for the next time. What cannot be kept only costs time. */
export function writeCompiled(files: readonly CompiledFile[]): void {
  const directory = cacheDirectory();
  if (directory === undefined) return;
  try {
    makeDirectory(directory);
    for (const { path, script } of files) {
      const data = script.createCachedData();
      replace(join(directory, nameFor(path)), Buffer.concat([Buffer.from(keyOf(path)), data, data]));
    }
    forgetOldest(directory);
  } catch {
    return;
  }
}

/** Step by step: Node's own way never ends where a file system denies that a parent is there, as `/proc` does. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** As Node does with its own: `NODE_DISABLE_COMPILE_CACHE=1` switches it off. */
function cacheDirectory(): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME: given, HOME: home } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE || process.platform === "win32") return undefined;
  const cache =
    given !== undefined && isAbsolute(given) ? given : home && isAbsolute(home) && join(home, ".cache");
  return cache ? join(cache, "agent-gauntlet", "code") : undefined;
}

function nameFor(path: string): string {
  return encodeURIComponent(path).slice(-200);
}

/** V8 itself compares little more than the length of the text. The change time is there because npm sets all others to 1985. */
function keyOf(path: string): string {
  const { mtimeNs, ctimeNs, size, ino, dev } = statSync(path, { bigint: true });
  const { version, arch, execArgv } = process;
  return `${JSON.stringify([path, version, arch, execArgv, [mtimeNs, ctimeNs, size, ino, dev].join(":")])}\n`;
}

function readOwnFile(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(fd);
    const isOurs = facts.isFile() && facts.uid === process.getuid?.() && (facts.mode & 0o022) === 0;
    return isOurs ? readFileSync(fd) : Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

function replace(path: string, bytes: Buffer): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

const KEPT_FILES = 200;

/** Of programs that are gone, nobody would ever remove anything. */
function forgetOldest(directory: string): void {
  const names = readdirSync(directory);
  if (names.length <= KEPT_FILES) return;
  const byAge = names
    .map((name) => ({ path: join(directory, name), at: statSync(join(directory, name)).mtimeMs }))
    .toSorted((one, other) => other.at - one.at);
  for (const { path } of byAge.slice(KEPT_FILES / 2)) unlinkSync(path);
}
