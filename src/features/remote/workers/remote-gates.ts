import { hostname } from "node:os";
import { join } from "node:path";
import { takesFiles } from "../../../gates/gate.ts";
import type { RunEvent } from "../../../run/request.ts";
import type { WorkersSettings } from "../../../config/settings.ts";
import { explain, fail, ok, type Result } from "../../../trouble.ts";
import type { EndedRemotely, GateContext, PlannedCheck } from "../../../gates/gate-context.ts";
import { uniqueName, writeFileAtomic, isFile } from "../../../system/files/files.ts";
import { Git } from "../../../system/git/git.ts";
import { readIndexMarks } from "../../../system/git/index-file.ts";
import { Repository } from "../../../system/git/repository.ts";
import type { Snapshot } from "../../../system/git/snapshot.ts";
import { treeIdOf } from "../../../system/git/tree-id.ts";
import type { Environment } from "../../../system/process/environment.ts";
import { inTime, timeLimit } from "../../../system/process/time-limit.ts";
import { sha1, sha256 } from "#runtime";
import { type FollowedJob, FollowedJobs } from "./followed-jobs.ts";
import { type JobEnd, platformOf } from "./queue.ts";
import { credentials, detailOf } from "../pass-store.ts";
import { RedisConnection } from "../redis-connection.ts";
import { deflateSync } from "node:zlib";

export interface RemoteRun {
  readonly workers: WorkersSettings;
  readonly root: string;
  readonly env: Environment;
  readonly snapshot: Snapshot;
  readonly baseBranch: string;
  readonly onEvent: (event: RunEvent) => void;
}

type Around = { readonly onOutput: (chunk: Buffer) => void; readonly signal: AbortSignal };

export class RemoteGates implements Disposable {
  readonly #run: RemoteRun;
  #tree: Promise<Result<Pushed>> | undefined;
  #connected: Promise<Result<FollowedJobs>> | undefined;
  #client: RedisConnection | undefined;
  #jobs: FollowedJobs | undefined;

  constructor(run: RemoteRun) {
    this.#run = run;
  }

