import { sha256 } from "#runtime";
import type {
  EntryPoint,
  GatesDefinition,
  GuardSettings,
  ProtectedFileSettings,
  Script,
} from "../settings.ts";
import { posix } from "node:path";
import { fixedPart, isGlob, placeOf } from "../entry-point.ts";
import type { CheckGate, Priority, ReviewGate } from "../../gates/gate.ts";
import {
  below,
  isShellScript,
  modulesLoadedBy,
  type NamedScript,
  scriptIn,
  scriptsNamedIn,
} from "./named-scripts.ts";
import type { ConfigFiles } from "./config-files.ts";

/** One value for everything that decides which gates run and what they do. */
export function gateHash(chosen: GateChoice): string {
  const { baseBranch, entryPoints, rerunNewIssueThreshold, guards, guardsIgnore, protectedFiles } = chosen;
  return hashOf({ baseBranch, entryPoints, rerunNewIssueThreshold, guards, guardsIgnore, protectedFiles });
}

interface GateChoice {
  readonly baseBranch: string;
  readonly entryPoints: readonly EntryPoint[];
  readonly rerunNewIssueThreshold: Priority;
  readonly guards?: GuardSettings | undefined;
  readonly guardsIgnore?: readonly string[] | undefined;
  readonly protectedFiles?: ProtectedFileSettings | undefined;
}

/**
 * One value for everything that decides how work is checked: compared with the one at the start of a session.
 */
export function definitionHash(definition: object): string {
  return hashOf(judgingPart(definition));
}

/** One value for everything that is executed: what the user allows. */
export function allowedHash(definition: GatesDefinition): string {
  return hashOf(executedPart(definition));
}

const ASIDE = ["root", "debugLog", "maxParallel", "runAhead", "gateHash", "definitionHash"];

export function judgingPart(definition: object): object {
  return without(definition, ASIDE);
}

/** How the hook behaves is left out: the user configures that, too. */
function executedPart(definition: GatesDefinition): object {
  return without(definition, [...ASIDE, "stopHook"]);
}

function without(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function hashOf(parts: object): string {
  return sha256(canonicalJson(parts));
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const MOST_SCRIPTS = 200;
const MOST_CHILDREN = 50;

/**
 * The scripts of the project that its gates run, by name: those of a package, and files that a command names. They are part of
 * what judges: `npm test` says nothing about what it does.
 */
export function readScripts(
  entryPoints: readonly EntryPoint[],
  files: ConfigFiles,
): Readonly<Record<string, Script>> {
  const reader = new ScriptReader(files);
  for (const entryPoint of entryPoints) for (const gate of entryPoint.gates) reader.read(gate, entryPoint);
  return reader.found();
}

function linesOf(gate: CheckGate | ReviewGate): readonly string[] {
  if (gate.kind === "check") return [gate.command];
  return gate.cliPreference.flatMap((name) => (name.startsWith("command:") ? [name.slice(8)] : []));
}

function directoriesOf(
  { path }: EntryPoint,
  gate: CheckGate | ReviewGate,
  files: ConfigFiles,
): readonly string[] {
  if (gate.kind === "review") return ["."];
  if (gate.workingDirectory !== undefined) return [gate.workingDirectory];
  if (!isGlob(path)) return [files.isFile(path) ? posix.dirname(path) : path];
  if (!/(?:^|\/)\*\/?$/.test(path) || path.includes("**")) return ["."];
  const parent = fixedPart(path) || ".";
  return files
    .peekNames(parent)
    .slice(0, MOST_CHILDREN)
    .map((name) => below(parent, name));
}

class ScriptReader {
  readonly #files: ConfigFiles;
  readonly #hashes = new Map<string, string>();
  readonly #gates = new Map<string, Set<string>>();

  constructor(files: ConfigFiles) {
    this.#files = files;
  }

  read(gate: CheckGate | ReviewGate, entryPoint: EntryPoint): void {
    const id = placeOf(entryPoint.path, gate);
    for (const directory of directoriesOf(entryPoint, gate, this.#files))
      for (const line of linesOf(gate)) this.#follow(line, directory, id);
  }

  #follow(line: string, directory: string, gate: string): void {
    for (const named of scriptsNamedIn(line))
      this.#read({ ...named, directory: below(directory, named.directory) }, gate);
  }

  found(): Readonly<Record<string, Script>> {
    const names = [...this.#hashes].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      names.map(([name, hash]) => [name, { hash, gates: [...(this.#gates.get(name) ?? [])].toSorted() }]),
    );
  }

  #read(named: NamedScript, gate: string): void {
    if (named.kind === "script") this.#readScript(named, gate);
    else this.#readFile(named, gate);
  }

  #readScript(named: NamedScript, gate: string): void {
    const { directory, name, manifest = "package.json" } = named;
    const place = inProject(below(directory, manifest));
    const text = place === undefined ? undefined : this.#textOf(place);
    const line = text === undefined ? undefined : scriptIn(text, named);
    if (place !== undefined && line !== undefined && this.#isNew(`${place} script "${name}"`, line, gate))
      this.#follow(line, directory, gate);
  }

  #readFile({ directory, name }: NamedScript, gate: string): void {
    const place = inProject(below(directory, name));
    const bytes = place === undefined ? undefined : this.#files.peek(place);
    if (place === undefined || bytes === undefined || !this.#isNew(place, bytes, gate)) return;
    const text = bytes.toString("utf8");
    if (isShellScript(place, text)) this.#follow(text, directory, gate);
    for (const loaded of modulesLoadedBy(place, text))
      this.#readFile({ kind: "file", directory: ".", name: loaded }, gate);
  }

  #textOf(place: string): string | undefined {
    return this.#files.peek(place)?.toString("utf8");
  }

  /** False if this gate is known to run it: following it again would go in circles. */
  #isNew(name: string, content: string | Buffer, gate: string): boolean {
    const gates = this.#gates.get(name) ?? new Set();
    if (gates.has(gate) || (this.#hashes.size >= MOST_SCRIPTS && !this.#hashes.has(name))) return false;
    this.#gates.set(name, gates.add(gate));
    this.#hashes.set(name, sha256(content).slice(0, 32));
    return true;
  }
}

function inProject(path: string): string | undefined {
  const normal = posix.normalize(path);
  return normal.startsWith("..") || posix.isAbsolute(normal) ? undefined : normal;
}
