/** As much of Bun as the native program uses; absent under Node. */
export interface BunRuntime {
  readonly spawn: (argv: readonly string[], options: BunSpawnOptions) => BunChild;
  readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> };
}

interface BunSpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: "ignore" | Uint8Array;
  readonly stdout: "pipe";
  readonly stderr: "pipe";
  readonly detached: boolean;
  readonly windowsHide: boolean;
  readonly onExit: (child: BunChild, exitCode: number | null, signal: string | number | null) => void;
}

interface BunChild {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly unref: () => void;
}

export const bun = Reflect.get(globalThis, "Bun") as BunRuntime | undefined; // its shape is checked by the tests

/** Bun says so in the executables it compiles; Node has no such global. */
export function isNative(): boolean {
  const { Bun } = globalThis as { readonly Bun?: { readonly isStandaloneExecutable?: boolean } };
  return Bun?.isStandaloneExecutable === true;
}

/** The file that was started: the native executable, or the script that Node runs. */
export function programFile(): string {
  return isNative() ? process.execPath : (process.argv[1] ?? "");
}

/** What starts this very program again. */
export function ownArgv(): readonly [string, ...string[]] {
  return isNative() ? [process.execPath] : [process.execPath, programFile()];
}
