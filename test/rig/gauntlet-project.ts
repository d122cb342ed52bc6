import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { BREPL, GAUNTLET } from "./program.ts";
import { tempDir } from "./temp-dir.ts";

/** The command line for Node, as it is shipped. */
export const CLI = resolve(import.meta.dirname, "../../dist/cli/agent-gauntlet.cjs");

export interface Finished {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed unless it is kept open. */
  readonly stdin?: string | Buffer;
  readonly keepOpen?: boolean;
  /** Called with the child's pid as soon as it is known. */
  readonly onSpawn?: (pid: number) => void;
}

/** A project in a fresh directory, a real git repository unless asked otherwise, driven through the built programs. */
export class GauntletProject implements AsyncDisposable {
  readonly #dir: AsyncDisposable & { readonly path: string };
  readonly root: string;
  readonly home: string;
  /** First on the PATH. */
  readonly bin: string;
  /** The session of `breplStop`: brepl counts in /tmp, which all tests share. */
  readonly breplSession = `test-${randomUUID()}`;

  private constructor(
    dir: AsyncDisposable & { readonly path: string },
    root: string = join(dir.path, "project"),
  ) {
    this.#dir = dir;
    this.root = root;
    this.home = join(dir.path, "home");
    this.bin = join(dir.path, "bin");
  }

  static async create(
    files: Readonly<Record<string, string>> = {},
    options: { git?: boolean } = {},
  ): Promise<GauntletProject> {
    const project = new GauntletProject(await tempDir());
    await mkdir(project.root, { recursive: true });
    await mkdir(project.home, { recursive: true });
    if (options.git !== false) await initRepository(project.root);
    await project.write(files);
    return project;
  }

  /** A project whose checks are the given commands, with everything committed. */
  static async withChecks(
    checks: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<GauntletProject> {
    const lines = Object.entries(checks).map(([name, command]) => `  ${name}: ${JSON.stringify(command)}`);
    const project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n${lines.join("\n")}\n`,
      ...more,
    });
    await project.commit("start");
    return project;
  }

  /** A directory with these stop hooks of brepl, and no git. */
  static withHooks(hooks?: string): Promise<GauntletProject> {
    const files: Record<string, string> = hooks === undefined ? {} : { ".brepl/hooks.edn": hooks };
    return GauntletProject.create(files, { git: false });
  }

  /** The same machine seen from another directory: a clone, a worktree, a project inside the repository. */
  at(dir: string): GauntletProject {
    return new GauntletProject(this.#dir, resolve(this.root, dir));
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.root, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }

  /** Puts a program first on the PATH. */
  async writeProgram(name: string, content: string): Promise<void> {
    await mkdir(this.bin, { recursive: true });
    await writeFile(join(this.bin, name), content, { mode: 0o755 });
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(join(this.root, name));
  }

  async commit(message: string): Promise<void> {
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--allow-empty", "--message", message);
  }

  async git(...args: readonly string[]): Promise<string> {
    const done = await run(["git", "-c", "maintenance.auto=false", ...args], {
      cwd: this.root,
      env: this.env(),
    });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  }

  gauntlet(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return run([...GAUNTLET, ...args], { cwd: this.root, ...options, env: this.env(options.env) });
  }

  brepl(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return run([...BREPL, ...args], { cwd: this.root, ...options, env: this.env(options.env) });
  }

  async json(args: readonly string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
    const done = await this.gauntlet([...args, "--json"], options);
    return JSON.parse(done.stdout) as Record<string, unknown>;
  }

  /** Plays a stop event into the real stop hook, as Claude Code would. */
  async stop(
    event: Readonly<Record<string, unknown>> = {},
    options: RunOptions = {},
  ): Promise<Finished & { readonly answer: Answer }> {
    const payload = {
      session_id: "session-1",
      cwd: this.root,
      hook_event_name: "Stop",
      stop_hook_active: false,
      ...event,
    };
    const done = await this.gauntlet(["stop-hook"], { stdin: `${JSON.stringify(payload)}\n`, ...options });
    return { ...done, answer: JSON.parse(done.stdout) as Answer };
  }

  /** Plays a stop event into `brepl hook stop`. */
  breplStop(event: Readonly<Record<string, unknown>> = {}, options: RunOptions = {}): Promise<Finished> {
    const payload = {
      session_id: this.breplSession,
      transcript_path: "/nowhere/transcript.jsonl",
      hook_event_name: "Stop",
      stop_hook_active: false,
      ...event,
    };
    return this.brepl(["hook", "stop"], { stdin: JSON.stringify(payload), ...options });
  }

  /** Where brepl counts the retries of the session. */
  get breplCountsFile(): string {
    return `/tmp/brepl-stop-hook-${this.breplSession}.edn`;
  }

  /** The counts as they are on disk; nothing if there is no file. */
  breplCounts(): string | undefined {
    const file = this.breplCountsFile;
    return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  }

  /** What the programs see: what `cleanEnv` gives, and the programs of `writeProgram`. */
  env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    const clean = cleanEnv(this.home);
    const { PATH = "" } = clean;
    const own = existsSync(this.bin) ? `${this.bin}${delimiter}${PATH}` : PATH;
    return { ...clean, PATH: own, ...extra };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.breplCountsFile, { recursive: true, force: true });
    await this.#dir[Symbol.asyncDispose]();
  }
}

type Repository = readonly (readonly [path: string, content: Buffer | undefined])[];

let emptyRepository: Promise<Repository> | undefined;

/** What `git init` makes, without its sample hooks: writing it is cheaper than starting git for each test. */
async function makeEmptyRepository(): Promise<Repository> {
  await using dir = await tempDir();
  const argv = ["git", "init", "--quiet", "--initial-branch=main"];
  const { exitCode, stderr } = await run(argv, { cwd: dir.path, env: cleanEnv(dir.path) });
  if (exitCode !== 0) throw new Error(`git init: ${stderr}`);
  return readdirSync(dir.path, { recursive: true, withFileTypes: true })
    .filter(({ name }) => !name.endsWith(".sample"))
    .map((entry) => [join(entry.parentPath, entry.name), entry.isDirectory()] as const)
    .map(([path, isDirectory]) => [relative(dir.path, path), isDirectory ? undefined : readFileSync(path)]);
}

async function initRepository(root: string): Promise<void> {
  emptyRepository ??= makeEmptyRepository();
  const entries = await emptyRepository;
  for (const [path, content] of entries) if (!content) mkdirSync(join(root, path), { recursive: true });
  for (const [path, content] of entries) if (content) writeFileSync(join(root, path), content);
}

/** What the stop hook says to Claude Code. */
export interface Answer {
  readonly decision: "approve" | "block";
  readonly status: string;
  readonly message: string;
  readonly reason?: string;
  readonly systemMessage?: string;
}

/** Nothing of the machine the tests run on: no CI, no agent around us, no user configuration. */
export function cleanEnv(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
}

export function run(
  argv: readonly string[],
  options: RunOptions & { cwd: string; env: Record<string, string> },
): Promise<Finished> {
  return new Promise((done, failed) => {
    const [file = "", ...args] = argv;
    const child = spawn(file, args, { cwd: options.cwd, env: options.env });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.write(options.stdin ?? "");
    if (!options.keepOpen) child.stdin.end();
    child.once("error", failed);
    if (child.pid !== undefined) options.onSpawn?.(child.pid);
    child.once("close", (exitCode, signal) =>
      done({
        exitCode,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    );
  });
}
