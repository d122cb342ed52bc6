import { join } from "node:path";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { explain } from "../../core/trouble.ts";
import { startWorker } from "../../fleet/workers/worker.ts";
import { listWorkers } from "../../fleet/workers/list-workers.ts";
import { now } from "../../machine/clock.ts";
import { findProject } from "../../machine/files/find-project.ts";
import { homeDirectory } from "../../machine/files/xdg.ts";
import { workersJson } from "../../report/fleet-json.ts";
import { errorJson } from "../../report/json.ts";
import { ago, counted } from "../../report/plain-lines.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

export interface WorkerCommandOptions {
  readonly url?: string;
  readonly tree?: string;
  readonly concurrency?: number;
  readonly platform?: string;
  readonly dir?: string;
  readonly maxGb?: number;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

/** Runs gates for others until it is told to stop: TERM lets what is running end, a second one ends it. */
export async function workerCommand(terminal: Terminal, options: WorkerCommandOptions): Promise<number> {
  const { env, stdout, stderr } = terminal;
  const { url, tree } = { ...(await configured(terminal)), ...options };
  if (url === undefined || tree === undefined) {
    printLine(
      stderr,
      "Say where the queue and the trees are: `--url redis://… --tree …`, or `remote.workers` of a project.",
    );
    return EXIT.notOk;
  }
  const log = (line: string): void => printLine(stdout, `${new Date(now()).toISOString()} ${line}`);
  const started = await startWorker({
    url,
    tree,
    concurrency: options.concurrency ?? 1,
    platform: options.platform ?? `${process.platform}-${process.arch}`,
    directory:
      options.dir ??
      join(env["XDG_CACHE_HOME"] || join(homeDirectory(env), ".cache"), "agent-gauntlet/worker"),
    maxBytes: (options.maxGb ?? 20) * 1024 ** 3,
    isFresh: options.fresh ?? false,
    env,
    log,
  });
  if (!started.ok) {
    printLine(stderr, explain(started.trouble));
    return EXIT.notOk;
  }
  const { id, drain, stop } = started.value;
  log(`${id} is ready`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  log("draining");
  await drain();
  log("done");
  return EXIT.ok;
}

/** Shows the workers that are there. */
export async function workersCommand(terminal: Terminal, options: WorkerCommandOptions): Promise<number> {
  const { env, stdout, stderr } = terminal;
  const url = options.url ?? (await configured(terminal)).url;
  const found =
    url === undefined ? "Say where the queue is: `--url redis://…`." : await listWorkers(url, env);
  if (typeof found === "string") {
    if (options.json) printLine(stdout, errorJson("workers", "error", found));
    printLine(stderr, found);
    return EXIT.notOk;
  }
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

async function configured({
  cwd,
  env,
}: Terminal): Promise<{ readonly url?: string; readonly tree?: string }> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, env);
  const workers = loaded?.ok ? loaded.value.settings.remote?.workers : undefined;
  return workers === undefined ? {} : { url: workers.url, tree: workers.tree };
}
