import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LINES = 100_000;

/** Loaded before the program, it tells how long the ledger's lock was held: renamed when taken, renamed back when given back. */
const PROBE = `
const fs = require("node:fs");
const { renameSync } = fs;
let since = 0;
fs.renameSync = (from, to) => {
  if (from.endsWith(".ledger.lock")) since = performance.now();
  renameSync(from, to);
  if (to.endsWith(".ledger.lock")) fs.writeSync(2, "appended in " + (performance.now() - since) + "\\n");
};
`;

/** Appending, as a part of a stop: on its own, all its code would run for the first time. */
export function appendGroup(stop, { work }) {
  const probe = join(work, "probe.cjs");
  writeFileSync(probe, PROBE);
  const [node, ...args] = stop.argv;
  return {
    title: "Writing a verdict down",
    rounds: 30,
    floor: { name: "0.5 ms", constantMs: 0.5 },
    contenders: [
      {
        ...stop,
        name: "append to the ledger, Node",
        argv: [node, "--require", probe, ...args],
        readSample: ({ stderr }) => ({ ms: Number(/appended in (\S+)/.exec(stderr)?.[1]), cpuMs: NaN }),
        target: 1,
      },
    ],
  };
}

/** Puts a whole chain of lines in the place of the ledger that a first stop left. */
export function fillLedger(stop, home) {
  const done = spawnSync(stop.argv[0], stop.argv.slice(1), { ...stop, encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  const state = join(home, ".local/state/agent-gauntlet");
  const [key] = readdirSync(join(state, "projects"));
  const file = join(state, "projects", key, "ledger.jsonl");
  const lines = [];
  for (let n = 0; n < LINES; n++) {
    const prev = n === 0 ? "" : hashOf(lines[n - 1]);
    lines.push(JSON.stringify({ ...verdict(n), prev }));
  }
  const half = lines.length / 2;
  writeFileSync(join(state, "projects", key, "ledger.old.jsonl"), `${lines.slice(0, half).join("\n")}\n`);
  writeFileSync(file, `${lines.slice(half).join("\n")}\n`);
  const line = lines.at(-1);
  const size = readFileSync(file).length;
  const head = { count: LINES, hash: hashOf(line), line, size, since: verdict(half).at };
  for (const turn of [0, 1])
    writeFileSync(join(state, "heads", `${key}.${turn}.json`), `${JSON.stringify(head)}\n`);
}

function verdict(n) {
  const isRed = n % 9 === 0;
  return {
    at: 1_763_251_200_000 + n * 60_000,
    ms: 812,
    door: "stop-hook",
    host: "claude-code",
    session: "0b1c2d3e-4f50-4a61-9b72-8c9d0e1f2a3b",
    status: isRed ? "failed" : "passed",
    decision: isRed ? "block" : "allow",
    run: n,
    branch: "main",
    commit: "4fd8abd0".repeat(5),
    tree: createHash("sha1").update(String(n)).digest("hex"),
    base: "89b30031".repeat(5),
    gates: "0123456789abcdef0123456789abcdef",
    outcomes: [
      { id: "check:.:lint", kind: "passed", ms: 402 },
      { id: "check:.:test", kind: isRed ? "failed" : "passed", ms: 1812, ...(isRed ? { blocks: true } : {}) },
    ],
    version: "0.1.0",
  };
}

function hashOf(line) {
  return createHash("sha256").update(line).digest("base64url");
}
