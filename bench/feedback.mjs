// npm run bench:feedback [DIRECTORY] [--held | --known] [--show NAME] [--no-time]: how many true failures the digest names, within
// 9,000 characters, against the excerpts of the same log that a shell gives; what it invents; and how long a full log takes.
// Held-out logs are not looked at while parsers are written. Exits 1 when an excerpt names more than the digest in any log.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "tsdown";

const BUDGET = 9000;
const ALL = "all recordings";
const COLUMNS = ["digest", "tailLines", "headChars", "tailChars"];
const TITLES = ["digest", "tail -n 50", "head -c 9000", "tail -c 9000"];

const args = process.argv.slice(2);
const shown = args.includes("--show") ? args[args.indexOf("--show") + 1] : undefined;
const corpus = args.find((arg) => !arg.startsWith("--") && arg !== shown) ?? "test/fixtures/tools";

const { measure, readCorpus, digestOf, maskedDigestOf } = await bundled("test/feedback/corpus/measure.ts");
const known = args.includes("--held") ? [] : readCorpus(corpus);
const heldDirectory = join(corpus, "held");
const held = args.includes("--known") || !existsSync(heldDirectory) ? [] : readCorpus(heldDirectory);
if (shown === undefined) {
  const isTimed = !args.includes("--no-time");
  const first = isTimed ? timeAll([...known, ...held]) : undefined; // before anything has warmed up
  const sums = [report("known", known.map(measure)), report("held", held.map(measure))].filter(Boolean);
  for (const sum of sums) console.log(sum.text);
  if (isTimed) time([...known, ...held], first);
  if (sums.some(({ isBeaten }) => isBeaten)) process.exitCode = 1;
} else {
  for (const recording of [...known].filter(({ name }) => name.includes(shown))) {
    const { missed, invented } = measure(recording);
    console.log(
      "%s",
      `\n=== ${recording.name}\n${digestOf(recording)}\n--- missed: ${JSON.stringify(missed)}\n--- invented: ${JSON.stringify(invented)}`,
    );
  }
}

/** The sources are TypeScript, which the oldest supported Node does not run. */
async function bundled(entry) {
  const outDir = await mkdtemp(join(tmpdir(), "bench-feedback-"));
  const options = {
    entry: { measure: entry },
    outDir,
    format: "esm",
    platform: "node",
    dts: false,
    config: false,
  };
  await build({ ...options, logLevel: "silent", fixedExtension: true });
  const module = await import(pathToFileURL(join(outDir, "measure.mjs")).href);
  await rm(outDir, { recursive: true });
  return module;
}

