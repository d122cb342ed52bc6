import { join, resolve } from "node:path";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { explain } from "../../trouble.ts";
import { findSigningKey } from "./signing-key.ts";
import { startWorker } from "./workers/worker.ts";
import { listWorkers } from "./workers/list-workers.ts";
import { now } from "../../system/clock.ts";
import { kindOf } from "../../system/files/files.ts";
import { findProject } from "../../system/files/find-project.ts";
import { userDirectory } from "../../system/files/xdg.ts";
import { workersJson } from "./json.ts";
import { ago, counted } from "../../words.ts";
import { EXIT } from "../../report/exit-code.ts";
import { refuse, tellTrouble } from "../../report/open-settings.ts";
import { exitNow, printLine, type Terminal } from "../../report/terminal.ts";

export interface WorkerCommandOptions {
  readonly url?: string;
  readonly tree?: string;
  readonly concurrency?: number;
  readonly platform?: string;
  readonly dir?: string;
  readonly maxGb?: number;
  readonly fresh?: boolean;
  readonly cache?: string;
  readonly json?: boolean;
}

/** Runs gates for others until TERM, which lets running gates finish; a second TERM kills them. */
export async function workerCommand(terminal: Terminal, options: WorkerCommandOptions): Promise<number> {
  const { cwd, env, stdout } = terminal;
  const { url = "", tree = "", cache } = { ...(await configured(terminal)), ...options };
  const problem = whyNot({ ...options, url, tree }, env);
  if (problem !== undefined) return refuse(terminal, problem, { command: "worker" });
  const log = (line: string): void => printLine(stdout, `${new Date(now()).toISOString()} ${line}`);
  const started = await startWorker({
    url,
    tree: kindOf(resolve(cwd, tree)) === "directory" ? resolve(cwd, tree) : tree,
    concurrency: options.concurrency ?? 1,
    platform: options.platform ?? `${process.platform}-${process.arch}`,
    directory: resolve(cwd, options.dir ?? join(userDirectory(env, "XDG_CACHE_HOME", ".cache"), "worker")),
    maxBytes: (options.maxGb ?? 20) * 1024 ** 3,
    isFresh: options.fresh === true || cache !== undefined, // what others rely on must rest on the tree alone
    cache,
    env,
    log,
  });
  if (!started.ok) return tellTrouble(terminal, started.trouble, { command: "worker" });
  const { id, drain, stop } = started.value;
  log(`${id} is ready`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  log("draining");
  await drain();
  log("done");
  return exitNow(terminal, EXIT.ok); // the queue's library keeps timers when Redis is gone
}

function whyNot(
  { url, tree, platform, cache }: WorkerCommandOptions,
  env: Terminal["env"],
): string | undefined {
  if (!url || !tree)
    return "Say where the queue and the trees are: `--url redis://… --tree …`, or `remote.workers` of a project.";
  const badUrl = whyNoUrl(url, ["redis:", "rediss:"], "GAUNTLET_WORKERS_AUTH");
  if (badUrl !== undefined) return `--url ${badUrl}`;
  if (tree.startsWith("-")) return "--tree must not begin with `-`.";
  if (platform !== undefined && !/^[a-z\d]+-[a-z\d]+$/.test(platform))
    return "--platform must be a system and a processor, such as `linux-x64`.";
  if (cache === undefined) return undefined;
  const badCache = whyNoUrl(cache, ["http:", "https:", "redis:", "rediss:"], "GAUNTLET_CACHE_AUTH");
  if (badCache !== undefined) return `--cache ${badCache}`;
  const key = findSigningKey(env);
  if (!key.ok) return explain(key.trouble);
  return key.value === undefined
    ? "--cache needs a key to sign with: set GAUNTLET_SIGNING_KEY, or run `agent-gauntlet keys create`."
    : undefined;
}

function whyNoUrl(text: string, protocols: readonly string[], variable: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol))
    return `must be a URL that begins with ${protocols.map((one) => `${one}//`).join(", ")}.`;
  if (url.username || url.password) return `must not hold a password: set ${variable} instead.`;
  return undefined;
}

export async function workersCommand(terminal: Terminal, options: WorkerCommandOptions): Promise<number> {
  const { env, stdout } = terminal;
  const url = options.url ?? (await configured(terminal)).url;
  const found = await findWorkers(url, env);
  if (typeof found === "string") return refuse(terminal, found, { command: "workers", json: options.json });
  if (options.json) printLine(stdout, workersJson(found));
  else {
    for (const { id, platform, running, concurrency, done, since } of found.workers)
      printLine(
        stdout,
        `${id}  ${platform}  ${running} of ${concurrency} running, ${done} done, started ${ago(since, now())}`,
      );
    for (const { platform, waiting } of found.queues)
      printLine(stdout, `${platform}: ${counted(waiting, "gate")} waiting`);
    if (found.workers.length === 0) printLine(stdout, "No worker is there.");
  }
  return EXIT.ok;
}

async function findWorkers(url: string | undefined, env: Terminal["env"]): ReturnType<typeof listWorkers> {
  if (url === undefined)
    return "Say where the queue is: `--url redis://…`, or `remote.workers` of a project.";
  const problem = whyNoUrl(url, ["redis:", "rediss:"], "GAUNTLET_WORKERS_AUTH");
  return problem === undefined ? listWorkers(url, env) : `--url ${problem}`;
}

async function configured({
  cwd,
  env,
}: Terminal): Promise<{ readonly url?: string; readonly tree?: string; readonly cache?: string }> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, env);
  return loaded?.ok ? (loaded.value.settings.remote?.workers ?? {}) : {};
}
