import { PACKAGE } from "../../package-name.ts";
import type { Environment } from "./environment.ts";
/** The part of Bun that the native program uses; undefined under Node. */
export interface BunRuntime {
  readonly spawn: (argv: readonly string[], options: BunSpawnOptions) => BunChild;
  readonly spawnSync: (argv: readonly string[], options: object) => { readonly stdout: Uint8Array };
  readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> };
  readonly CryptoHasher: new (algorithm: "sha256" | "sha1") => BunHasher;
}

interface BunHasher {
  readonly update: (content: string | Uint8Array) => BunHasher;
  readonly digest: (encoding: HashEncoding) => string;
}

export type HashEncoding = "hex" | "base64url";

interface BunSpawnOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: "ignore" | "pipe" | Uint8Array;
  readonly stdout: "pipe";
  readonly stderr: "pipe";
  readonly detached: boolean;
  readonly windowsHide: boolean;
  readonly windowsVerbatimArguments?: boolean;
  readonly onExit: (child: BunChild, exitCode: number | null, signal: string | number | null) => void;
}

interface BunChild {
  readonly pid: number;
  /** Present for a pipe. */
  readonly stdin?: BunInput;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly unref: () => void;
}

export interface BunInput {
  readonly write: (text: string | Uint8Array) => unknown;
  readonly flush: () => unknown;
  readonly end: () => unknown;
}

export const bun = Reflect.get(globalThis, "Bun") as BunRuntime | undefined; // its shape is checked by the tests

/** Set by Bun in the executables that it compiles. */
export function isNative(): boolean {
  const { Bun } = globalThis as { readonly Bun?: { readonly isStandaloneExecutable?: boolean } };
  return Bun?.isStandaloneExecutable === true;
}

export function programFile(): string {
  return isNative() ? process.execPath : (process.argv[1] ?? "");
}

/** Where a project's own copy is, which is not on the PATH, and what starts it. */
const OF_A_PROJECT: readonly (readonly [place: RegExp, start: string])[] = [
  [/\.zip[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?agent-gauntlet[/\\]/, "yarn agent-gauntlet"], // Plug'n'Play: only yarn finds it
  [/[/\\]node_modules[/\\](?:\.bin[/\\]|@[^/\\]+[/\\])?agent-gauntlet-[\w-]+/, "npx agent-gauntlet-native"],
  [/[/\\]node_modules[/\\](?:\.bin[/\\]|@[^/\\]+[/\\])?agent-gauntlet(?![\w-])/, `npx ${PACKAGE}`],
];

const GLOBAL = /[/\\](?:lib|npm)[/\\]node_modules[/\\]|[/\\](?:pnpm|yarn|install)[/\\]global[/\\]/;

/** Undefined for a program that serves all projects. */
export function startOfProjectCopy(file: string): string | undefined {
  return GLOBAL.test(file) ? undefined : OF_A_PROJECT.find(([place]) => place.test(file))?.[1];
}

export function ownCommand(file: string = programFile()): string {
  return startOfProjectCopy(file) ?? "agent-gauntlet";
}

export function withOwnCommand(hints: string, file: string = programFile()): string {
  const start = startOfProjectCopy(file);
  return start === undefined ? hints : hints.replaceAll(/(`|&& )agent-gauntlet (?=[a-z-])/g, `$1${start} `);
}

export function ownArgv(): readonly [string, ...string[]] {
  return isNative() ? [process.execPath] : [process.execPath, programFile()];
}

export interface ChildRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  /** Written to stdin, which is then closed; without it stdin is closed from the start. */
  readonly stdin?: string | Buffer;
  /** Keeps stdin open, in place of `stdin`: called once, with what writes to it. */
  readonly onInput?: (input: ChildInput) => void;
  readonly onOutput: (chunk: Buffer, stream: "stdout" | "stderr") => void;
  /** A death by a real-time signal must never read as exit code 0, as it does under Node. */
  readonly mustNotHideSignals?: boolean;
}

/** What is written after the child has closed its stdin is lost. */
export interface ChildInput {
  readonly write: (text: string | Buffer) => void;
  readonly end: () => void;
}

export interface Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly closed: Promise<unknown>;
  /** Stops reading: a process that holds the output open cannot hold us. */
  readonly letGo: () => void;
}

export type Exit =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly signal: string };

export interface NotStarted {
  readonly detail: Promise<string>;
}
