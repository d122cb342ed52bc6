import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { bunFile } from "../scripts/bun-file.mjs";
import { buildCommit, buildWorkTree } from "./builds.mjs";
import { interleave, median } from "./measure.mjs";
import { comparedGroups, programsIn } from "./rows.mjs";

/** By how much a row may get slower. */
const LIMITS = { native: 1.05, Node: 1.08 };

const HEAD = `Milliseconds are medians. Processor time is the sum over all processes, and hardly depends on other work here.

| row | base ms | now ms | now / base | 95 % | processor now / base | 95 % | rounds | load | |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---|`;

const OPTIONS = {
  compare: { type: "string" },
  rounds: { type: "string", default: "40" },
  rows: { type: "string", default: "" },
  only: { type: "string" },
  large: { type: "boolean", default: false },
  fail: { type: "boolean", default: false },
};

/** Prints, for every row, what the program of the work tree takes, divided by what that of the commit takes. Returns the exit code. */
export async function compare(args, work) {
  const { values: options } = parseArgs({ args, options: OPTIONS });
  const whyNotNative = options.only === "node" ? "not asked for" : whyNoBun();
  const native = whyNotNative === undefined;
  const builds = {
    base: buildCommit(options.compare, join(work, "base"), { native }),
    now: buildWorkTree(join(work, "work"), { native }), // a path as long as the other
  };
  const rows = pairRows(builds, work, options);

  console.log(
    `Base ${builds.base.name}, now ${builds.now.name} · Node ${process.version} · ${cpus().length} cores`,
  );
  if (!native) console.log(`Left out: the native program: ${whyNotNative}`);
  if (rows.length === 0) throw new Error("There is no such row.");
  console.log(HEAD);
  await setTimeout(2_500); // files that were written a moment ago are not cached yet, and real stops are further apart
  const judgements = [];
  for (const row of rows) {
    const result = measure(row, Number(options.rounds));
    const judgement = judge(result, LIMITS[row.now.program]);
    console.log(tableLine(row.now.name, result, judgement));
    judgements.push(judgement);
    await setTimeout(0); // lets a signal end this
  }
  const isWorse = judgements.some((one) => one === "worse" || one === "maybe worse");
  return options.fail && isWorse ? 1 : 0;
}

/** Each build has repositories and homes of its own, so that neither finds state that the other wrote. */
function pairRows({ base, now }, work, { rows, only, large }) {
  const contendersOf = (build, name) =>
    comparedGroups(join(work, `${name}-rows`), {
      programs: programsIn(build.dist).filter((one) => only === undefined || one.name.toLowerCase() === only),
      largeName: `unchanged-${name}`,
      large,
    }).flatMap((group) => group.contenders.map((one) => ({ ...one, compareRounds: group.compareRounds })));
  const wanted = rows.split(",");
  const others = contendersOf(base, "base");
  return contendersOf(now, "work")
    .filter((one) => one.program !== undefined && wanted.some((text) => one.name.includes(text)))
    .map((one) => ({ base: timed(others.find(({ name }) => name === one.name)), now: timed(one) }));
}

/** Bash (5 or later) tells the time of its child and of all that the child waited for; Node does not. */
function timed(contender) {
  const script =
    'TIMEFORMAT="%U %S"; from=$EPOCHREALTIME; time "$@"; code=$?; echo "$from $EPOCHREALTIME" >&2; exit $code';
  return { ...contender, argv: ["bash", "-c", script, "bash", ...contender.argv], readSample };
}

function readSample({ stderr }) {
  const [user, system, from, to] = stderr.trim().split(/\s+/).slice(-4).map(Number);
  return { ms: (to - from) * 1000, cpuMs: (user + system) * 1000 };
}

function measure({ base, now }, rounds) {
  const samples = interleave([base, now], Math.min(rounds, now.compareRounds ?? rounds));
  const pairs = samples.get(base).map((sample, round) => ({ base: sample, now: samples.get(now)[round] }));
  return {
    baseMs: medianMs(pairs, "base"),
    nowMs: medianMs(pairs, "now"),
    time: ratioWithInterval(pairs, medianMs),
    processor: ratioWithInterval(pairs, sumOfCpuMs),
    rounds: pairs.length,
  };
}

function medianMs(pairs, side) {
  return median(pairs.map((pair) => pair[side].ms));
}

function sumOfCpuMs(pairs, side) {
  return pairs.reduce((sum, pair) => sum + pair[side].cpuMs, 0);
}

/** Bootstrap: the middle 95 % of the ratios that the same rounds, drawn with repetition, would have given. */
function ratioWithInterval(pairs, summarize) {
  const ratioOf = (some) => summarize(some, "now") / summarize(some, "base");
  const draw = () => pairs[Math.floor(Math.random() * pairs.length)];
  const ratios = Array.from({ length: 2_000 }, () => ratioOf(pairs.map(draw))).toSorted((a, b) => a - b);
  return { ratio: ratioOf(pairs), low: ratios[50], high: ratios[1_949] };
}

/** Other work on the machine moves the time by more than the limit, but hardly the processor time. */
function judge({ time, processor }, limit) {
  if (time.low > limit || processor.low > limit) return "worse";
  if (time.ratio <= limit) return "fine";
  return processor.high > limit ? "maybe worse" : "noise";
}

const MARKS = {
  fine: "",
  noise: "more time, but not more processor time",
  "maybe worse": "**worse?** More rounds would tell.",
  worse: "**worse**",
};

function tableLine(name, { baseMs, nowMs, time, processor, rounds }, judgement) {
  const cells = [name, baseMs.toFixed(1), nowMs.toFixed(1), ...ratioCells(time), ...ratioCells(processor)];
  return `| ${[...cells, rounds, loadavg()[0].toFixed(1), MARKS[judgement]].join(" | ")} |`;
}

function ratioCells({ ratio, low, high }) {
  return [ratio.toFixed(3), `${low.toFixed(2)} to ${high.toFixed(2)}`];
}

function whyNoBun() {
  try {
    execFileSync(bunFile(), ["--version"]);
    return undefined;
  } catch (error) {
    return `Bun does not start: ${error.message}`;
  }
}
