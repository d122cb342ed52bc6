import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";

const LINES = 100_000;

/** What a stop has done before it writes its verdict down, then the time that takes: code that runs for the first time is slow. */
const APPEND = `
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { appendVerdict, ledgerOf } from "./ledger.mjs";
const [root, HOME] = process.argv.slice(2);
for (let times = 0; times < 3; times++) {
  writeFileSync(HOME + "/session.tmp", JSON.stringify({ times }), { mode: 0o600 });
  renameSync(HOME + "/session.tmp", HOME + "/session.json");
  const fd = openSync(HOME + "/session.json", "r");
  createHash("sha256").update(readFileSync(fd, "utf8") + fstatSync(fd).size).digest("hex");
  closeSync(fd);
  statSync(HOME, { throwIfNoEntry: false });
}
const ledger = ledgerOf(root, { HOME });
const record = JSON.parse(readFileSync(HOME + "/verdict.json", "utf8"));
const since = performance.now();
const appended = appendVerdict(ledger, record);
const ms = performance.now() - since;
if (!appended.ok) throw new Error(JSON.stringify(appended));
console.log(ms);
`;

/** Appending, in a process of its own as at every stop. The sources are TypeScript, which the oldest supported Node does not run. */
export async function appendGroup({ work, env }) {
  const code = join(work, "append");
  const root = join(code, "project");
  mkdirSync(root, { recursive: true });
  await build({
    entry: { ledger: "src/machine/state/ledger.ts" },
    outDir: code,
    clean: false,
    format: "esm",
    platform: "node",
    dts: false,
    config: false,
    logLevel: "silent",
    fixedExtension: true,
  });
  writeFileSync(join(code, "append.mjs"), APPEND);
  writeFileSync(join(code, "verdict.json"), JSON.stringify(verdict(1)));
  return {
    title: "Writing a verdict down",
    rounds: 30,
    floor: { name: "0.5 ms", constantMs: 0.5 },
    contenders: [
      {
        name: "append to the ledger, Node",
        argv: [process.execPath, join(code, "append.mjs"), root, code],
        cwd: root,
        env,
        readMs: Number,
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
