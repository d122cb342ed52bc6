import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs every contender once per round, in an order that turns, so that a busy machine is equally unkind to all. */
export function interleave(all, rounds, onRound = () => {}) {
  const contenders = all.filter(warmUp);
  const samples = new Map(contenders.map((contender) => [contender, []]));
  for (let round = 1; round <= rounds; round++) {
    onRound(round);
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(turn + round) % contenders.length];
      if (round > (contender.maxRounds ?? rounds)) continue;
      samples.get(contender).push(runOnce(contender, round));
    }
  }
  return samples;
}

/** Warms the disk cache, the records and the code. A peer that does not do the task here is left out, with its reason. */
function warmUp(contender) {
  try {
    runOnce(contender, 0);
    return true;
  } catch (error) {
    if (!contender.isPeer) throw error;
    contender.problem = String(error.message).split("\n").slice(0, 4).join(" ");
    return false;
  }
}

/** The peak of one process's own memory (its children have their own), and how long it took. */
export async function watchMemory(contender) {
  contender.prepare?.(0);
  const started = performance.now();
  const child = spawn(contender.argv[0], contender.argv.slice(1), { ...options(contender), stdio: "pipe" });
  child.stdin.on("error", () => {}).end(contender.input ?? "");
  let stdout = "";
  child.stdout.on("data", (chunk) => (stdout = (stdout + chunk).slice(-100_000)));
  child.stderr.resume();
  let peakMb = 0;
  const look = setInterval(() => (peakMb = Math.max(peakMb, peakOf(child.pid))), 10);
  const status = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(look);
  verify(contender, { status, stdout, stderr: "" });
  return { peakMb, ms: performance.now() - started };
}

/**
 * What making an empty file takes here, in microseconds. Every check has a log, and a file system may need ten times as long as at
 * other times: ext4 without a journal, for one, steps over each file that was deleted in the last minutes.
 */
export function newFileUs(directory) {
  mkdirSync(directory);
  const started = performance.now();
  for (let count = 0; count < 200; count++) closeSync(openSync(join(directory, `${count}.log`), "wx"));
  return ((performance.now() - started) / 200) * 1000;
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function runOnce(contender, round) {
  contender.prepare?.(round);
  const cpuBefore = childCpuMs();
  const started = performance.now();
  const end = spawnSync(contender.argv[0], contender.argv.slice(1), options(contender));
  const ms = performance.now() - started;
  verify(contender, end);
  if (contender.readSample !== undefined) return contender.readSample(end); // it measures itself, or a part of itself
  return { ms, cpuMs: childCpuMs() - cpuBefore };
}

function options({ cwd, env, input, isLoud }) {
  const stdio = isLoud ? { stdio: ["pipe", "ignore", "ignore"] } : {};
  return { ...stdio, cwd, env, input: input ?? "", encoding: "utf8", maxBuffer: 16 * 1024 * 1024 };
}

/** A number for the wrong answer is worse than none. */
function verify({ name, expect, status: wanted = 0 }, { status, stdout, stderr, error }) {
  if (error) throw error;
  if (status === wanted && (expect === undefined || stdout.includes(expect))) return;
  throw new Error(`${name}: exit ${status}, expected ${wanted} and "${expect}"\n${stdout}\n${stderr}`);
}

/** User and system time of all children so far. In ticks of 10 ms, so only sums over many runs mean something. */
function childCpuMs() {
  if (process.platform !== "linux") return NaN;
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
