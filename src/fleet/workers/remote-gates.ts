import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { hostname } from "node:os";
import { join } from "node:path";
import { takesFiles } from "../../core/plan.ts";
import type { RunEvent } from "../../core/run.ts";
import type { WorkersSettings } from "../../core/settings.ts";
import { explain, fail, ok, type Result } from "../../core/trouble.ts";
import type { EndedElsewhere, GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import { uniqueName, writeFileAtomic } from "../../machine/files/files.ts";
import { Git } from "../../machine/git/git.ts";
import { readIndexMarks } from "../../machine/git/index-file.ts";
import { pushTree } from "../../machine/git/push-tree.ts";
import { Repository } from "../../machine/git/repository.ts";
import { type Snapshot, treeIdOf } from "../../machine/git/snapshot.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { onAbort, timeLimit } from "../../machine/process/time-limit.ts";
import { sha256 } from "#hash";
import { type FollowedJob, FollowedJobs } from "./followed-jobs.ts";
import {
  connectTo,
  type GateJob,
  type JobEnd,
  type Libraries,
  loadLibraries,
  platformOf,
  PREFIX,
} from "./queue.ts";
import { detailOf } from "../pass-store.ts";

export interface RemoteRun {
  readonly workers: WorkersSettings;
  readonly root: string;
  readonly env: Environment;
  readonly snapshot: Snapshot;
  readonly baseBranch: string;
  readonly onEvent: (event: RunEvent) => void;
}

type Around = { readonly onOutput: (chunk: Buffer) => void; readonly signal: AbortSignal };

/** Runs checks on workers: as `GateContext.elsewhere` wants it, with an end to all connections. */
export class RemoteGates implements AsyncDisposable {
  readonly #run: RemoteRun;
  readonly #queues = new Map<string, Queue<GateJob>>();
  #tree: Promise<Result<Pushed>> | undefined;
  #connected: Promise<Result<Connected>> | undefined;
  #client: Redis | undefined;
  #jobs: FollowedJobs | undefined;

  constructor(run: RemoteRun) {
    this.#run = run;
  }

  readonly elsewhere: NonNullable<GateContext["elsewhere"]> = async (planned, onOutput, signal) => {
    if (planned.gate.runOn !== "workers") return undefined;
    const end = signal.aborted ? CANCELLED : await this.#runThere(planned, { onOutput, signal });
    if (typeof end !== "string") return end;
    if (this.#run.workers.fallback === "error")
      return { end: { kind: "not-started", detail: `no worker ran it: ${end}` } };
    this.#run.onEvent({ kind: "warned", message: `${planned.id} runs here: ${end}` });
    return undefined;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#jobs?.[Symbol.dispose]();
    const closing = [...this.#queues.values()].map((queue) => queue.close().catch(() => undefined));
    await within(timeLimit(CLOSE_MS), Promise.all(closing));
    this.#client?.disconnect();
  }

  /** How a check ended; a text says why no worker ran it. */
  async #runThere(planned: PlannedCheck, around: Around): Promise<EndedElsewhere | string> {
    const { workers } = this.#run;
    const pushed = await (this.#tree ??= this.#push());
    if (!pushed.ok) return explain(pushed.trouble);
    const connecting = (this.#connected ??= this.#connect());
    const connected = await within(timeLimit(Math.max(workers.pickupMs, ANSWER_MS)), connecting);
    if (connected === "late") return `the queue ${new URL(workers.url).host} cannot be reached`;
    if (!connected.ok) return explain(connected.trouble);
    const following = this.#follow(planned, { ...connected.value, pushed: pushed.value, ...around });
    const job = await within(timeLimit(ANSWER_MS), following);
    if (job === "late") return `the queue ${new URL(workers.url).host} does not answer`;
    const end = await this.#await(job, around.signal);
    if (typeof end === "string") return end;
    return this.#bringHome(planned, end);
  }

  #bringHome({ gate }: PlannedCheck, ended: JobEnd): EndedElsewhere | string {
    if (ended.kind === "trouble") return ended.detail;
    const { end, missing, report } = ended;
    if (report !== undefined && gate.report !== undefined)
      writeFileAtomic(join(this.#run.root, gate.report), report);
    return { end, missing };
  }

  async #connect(): Promise<Result<Connected>> {
    const { workers, env } = this.#run;
    const libraries = loadLibraries();
    if (!libraries.ok) return libraries;
    const client = (this.#client = connectTo(libraries.value, workers.url, env));
    try {
      await client.ping();
    } catch (error) {
      const what = `the queue ${new URL(workers.url).host}`;
      return fail({ kind: "not-reached", what, detail: detailOf(error) });
    }
    const jobs = (this.#jobs = new FollowedJobs(client));
    return ok({ client, jobs, libraries: libraries.value });
  }

  /** Pushes the files, once for all gates of the run. */
  async #push(): Promise<Result<Pushed>> {
    const { snapshot, workers, root } = this.#run;
    const [tree, repository] = await Promise.all([treeIdOf(snapshot), Repository.around(new Git(root))]);
    const { directory } = snapshot;
    if (tree === undefined || directory === undefined || repository === undefined) return NO_TREE;
    if (readIndexMarks(join(directory, "index")).mayHoldSubmodule) return SUBMODULE;
    const onPushing = (): void => void (this.#connected ??= this.#connect()); // loading the library takes as long as a push
    const push = { directory, tree, to: workers.tree, signal: timeLimit(PUSH_MS), onPushing };
    const [pushed, origin] = await Promise.all([
      pushTree(repository, push),
      repository.top.ask(["config", "--get", "remote.origin.url"]),
    ]);
    if (!pushed.ok) return pushed;
    const url = origin.ok ? origin.value.stdout.toString().trim() : "";
    const name = sha256(url || `${hostname()} ${repository.places.commonDir}`);
    return ok({ tree, repository: name, project: repository.places.prefix });
  }

  async #follow(
    planned: PlannedCheck,
    { libraries, client, jobs, pushed, onOutput }: Connected & Around & { readonly pushed: Pushed },
  ): Promise<FollowedJob> {
    const { baseBranch, onEvent } = this.#run;
    const { gate, id, workingDirectory } = planned;
    const files = takesFiles(gate) ? planned.files.map(({ path }) => path) : [];
    const asked = { ...pushed, id, gate, workingDirectory, files, baseBranch };
    return jobs.follow({
      queue: this.#queue(libraries, platformOf(gate), client),
      jobId: sha256(JSON.stringify(asked)),
      data: { ...asked, stream: uniqueName() },
      onOutput,
      onStarted: (worker, times) => {
        const text = times === 1 ? `runs on ${worker}` : `its worker was lost; started again on ${worker}`;
        onEvent({ kind: "gate-progressed", planned, text });
      },
    });
  }

  #queue({ bullmq }: Libraries, platform: string, connection: Redis): Queue<GateJob> {
    const known = this.#queues.get(platform);
    if (known !== undefined) return known;
    const queue = new bullmq.Queue<GateJob>(platform, {
      prefix: PREFIX,
      connection,
      defaultJobOptions: { attempts: 3, backoff: 100, removeOnComplete: true, removeOnFail: true },
    });
    queue.on("error", () => {}); // it connects again by itself, and whoever waits has a time limit
    this.#queues.set(platform, queue);
    return queue;
  }

  /** Waits for its worker, then for its end. */
  async #await(job: FollowedJob, signal: AbortSignal): Promise<JobEnd | string> {
    const { pickupMs } = this.#run.workers;
    const first = await within(timeLimit(pickupMs, signal), job.ended);
    if (first !== "late") return first;
    if (!signal.aborted && !job.hasStarted() && (await job.takeBack()))
      return `no worker took it within ${pickupMs / 1000} s`;
    const end = signal.aborted ? "late" : await within(signal, job.ended);
    if (end !== "late") return end;
    await within(timeLimit(CLOSE_MS), job.leave());
    return { kind: "ended", end: { kind: "cancelled" } };
  }
}

const CANCELLED: EndedElsewhere = { end: { kind: "cancelled" } };
const PUSH_MS = 30_000;
/** For Redis; a worker may take longer. */
const ANSWER_MS = 5_000;
/** A host that wants us gone does not wait longer. */
const CLOSE_MS = 500;
const NO_TREE = fail({ kind: "not-sent", detail: "these files are not a git tree" });
const SUBMODULE = fail({ kind: "not-sent", detail: "there are submodules, which are not sent to workers" });

interface Connected {
  readonly client: Redis;
  readonly jobs: FollowedJobs;
  readonly libraries: Libraries;
}

interface Pushed {
  readonly tree: string;
  readonly repository: string;
  readonly project: string;
}

/** What comes of it, unless the signal comes first. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T | "late"> {
  if (signal.aborted) return "late";
  let forget: (() => void) | undefined;
  const late = new Promise<"late">((resolve) => (forget = onAbort(signal, () => resolve("late"))));
  return Promise.race([work, late]).finally(() => forget?.());
}
