// npm run bench:feedback [DIRECTORY] [--show NAME]: how many true failures the digest names, within 9,000 characters, against
// the excerpts of the same log that a shell gives; and how long a full log takes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "tsdown";

const args = process.argv.slice(2);
const shown = args.includes("--show") ? args[args.indexOf("--show") + 1] : undefined;
const corpus = args.find((arg) => !arg.startsWith("--") && arg !== shown) ?? "test/fixtures/tools";

const { measure, readCorpus, digestOf } = await bundled("test/feedback/corpus/measure.ts");
const recordings = readCorpus(corpus);
if (shown === undefined) {
  report(recordings.map(measure));
  time();
} else {
  for (const recording of recordings.filter(({ name }) => name.includes(shown))) {
    console.log(
      "%s",
      `\n=== ${recording.name}\n${digestOf(recording)}\n--- missed: ${JSON.stringify(measure(recording).missed)}`,
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

function report(measures) {
  const failing = measures.filter(({ failures }) => failures > 0);
  const columns = ["digest", "tailLines", "headChars", "tailChars"];
  console.log(row("recording", ["log", "digest"], ["digest", "tail -n 50", "head -c 9000", "tail -c 9000"]));
  for (const one of failing) {
    const shares = columns.map((column) => percent(one[column], one.of));
    console.log(
      row(one.name, [one.logChars, one.digestChars], shares) + (one.missed.length > 0 ? "  <" : ""),
    );
  }
  const of = sum(failing, "of");
  const totals = columns.map((column) => percent(sum(failing, column), of));
  console.log(row("total", [sum(failing, "logChars"), sum(failing, "digestChars")], totals));
  const clean = measures.filter(({ failures }) => failures === 0);
  const invented = clean
    .filter(({ reported }) => reported > 0)
    .map(({ name, reported }) => `${name} (${reported})`);
  const beaten = failing
    .filter((one) => one.logChars > 9000 && one.digest <= best(one) && one.digest < one.of)
    .map(({ name }) => name);
  console.log(
    `\n${failing.length} failing recordings, ${of} failures looked for: ${sum(failing, "digest")} named`,
  );
  console.log(`${clean.length} clean runs, with invented problems: ${invented.join(", ") || "none"}`);
  console.log(
    `logs over 9,000 characters where an excerpt does as well or better: ${beaten.join(", ") || "none"}`,
  );
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

/** Every failing recording, repeated to the size at which a gate's log is capped. */
function time() {
  const size = 10 * 1024 * 1024;
  console.log("\n10 MB logs, made of a recording repeated, or all of them:");
  const all = recordings.map(({ text }) => text).join("\n");
  const samples = [
    { name: "all recordings", text: all, failures: [] },
    ...recordings.filter(({ text }) => text.length > 9000),
  ];
  const times = samples.map((recording) => {
    const text = recording.text.repeat(Math.ceil(size / recording.text.length)).slice(0, size);
    const rounds = [1, 2, 3].map(() => timed(() => digestOf({ ...recording, text })));
    return {
      name: recording.name,
      ms: Math.min(...rounds.map(({ ms }) => ms)),
      cpuMs: Math.min(...rounds.map(({ cpuMs }) => cpuMs)),
    };
  });
  console.log(`${"".padEnd(30)} ${"elapsed".padStart(10)} ${"processor".padStart(10)}   (best of three)`);
  for (const { name, ms, cpuMs } of times.toSorted((one, other) => other.cpuMs - one.cpuMs))
    console.log(
      `${name.padEnd(30)} ${`${ms.toFixed(0)} ms`.padStart(10)} ${`${cpuMs.toFixed(0)} ms`.padStart(10)}`,
    );
}

function timed(work) {
  const start = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}