  readonly runRemotely: NonNullable<GateContext["runRemotely"]> = async (planned, onOutput, signal) => {
    if (planned.gate.runOn !== "workers") return undefined;
    const end = signal.aborted ? CANCELLED : await this.#runThere(planned, { onOutput, signal });
    if (typeof end !== "string") return end;
    if (this.#run.workers.fallback === "error")
      return { end: { kind: "not-started", detail: `no worker ran it: ${end}` } };
    this.#run.onEvent({ kind: "warned", message: `${planned.id} runs here: ${end}` });
    return undefined;
  };

  [Symbol.dispose](): void {
    this.#jobs?.[Symbol.dispose]();
    this.#client?.[Symbol.dispose]();
  }

  async #runThere(planned: PlannedCheck, around: Around): Promise<EndedRemotely | string> {
    const { workers } = this.#run;
    const connecting = (this.#connected ??= this.#connect());
    const pushed = await (this.#tree ??= this.#push());
    if (!pushed.ok) return explain(pushed.trouble);
    const connected = await inTime(connecting, timeLimit(Math.max(workers.pickupMs, ANSWER_MS)));
    const queue = `the queue ${new URL(workers.url).host}`;
    if (connected === undefined)
      return [`${queue} cannot be reached`, this.#client?.problem].filter(Boolean).join(": ");
    if (!connected.ok) return explain(connected.trouble);
    const following = this.#follow(planned, { jobs: connected.value, pushed: pushed.value, ...around });
    const job = await inTime(following.catch(detailOf), timeLimit(ANSWER_MS));
    if (job === undefined) return `${queue} does not answer`;
    if (typeof job === "string") return `${queue} refuses it: ${job}`;
    const end = await this.#await(job, around.signal);
    if (typeof end === "string") return end;
    return this.#bringHome(planned, end);
  }

  #bringHome({ gate }: PlannedCheck, ended: JobEnd): EndedRemotely | string {
    if (ended.kind === "trouble") return ended.detail;
    const { end, missing, report, isFresh } = ended;
    if (report !== undefined && gate.report !== undefined)
      writeFileAtomic(join(this.#run.root, gate.report), report);
    return { end, missing, isFresh };
  }

  async #connect(): Promise<Result<FollowedJobs>> {
    const { workers, env } = this.#run;
    const to = { url: workers.url, login: credentials(env, "GAUNTLET_WORKERS_AUTH") };
    const client = (this.#client = new RedisConnection(to));
    try {
      await client.ask("PING");
    } catch (error) {
      const what = `the queue ${new URL(workers.url).host}`;
      return fail({ kind: "not-reached", what, detail: detailOf(error) });
    }
    const openReader = (onLost: () => void): RedisConnection =>
      new RedisConnection({ ...to, encoding: "latin1", onLost });
    return ok((this.#jobs = new FollowedJobs(client, openReader)));
  }

  async #push(): Promise<Result<Pushed>> {
    const { snapshot, workers, root } = this.#run;
    const writing = snapshot.writeTree().then(treeIdOf);
    const repository = await Repository.around(new Git(root));
    const { directory } = snapshot;
    if (directory === undefined || repository === undefined) return NO_TREE;
    const asking = repository.top.ask(["config", "--get", "remote.origin.url"]);
    const mayHoldSubmodule = readIndexMarks(join(directory, "index")).mayHoldSubmodule; // while git writes the tree
    const tree = await writing;
    if (tree === undefined) return NO_TREE;
    if (mayHoldSubmodule) return SUBMODULE;
    const push = { directory, tree, to: workers.tree, signal: timeLimit(PUSH_MS) };
    const [pushed, origin] = await Promise.all([pushTree(repository, push), asking]);
    if (!pushed.ok) return pushed;
    const url = origin.ok ? origin.value.stdout.toString().trim() : "";
    const name = sha256(url || `${hostname()} ${repository.places.commonDir}`);
    return ok({ tree, repository: name, project: repository.places.prefix });
  }

  async #follow(
    planned: PlannedCheck,
    { jobs, pushed, onOutput }: Around & { readonly jobs: FollowedJobs; readonly pushed: Pushed },
  ): Promise<FollowedJob> {
    const { baseBranch, onEvent } = this.#run;
    const { gate, id, workingDirectory } = planned;
    const files = takesFiles(gate) ? planned.files.map(({ path }) => path) : [];
    const asked = { ...pushed, id, gate, workingDirectory, files, baseBranch };
    const platform = platformOf(gate);
    const name = sha256(JSON.stringify([platform, asked]));
    return jobs.follow({
      platform,
      data: { ...asked, name, stream: uniqueName() },
      onOutput,
      onStarted: (worker, times) => {
        const text = times === 1 ? `runs on ${worker}` : `its worker was lost; started again on ${worker}`;
        onEvent({ kind: "gate-progressed", planned, text });
      },
    });
  }

  async #await(job: FollowedJob, signal: AbortSignal): Promise<JobEnd | string> {
    const { pickupMs } = this.#run.workers;
    const first = await inTime(job.ended, timeLimit(pickupMs, signal));
    if (first !== undefined) return first;
    const isLeft = !signal.aborted && !job.hasStarted() && inTime(job.takeBack(), timeLimit(CLOSE_MS));
    if (await isLeft) return `no worker took it within ${pickupMs / 1000} s`;
    const end = await inTime(job.ended, signal);
    if (end !== undefined) return end;
    await inTime(job.leave(), timeLimit(CLOSE_MS));
    return { kind: "ended", end: { kind: "cancelled" } };
  }
}

const CANCELLED: EndedRemotely = { end: { kind: "cancelled" } };
const PUSH_MS = 30_000;
/** For Redis, not for a worker. */
const ANSWER_MS = 5_000;
/** A host that kills us does not wait longer. */
const CLOSE_MS = 500;
const NO_TREE = fail({ kind: "not-sent", detail: "these files are not a git tree" });
const SUBMODULE = fail({ kind: "not-sent", detail: "there are submodules, which are not sent to workers" });

interface Pushed {
  readonly tree: string;
  readonly repository: string;
  readonly project: string;
}

interface Push {
  readonly directory: string;
  readonly tree: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

/**
 * Pushes a tree, as a commit on top of HEAD, to `refs/gauntlet/<tree>`. HEAD goes along under its own name, so that the next
 * push sends only what is new.
 */
async function pushTree(
  repository: Repository,
  { directory, tree, to, signal }: Push,
): Promise<Result<void>> {
  const { top } = repository;
  const env = repository.scratchEnv(directory);
  const base = await pushableHead(repository);
  const written = writeCommit(directory, { tree, parent: base });
  if (!written.ok) return written;
  const commit = written.value;
  const refs = [`${commit}:refs/gauntlet/${tree}`, ...(base ? [`${base}:refs/gauntlet/base-${base}`] : [])];
  const push = ["push", "--quiet", "--force", "--no-verify", "--no-signed", "--recurse-submodules=no"];
  const pushed = await top.output([...push, "--", to, ...refs], { env, signal });
  if (pushed.ok) return ok(undefined);
  const listed = await top.ask(["ls-remote", "--", to, `refs/gauntlet/${tree}`], { signal });
  const isThere = listed.ok && listed.value.stdout.toString().startsWith(commit);
  return isThere ? ok(undefined) : pushed; // of two that push the same at once, git refuses one
}

const IDENTITY = "agent-gauntlet <agent-gauntlet@localhost> 0 +0000";

/** Like `git commit-tree`, without a process. The same files on the same HEAD give the same commit on every machine. */
function writeCommit(
  directory: string,
  { tree, parent }: { readonly tree: string; readonly parent: string | undefined },
): Result<string> {
  const above = parent === undefined ? "" : `parent ${parent}\n`;
  const text = `tree ${tree}\n${above}author ${IDENTITY}\ncommitter ${IDENTITY}\n\ngauntlet\n`;
  const object = `commit ${text.length}\0${text}`;
  const hash = tree.length === SHA1_LENGTH ? sha1 : sha256;
  const id = hash(Buffer.from(object));
  const written = writeFileAtomic(join(directory, id.slice(0, 2), id.slice(2)), deflateSync(object));
  return written.ok ? ok(id) : written;
}

const SHA1_LENGTH = 40;

/** Undefined in a shallow clone: others could not fetch its history. */
async function pushableHead({ top, places, head }: Repository): Promise<string | undefined> {
  if (isFile(join(places.commonDir, "shallow"))) return undefined;
  const { commit: known } = head();
  if (known !== undefined) return known;
  const asked = await top.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const commit = asked.ok && asked.value.exitCode === 0 ? asked.value.stdout.toString().trim() : "";
  return commit === "" ? undefined : commit;
}
