import { parseJson } from "../../../json.ts";
import { isNumber, isText, isTime, objectOf, type ShapeOf } from "../../../shape.ts";
import type { FleetState } from "../json.ts";
import type { Environment } from "../../../system/process/environment.ts";
import { timeLimit } from "../../../system/process/time-limit.ts";
import { credentials, detailOf } from "../pass-store.ts";
import { PREFIX, workerKey, WORKERS } from "./queue.ts";
import { askRedis, opening, problemIn } from "../redis-store.ts";
import { listOf, type RespValue } from "../resp.ts";

const ANSWER_MS = 3000;

const isWorker = objectOf({
  since: isTime,
  host: isText,
  pid: isNumber,
  platform: isText,
  concurrency: isNumber,
  running: isNumber,
  done: isNumber,
  version: isText,
});

export type ShownWorker = ShapeOf<typeof isWorker> & { readonly id: string };

export async function listWorkers(url: string, env: Environment): Promise<FleetState | string> {
  const start = opening(url, credentials(env, "GAUNTLET_WORKERS_AUTH"));
  const ask = async (...commands: readonly (readonly string[])[]): Promise<readonly RespValue[]> => {
    const replies = await askRedis(url, [...start, ...commands], timeLimit(ANSWER_MS));
    const problem = problemIn(replies);
    if (problem !== undefined) throw new Error(problem);
    return replies.slice(start.length);
  };
  try {
    const ids = listOf((await ask(["SMEMBERS", WORKERS]))[0]).map(String);
    const facts = ids.length === 0 ? [] : listOf((await ask(["MGET", ...ids.map(workerKey)]))[0]);
    const workers = ids.flatMap((id, at) => readWorker(id, facts[at]));
    const gone = ids.filter((_id, at) => facts[at] === null);
    if (gone.length > 0) await ask(["SREM", WORKERS, ...gone]);
    const platforms = [...new Set(workers.map(({ platform }) => platform))];
    const lengths =
      platforms.length === 0 ? [] : await ask(...platforms.map((one) => ["LLEN", `${PREFIX}:${one}:wait`]));
    const queues = platforms.map((platform, at) => ({ platform, waiting: Number(lengths[at] ?? 0) }));
    return { workers: workers.toSorted((one, other) => one.since - other.since), queues };
  } catch (error) {
    return `${new URL(url).host} cannot be reached: ${detailOf(error)}`;
  }
}

/** Copies known fields only: anyone who reaches the queue can write more. */
function readWorker(id: string, text: RespValue | undefined): readonly ShownWorker[] {
  const facts = typeof text === "string" ? parseJson(text) : undefined;
  if (!isWorker(facts)) return [];
  const { since, host, pid, platform, concurrency, running, done, version } = facts;
  return [{ id, since, host, pid, platform, concurrency, running, done, version }];
}
