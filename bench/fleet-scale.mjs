import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { median } from "./measure.mjs";

const GATES = 20;
const WORKERS = 8;
const CONCURRENCY = 16;

/**
 * So many runs queue 20 gates each, and workers that do nothing but what the queue costs take them: what Redis and the queue can do,
 * without git and without the gates themselves. Returns lines for people.
 */
export async function simulate(port, runs) {
  const connect = () => new Redis({ port, host: "127.0.0.1", maxRetriesPerRequest: null });
  const control = connect();
  await control.flushall();
  const before = await memoryOf(control);
  const queue = new Queue("simulated-x64", { prefix: "gauntlet", connection: control });
  const data = {
    tree: "0".repeat(40),
    project: "",
    gate: { command: "true", env: {} },
    padding: "x".repeat(1000),
  };
  const adds = [];
  const began = performance.now();
  await Promise.all(Array.from({ length: runs }, (_, run) => queueRun(queue, { run, data, adds })));
  const queuedMs = performance.now() - began;
  const perGate = (await memoryOf(control)) - before;
  const waits = [];
  const drained = await drain(connect, { control, count: runs * GATES, waits });
  await queue.close();
  control.disconnect();
  const rate = Math.round((runs * GATES) / (drained.ms / 1000));
  const count = (runs * GATES).toLocaleString("en");
  return [
    "",
    `${count} gates from ${runs} runs: queued in ${(queuedMs / 1000).toFixed(1)} s (one: median ${median(adds).toFixed(1)} ms of a burst of all), ${(perGate / runs / GATES / 1024).toFixed(1)} kB of Redis each, ${Math.round(perGate / 1024 / 1024)} MB in all;`,
    `taken by ${WORKERS * CONCURRENCY} hands at ${rate} a second, ${drained.roundTripMs.toFixed(1)} ms from queue to hand when idle; peak of this process ${drained.peakMb} MB.`,
  ];
}

async function queueRun(queue, { run, data, adds }) {
  for (let gate = 0; gate < GATES; gate++) {
    const started = performance.now();
    const options = { jobId: `${run}-${gate}`.padStart(64, "0"), removeOnComplete: true };
    await queue.add(`check:.:${gate}`, { ...data, stream: `${run}-${gate}` }, options);
    adds.push(performance.now() - started);
  }
}

/** Each job costs what a real one does: who waits for it, its start, some output, its end. */
async function drain(connect, { control, count, waits }) {
  const connections = [];
  let left = count;
  let finish;
  const done = new Promise((resolve) => (finish = resolve));
  const took = async (job) => {
    const key = `gauntlet:out:${job.data.stream}`;
    if (job.data.sentAt !== undefined) waits.push(performance.now() - job.data.sentAt);
    for (const kind of ["start", "out", "end"])
      await control.xadd(key, "MAXLEN", "~", 512, "*", "a", "1", "n", "1", "k", kind, "d", "x".repeat(200));
    await control.expire(key, 600);
    left -= 1;
    if (left === 0) finish();
  };
  const began = performance.now();
  const workers = Array.from({ length: WORKERS }, () => {
    const connection = connect();
    connections.push(connection);
    return new Worker("simulated-x64", took, { prefix: "gauntlet", connection, concurrency: CONCURRENCY });
  });
  await done;
  const ms = performance.now() - began;
  const roundTripMs = await idleRoundTrip({ control, waits });
  await Promise.all(workers.map((worker) => worker.close()));
  for (const connection of connections) connection.disconnect();
  return { ms, roundTripMs, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) };
}

async function idleRoundTrip({ control, waits }) {
  const queue = new Queue("simulated-x64", { prefix: "gauntlet", connection: control });
  waits.length = 0;
  for (let one = 1; one <= 20; one++) {
    await queue.add("idle", { stream: `idle-${one}`, sentAt: performance.now() }, { removeOnComplete: true });
    while (waits.length < one) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return median(waits);
}

async function memoryOf(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))[1]);
}