/** One row for each log, and what they come to. */
function report(title, measures) {
  if (measures.length === 0) return undefined;
  const failing = measures.filter(({ failures }) => failures > 0);
  const long = failing.filter(({ logChars }) => logChars > BUDGET);
  const short = failing.filter(({ logChars }) => logChars <= BUDGET);
  const allRead = failing.filter(({ isAllRead }) => isAllRead);
  const beaten = failing.filter((one) => one.digest < best(one));
  console.log(`\n${title}`);
  console.log(row("recording", ["log", "digest"], [...TITLES, "messages", "useful"]));
  for (const one of failing) {
    const shares = COLUMNS.map((column) => percent(one[column], one.of));
    shares.push(percent(one.messages, one.messagesOf || 1), percent(one.useful, 1));
    const mark = `${one.digest < one.of ? "  <" : ""}${one.digest < best(one) ? " BEATEN" : ""}${one.invented.length > 0 ? `  invented ${one.invented.length}` : ""}`;
    console.log(row(one.name, [one.logChars, one.digestChars], shares) + mark);
  }
  const claims = sum(measures, "claims");
  const invented = measures.reduce((total, one) => total + one.invented.length, 0);
  const lines = [
    `\n${title}: ${measures.length} logs of ${new Set(measures.map(({ name }) => name.split("/")[0])).size} tools, ${sum(failing, "of")} failures looked for`,
    row("", ["", ""], TITLES),
    row(
      "named",
      ["", ""],
      COLUMNS.map((column) => percent(sum(failing, column), sum(failing, "of"))),
    ),
    row(
      "named, logs over the budget",
      ["", long.length],
      COLUMNS.map((column) => percent(sum(long, column), sum(long, "of"))),
    ),
    row(
      "mean of the logs",
      ["", ""],
      COLUMNS.map((column) => percent(mean(failing.map((one) => one[column] / one.of)), 1)),
    ),
    `named with place and test on one line: ${percent(sum(failing, "onOneLine"), sum(failing, "of"))}`,
    `message beside the name, where the log fits: ${percent(sum(short, "messages"), sum(short, "messagesOf"))}, longer logs: ${percent(sum(long, "messages"), sum(long, "messagesOf"))} (of ${sum(failing, "messagesOf")} labelled)`,
    `useful share, median: ${percent(median(failing.map(({ useful }) => useful)), 1)}`,
    `median digest where all was read: ${median(allRead.map(({ digestChars }) => digestChars))} characters (${allRead.length} logs)`,
    `invented: ${invented} of ${claims} claims (${percent(invented, claims)}); clean runs with claims: ${
      measures
        .filter(({ failures, claims: all }) => failures === 0 && all > 0)
        .map(({ name }) => name)
        .join(", ") || "none"
    }`,
    `median digest where the log is longer than the budget: ${median(long.map(({ digestChars }) => digestChars))} characters`,
    `logs on which an excerpt names more: ${beaten.map(({ name }) => name).join(", ") || "none"}`,
  ];
  return { text: lines.join("\n"), isBeaten: beaten.length > 0 };
}

function mean(numbers) {
  return numbers.reduce((total, one) => total + one, 0) / numbers.length;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function best({ tailLines, headChars, tailChars }) {
  return Math.max(tailLines, headChars, tailChars);
}

function sum(measures, key) {
  return measures.reduce((total, one) => total + one[key], 0);
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function row(name, sizes, shares) {
  return [
    name.padEnd(30),
    ...sizes.map((size) => String(size).padStart(8)),
    ...shares.map((share) => share.padStart(13)),
  ].join(" ");
}

/** Every long recording, repeated to the size at which a gate's log is capped: secrets hidden, read and digested. */
function time(recordings, first) {
  const { bun } = process.versions;
  const runtime =
    bun === undefined ? `Node ${process.versions.node}` : `Bun ${bun}, as in the native program`;
  console.log(
    `\n10 MB logs, made of a recording repeated, or all of them, masked and digested by ${runtime}:`,
  );
  const long = recordings.filter(({ text }) => text.length > BUDGET);
  const rows = [
    bestOfThree(ALL, () => timeAll(recordings)),
    ...long.map((recording) => bestOfThree(recording.name, () => timeOne(recording))),
  ];
  console.log(
    `${"".padEnd(30)} ${"elapsed".padStart(10)} ${"processor".padStart(10)}   (best of three, the slowest ones)`,
  );
  for (const row of rows.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, 12))
    console.log(timeRow(row));
  console.log(`\n${timeRow({ name: `${ALL}, the first run`, ...first })}`);
}

function timeRow({ name, ms, cpuMs }) {
  return `${name.padEnd(30)} ${`${ms.toFixed(0)} ms`.padStart(10)} ${`${cpuMs.toFixed(0)} ms`.padStart(10)}`;
}

function bestOfThree(name, run) {
  const rounds = [run(), run(), run()];
  return {
    name,
    ms: Math.min(...rounds.map(({ ms }) => ms)),
    cpuMs: Math.min(...rounds.map(({ cpuMs }) => cpuMs)),
  };
}

function timeAll(recordings) {
  return timeOne({ name: ALL, text: recordings.map(({ text }) => text).join("\n"), failures: [], files: [] });
}

function timeOne(recording) {
  const size = 10 * 1024 * 1024;
  const text = recording.text.repeat(Math.ceil(size / recording.text.length)).slice(0, size);
  return timed(() => maskedDigestOf({ ...recording, text }));
}

function timed(work) {
  const start = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}
