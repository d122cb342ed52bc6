import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch, mkdirSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { GAUNTLET } from "./program.ts";
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
  readonly stdin?: string | Buffer;
  /** Called with the child's pid as soon as it is known. */
  readonly onSpawn?: (pid: number) => void;
}

/** A project in a fresh directory, a real git repository unless asked otherwise, driven through the built CLI. */
export class GauntletProject implements AsyncDisposable {
  readonly #dir: AsyncDisposable & { readonly path: string };
  readonly root: string;
  readonly home: string;

  private constructor(
    dir: AsyncDisposable & { readonly path: string },
    root: string = join(dir.path, "project"),
  ) {
    this.#dir = dir;
    this.root = root;
    this.home = join(dir.path, "home");
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
      env: this.#env(),
    });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  }

  gauntlet(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return run([...GAUNTLET, ...args], { cwd: this.root, ...options, env: this.#env(options.env) });
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

  #env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { ...cleanEnv(this.home), ...extra };
  }

  async [Symbol.asyncDispose](): Promise<void> {
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

/** A session's record, in the user's state directory. */
export function sessionFile({ home }: GauntletProject, id = "session-1"): string {
  return join(home, ".local/state/agent-gauntlet/sessions", `session-${id}.json`);
}

/** The record of a project's last run, beside that of its last pass. */
export function lastRunFile(project: GauntletProject): string {
  return join(dirname(passFile(project)), "last-run.json");
}

/** The record of a project's last pass, in the user's state directory. */
export function passFile({ home }: GauntletProject): string {
  const projects = join(home, ".local/state/agent-gauntlet/projects");
  return join(projects, readdirSync(projects)[0] ?? "none", "pass.json");
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
    child.stdin.end(options.stdin ?? "");
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

/** Resolves when a process has tried to take the run's lock and given up: it writes a draft beside the lock and removes it again. */
export function lockRefused({ root }: GauntletProject): Promise<void> {
  const logDir = join(root, "gauntlet_logs");
  return new Promise((resolve) => {
    const watcher = watch(logDir, (_, name) => {
      if (!name?.startsWith(".gauntlet-run.lock.") || existsSync(join(logDir, name))) return;
      watcher.close();
      resolve();
    });
  });
}
