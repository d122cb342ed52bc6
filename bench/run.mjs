// npm run bench: what docs/PERFORMANCE.md shows, or with --compare what a change costs (see USAGE).
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { interleave, median, newFileUs, watchMemory } from "./measure.mjs";
import { compare } from "./compare.mjs";
import { findPeers, noPeers } from "./peers.mjs";
import { hasNative, rowGroups } from "./rows.mjs";
import { asMarkdown } from "./table.mjs";

const USAGE = `npm run bench -- [--quick] [--json] [--only TEXT] [--no-peers]
  every row of docs/PERFORMANCE.md, measured in turns with its floor; --only TEXT: the tables with this text in their title

npm run bench -- --compare BASE [--rounds N] [--rows A,B] [--only native|node] [--large] [--fail]
  builds the commit BASE and the work tree as it is, runs both in turns, and prints their ratio for every row
  --rounds N   samples of each (40; at most 10 of the slowest rows); fewer than 10 tell little
  --rows A,B   only rows with one of these texts in their name
  --large      100,000 files, too
  --fail       exit code 1 if a row is marked as worse: by more than 5 % (native) or 8 % (Node), in time or processor time
`;

const args = process.argv.slice(2);
const quick = args.includes("--quick");
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : "";
const work = mkdtempSync(join(tmpdir(), "gauntlet-bench-"));
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    rmSync(work, { recursive: true, force: true });
    process.kill(process.pid, signal);
  });

try {
  if (args.includes("--help")) console.log(USAGE);
  else if (args.includes("--compare")) process.exitCode = await compare(args, work);
  else if (only === "fleet") await measureOnlyFleet();
  else await measureTables();
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Needs a redis-server, so it is measured only when it is asked for. */
async function measureOnlyFleet() {
  const { measureFleet } = await import("./fleet.mjs");
  process.exitCode = (await measureFleet(work, { quick })) ? 0 : 1;
}

async function measureTables() {
  const peers = args.includes("--no-peers") ? noPeers() : findPeers({ install: !quick });
  if (!hasNative)
    peers.skipped.push({ name: "the native program", reason: "not built: npm run build:native" });
  const all = rowGroups(work, { peers, quick });
  const groups = all.filter(({ title }) => title.includes(only));
  if (groups.length === 0) {
    console.error(
      [`No table has "${only}" in its title. There are:`, ...all.map(({ title }) => title)].join("\n  "),
    );
    process.exitCode = 2;
  } else {
    await measureAndTell(groups, peers);
  }
}

async function measureAndTell(groups, peers) {
  await setTimeout(2_500); // files that were written a moment ago are not cached yet, and real stops are further apart
  const measured = [];
  for (const group of groups) measured.push(await measureGroup(group, peers));
  const report = { ...circumstances(peers), skippedPeers: peers.skipped, groups: measured };
  console.log(args.includes("--json") ? JSON.stringify(report, null, 2) : asMarkdown(report));
  process.exitCode = measured.some(({ rows }) => rows.some(({ passes }) => passes === false)) ? 1 : 0;
}

async function measureGroup(group, peers) {
  const rounds = quick ? Math.min(group.rounds, 5) : group.rounds;
  const contenders = quick ? group.contenders.filter((one) => !one.isPeer) : group.contenders;
  const timed = group.floor.argv === undefined ? contenders : [group.floor, ...contenders];
  const loadBefore = loadavg()[0];
  const samples = interleave(timed, rounds, (round) =>
    progress(`${group.title}: round ${round} of ${rounds}`),
  );
  const floor =
    group.floor.argv === undefined ? constant(group.floor.constantMs) : summary(samples.get(group.floor));
  const rows = [];
  for (const contender of contenders.filter((one) => samples.has(one))) {
    const peakMb = group.memory ? (await watchMemory(contender)).peakMb : undefined;
    rows.push(row(contender, { own: summary(samples.get(contender)), floor, peakMb }));
  }
  for (const { name, problem } of contenders.filter((one) => one.problem !== undefined))
    peers.skipped.push({ name: `${name} (${group.title})`, reason: problem });
  progress("");
  return {
    title: group.title,
    rounds,
    load: [loadBefore, loadavg()[0]],
    floor: { name: group.floor.name, ...floor },
    rows,
  };
}

function row({ name, target, targetMb, isPeer = false }, { own, floor, peakMb }) {
  const ratio = own.ms / floor.ms;
  const passes =
    target === undefined ? undefined : ratio <= target && (targetMb === undefined || peakMb <= targetMb);
  return {
    name,
    isPeer,
    ...own,
    ratio,
    minRatio: own.minMs / floor.minMs,
    cpuRatio: own.cpuMs / floor.cpuMs,
    target,
    peakMb,
    targetMb,
    passes,
  };
}

/** The median is what people feel; the minimum and the processor time tell how much of it was other people's work. */
function summary(samples) {
  const times = samples.map(({ ms }) => ms);
  const cpuMs = samples.reduce((sum, one) => sum + one.cpuMs, 0) / samples.length;
  return { ms: median(times), minMs: Math.min(...times), cpuMs, rounds: times.length };
}

function constant(ms) {
  return { ms, minMs: ms, cpuMs: NaN, rounds: 0 };
}

function circumstances(peers) {
  return {
    date: new Date().toISOString(),
    node: process.version,
    git: execFileSync("git", ["--version"], { encoding: "utf8" }).trim().replace("git version ", ""),
    system: `${process.platform} ${release()}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    newFileUs: newFileUs(join(work, "new-files")),
    peers: peers.versions,
  };
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}
