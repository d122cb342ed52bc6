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
