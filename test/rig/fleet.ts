import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanEnv, GauntletProject } from "./gauntlet-project.ts";
import { GAUNTLET } from "./program.ts";
import { type Server, startRedis } from "./servers.ts";
import { survivors } from "./processes.ts";
import { tempDir } from "./temp-dir.ts";

interface Hired {
  readonly concurrency?: number;
  /** Where it keeps its checkouts; that of all workers of a machine when absent. */
  readonly dir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

interface ProjectOptions {
  /** More keys of `remote`. */
  readonly remote?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** More keys of `remote.workers`. */
  readonly workers?: string;
  /** More keys of a check, by its name. */
  readonly check?: Readonly<Record<string, string>>;
}

/** A queue, a git store, and real workers on one machine. */
export class Fleet implements AsyncDisposable {
  readonly #dir: AsyncDisposable & { readonly path: string };
  redis: Server;
  readonly workers: ChildProcess[] = [];

  private constructor(dir: AsyncDisposable & { readonly path: string }, redis: Server) {
    this.#dir = dir;
    this.redis = redis;
  }

  static async start(workers: number, hired: Hired = {}): Promise<Fleet> {
    const fleet = new Fleet(await tempDir(), await startRedis());
    execFileSync("git", ["init", "--quiet", "--bare", fleet.store]);
    await Promise.all(Array.from({ length: workers }, () => fleet.hire(hired)));
    return fleet;
  }

  /** A directory outside of every project and checkout. */
  get path(): string {
    return this.#dir.path;
  }

  get store(): string {
    return join(this.path, "store.git");
  }

  get url(): string {
    return `redis://127.0.0.1:${this.redis.port}`;
  }

  /** Starts a worker and waits until it takes jobs. */
  async hire({ concurrency = 2, dir, env, args: extra = [] }: Hired = {}): Promise<ChildProcess> {
    const [file, ...args] = GAUNTLET;
    const home = join(this.path, "home");
    mkdirSync(home, { recursive: true });
    const where = ["--url", this.url, "--tree", this.store, "--concurrency", String(concurrency)];
    const more = [...extra, ...(dir === undefined ? [] : ["--dir", dir])];
    const child = spawn(file, [...args, "worker", ...where, ...more], {
      cwd: this.path,
      env: { ...cleanEnv(home), ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.workers.push(child);
    await new Promise<void>((ready, failed) => {
      let text = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes("is ready")) ready();
      });
      child.once("exit", (code) => failed(new Error(`the worker ended with ${code}: ${text}`)));
    });
    return child;
  }

  async restartRedis(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { port, directory, process: redis } = this.redis;
    const ended = once(redis, "exit");
    redis.kill(signal);
    await ended;
    this.redis = await startRedis({ port, directory });
  }

  /** A project whose checks run on the workers, with a changed and an untracked file. */
  async project(
    checks: Readonly<Record<string, string>>,
    { workers = "pickup_seconds: 120", check = {}, remote = "", files = {} }: ProjectOptions = {},
  ): Promise<GauntletProject> {
    const lines = Object.entries(checks).map(
      ([name, command]) =>
        `  ${name}: { command: ${JSON.stringify(command)}, run_on: workers, timeout: 120${check[name] ?? ""} }`,
    );
    const config = `base_branch: main\nmax_parallel: 64\nchecks:\n${lines.join("\n")}\nremote:\n  workers: { url: "${this.url}", tree: "${this.store}", ${workers} }\n${remote}`;
    const project = await GauntletProject.create({ ".gauntlet/config.yml": config, file: "1", ...files });
    await project.commit("start");
    await project.git("switch", "--quiet", "--create", "work");
    await project.write({ file: "2", untracked: "new" });
    return project;
  }

  /** Processes of gates that run on the workers of this fleet. */
  gatesRunning(): readonly number[] {
    return survivors(join(this.path, "home/.cache/agent-gauntlet/worker")).filter(
      (pid) => !this.workers.some((worker) => worker.pid === pid),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.workers) worker.kill("SIGKILL");
    for (const worker of this.workers) await ended(worker);
    await this.redis[Symbol.asyncDispose]();
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** Waits for a process to end. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

/** Waits for what another process does. */
export async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** The words of the first line that a gate writes outside of its checkout, when it is there whole. */
export async function wordsIn(path: string): Promise<readonly string[]> {
  let line = "";
  await until(
    () => (line = /^.*\n/.exec(existsSync(path) ? readFileSync(path, "utf8") : "")?.[0] ?? "") !== "",
  );
  return line.trim().split(" ");
}

/** Waits for a file that a gate makes outside of its checkout; what it writes there may come later. */
export async function made(path: string): Promise<void> {
  await until(() => existsSync(path));
}
