import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BREPL, GAUNTLET } from "./program.ts";
import { tempDir } from "./temp-dir.ts";

export interface BreplRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Written to stdin, which is then closed unless `keepOpen`. */
  readonly input?: string;
  readonly keepOpen?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the process once it runs. */
  readonly onStarted?: (pid: number) => void;
}

/** A directory with `.brepl/hooks.edn`, and its own session, which is removed at the end. */
export async function breplProject(hooks?: string) {
  const temp = await tempDir("brepl-test-");
  const session = `test-${randomUUID()}`;
  const stateFile = `/tmp/brepl-stop-hook-${session}.edn`;
  const project = {
    dir: temp.path,
    session,
    stateFile,
    write: async (path: string, text: string, mode = 0o644): Promise<void> => {
      await mkdir(dirname(join(temp.path, path)), { recursive: true });
      await writeFile(join(temp.path, path), text, { mode });
    },
    read: (path: string): Promise<string> => readFile(join(temp.path, path), "utf8"),
    has: (path: string): boolean => existsSync(join(temp.path, path)),
    /** The retry counts as they are on disk; nothing when there is no file. */
    counts: (): Promise<string | undefined> =>
      readFile(stateFile, "utf8").then(
        (text) => text.trim(),
        () => undefined,
      ),
    brepl: (args: readonly string[], options: RunOptions = {}): Promise<BreplRun> =>
      run([...BREPL, ...args], temp.path, options),
    gauntlet: (args: readonly string[], options: RunOptions = {}): Promise<BreplRun> =>
      run([...GAUNTLET, ...args], temp.path, options),
    /** `brepl hook stop` with the event that Claude Code sends. */
    stop: (event: Readonly<Record<string, unknown>> = {}, options: RunOptions = {}): Promise<BreplRun> =>
      run([...BREPL, "hook", "stop"], temp.path, {
        input: JSON.stringify(stopEvent(session, event)),
        ...options,
      }),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await rm(stateFile, { recursive: true, force: true });
      await temp[Symbol.asyncDispose]();
    },
  };
  if (hooks !== undefined) await project.write(".brepl/hooks.edn", hooks);
  return project;
}

function stopEvent(session: string, event: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    session_id: session,
    transcript_path: "/nowhere/transcript.jsonl",
    hook_event_name: "Stop",
    stop_hook_active: false,
    ...event,
  };
}

function run(argv: readonly string[], cwd: string, options: RunOptions): Promise<BreplRun> {
  return new Promise((done) => {
    const [file = "", ...args] = argv;
    const child = spawn(file, args, { cwd, env: { ...cleanEnv(cwd), ...options.env } });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
    child.stdin.on("error", () => {}); // the hook need not read what it does not want
    child.stdin.write(options.input ?? "");
    if (!options.keepOpen) child.stdin.end();
    if (child.pid !== undefined) options.onStarted?.(child.pid);
    child.once("close", (exitCode) => done({ exitCode, ...output }));
  });
}

/** Nothing of the machine the tests run on: no host's or build server's variables, no user's home. */
function cleanEnv(home: string): NodeJS.ProcessEnv {
  const foreign = /^(?:CI$|GITHUB_|GAUNTLET_|CLAUDE|XDG_|BREPL_|NODE_OPTIONS|VITEST)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), HOME: home };
}
