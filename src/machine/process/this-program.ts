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
