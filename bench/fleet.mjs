// npm run bench -- --only fleet: what is shared with other machines, against real servers on loopback.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { cleanEnv, commit, git, repository, writeFiles } from "./fixtures.mjs";
import { interleave, median } from "./measure.mjs";
import { PROGRAMS } from "./rows.mjs";
import { simulate } from "./fleet-scale.mjs";

/** Measures all rows, and prints them as docs/PERFORMANCE.md has them. */
export async function measureFleet(work, { quick }) {
  const rounds = quick ? 5 : 20;
  const redis = await startRedis(work);
  try {
    return await measureWith(redis, { work, rounds, quick });
  } finally {
    await redis.end();
  }
}

async function measureWith(redis, { work, rounds, quick }) {
  const at = { work, rounds, url: `redis://127.0.0.1:${redis.port}`, ...signer() };
  const rows = [...cacheRows(at, 1), ...cacheRows(at, 50), ...(await workerRows(at))];
  console.log(`### Fleet\n\nLoad ${loadavg()[0].toFixed(1)} on ${cpus().length} cores.\n`);
  console.log(`| | ms | of which processor | target | |\n|---|---:|---:|---:|---|`);
  for (const { name, ms, cpuMs, target } of rows)
    console.log(
      `| ${name} | ${ms.toFixed(1)} | ${cpuMs === undefined ? "" : cpuMs.toFixed(1)} | ${target === undefined ? "" : `≤ ${target}`} | ${target === undefined ? "" : ms <= target ? "pass" : "**miss**"} |`,
    );
  for (const line of await simulate(redis.port, quick ? 50 : 500)) console.log(line);
  return rows.every(({ ms, target }) => target === undefined || ms <= target);
}

/** What a hit in the shared cache adds to a run over one whose passes are all known on this machine. */
function cacheRows(at, count) {
  const targets = count === 1 ? { native: 10, Node: 25 } : { native: 15, Node: 35 };
  const checks = Array.from(
    { length: count },
    (_, n) => `  c${n}: { command: "true # ${n}", inputs: [src] }`,
  );
  const remote = `remote:\n  cache: { url: "${at.url}", trust: [.gauntlet/keys/b.pub], write: always, budget_ms: 5000 }\n`;
  return PROGRAMS.flatMap(({ name, start }) => {
    const project = (kind, more) => {
      const files = {
        ".gauntlet/config.yml": `checks:\n${checks.join("\n")}\n${more}`,
        ".gauntlet/keys/b.pub": at.pem,
      };
      const cwd = gated(join(at.work, `${kind}-${name}-${count}`), 30, files);
      const home = join(at.work, `home-${kind}-${name}-${count}`);
      mkdirSync(home, { recursive: true });
      return { name: kind, argv: [...start("agent-gauntlet"), "run"], cwd, env: cleanEnv(home) };
    };
    const [local, shared] = [project("local", ""), project("shared", remote)];
    runToEnd(local); // now its passes are known here
    const ci = { ...shared.env, HOME: `${shared.env.HOME}-ci`, GAUNTLET_SIGNING_KEY: at.key };
    mkdirSync(ci.HOME, { recursive: true });
    runToEnd({ ...shared, env: ci });
    const wanted = { local: "it passed with the same inputs", shared: "it passed elsewhere" };
    const samples = interleave(
      [local, shared].map((one) => ({ ...one, expect: wanted[one.name] })),
      at.rounds,
    );
    const [here, there] = [...samples.values()].map(summary);
    const keys = count === 1 ? "cache hit" : `${count} keys`;
    return [{ name: `${keys} added to a run, ${name}`, ...minus(there, here), target: targets[name] }];
  });
}

function many(count, command, more) {
  return Array.from({ length: count }, (_, n) => `  g${n}: { command: "${command} # ${n}"${more} }`);
}

async function workerRows(at) {
  const store = join(at.work, "store.git");
  execFileSync("git", ["init", "--quiet", "--bare", store]);
  const remote = `remote:\n  workers: { url: "${at.url}", tree: "${store}", pickup_seconds: 60, fallback: error }\n`;
  const where = ["worker", "--url", at.url, "--tree", store];
  const project = (name, lines, more = remote) => {
    const files = { ".gauntlet/config.yml": `max_parallel: 64\nchecks:\n${lines.join("\n")}\n${more}` };
    return gated(join(at.work, name), 2000, files);
  };
  const rows = [];
  await withWorkers(at, { where, count: 1 }, (pids) => {
    rows.push(overheadRow(at, { project, pids }));
    for (const program of PROGRAMS) {
      const dated = `  g: { command: date +%s%3N > ${at.work}/began, run_on: workers }`;
      rows.push(firstByteRow(at, project(`first-${program.name}`, [dated]), program));
    }
  });
  await withWorkers(at, { where, count: 4 }, (pids) => {
    for (const program of PROGRAMS) {
      const cwd = project(`sleeps-${program.name}`, many(40, "sleep 0.25", ", run_on: workers"));
      const sleeps = timeOf(at, cwd, { rounds: 5, pids, program });
      const name = `40 × \`sleep 0.25\` on 4 workers, ideal 2,500, ${program.name}`;
      rows.push({ name, ...sleeps, target: 2875 });
    }
  });
  return rows;
}

/**
 * What each further gate of a run costs more on a worker than here: 41 gates of `true` against one, there and here, one after the
 * other on both, on a tree that the worker has checked out. What a run costs once, such as its start and its push, is not in it.
 */
function overheadRow(at, { project, pids }) {
  const perGate = (cwd, fewer) => {
    const { ms, cpuMs } = minus(timeOf(at, cwd, { pids }), timeOf(at, fewer, { pids }));
    return { ms: ms / 40, cpuMs: cpuMs / 40 };
  };
  const [away, turn] = [", run_on: workers", ", parallel: false"];
  const there = perGate(project("r41", many(41, "true", away)), project("r1", many(1, "true", away)));
  const here = perGate(project("l41", many(41, "true", turn), ""), project("l1", many(1, "true", turn), ""));
  return { name: "remote overhead per gate, warm tree", ...minus(there, here), target: 10 };
}

/** From the start of the program after a change to the first thing its gate does, with 2,000 files. */
function firstByteRow(at, cwd, program) {
  const times = [];
  for (let round = 0; round <= at.rounds; round++) {
    change(cwd);
    const started = Date.now();
    runToEnd(contender(at, cwd, program));
    if (round > 0) times.push(Number(readFileSync(join(at.work, "began"), "utf8")) - started);
  }
  return { name: `change to first byte, 2,000 files, ${program.name}`, ms: median(times), target: 250 };
}

/** How long a run takes, and the processor time of it and of the workers. */
function timeOf(at, cwd, { rounds = at.rounds, pids, program }) {
  change(cwd);
  const before = cpuMsOf(pids);
  const samples = interleave([contender(at, cwd, program)], rounds);
  const { ms, cpuMs } = summary([...samples.values()][0]);
  return { ms, cpuMs: cpuMs + (cpuMsOf(pids) - before) / (rounds + 1) };
}

function summary(samples) {
  const cpuMs = samples.reduce((sum, one) => sum + one.cpuMs, 0) / samples.length;
  return { ms: median(samples.map(({ ms }) => ms)), cpuMs };
}

function minus(one, other) {
  return { ms: one.ms - other.ms, cpuMs: one.cpuMs - other.cpuMs };
}

/** With all that they have started and waited for; in ticks of 10 ms. */
function cpuMsOf(pids) {
  const ticks = pids.map((pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

function contender(at, cwd, { start } = PROGRAMS.at(-1)) {
  const home = join(at.work, "home-workers");
  mkdirSync(home, { recursive: true });
  return { name: cwd, argv: [...start("agent-gauntlet"), "run"], cwd, env: cleanEnv(home) };
}

function change(cwd) {
  appendFileSync(join(cwd, "src/part0/unit0/file0.ts"), "export const more = 1;\n");
}

function gated(dir, fileCount, files) {
  repository(dir, fileCount, 2); // ten files to a directory, as projects have
  writeFiles(dir, files);
  commit(dir, "Add gates");
  git(dir, "update-ref", "refs/remotes/origin/main", "HEAD^");
  return dir;
}

function runToEnd({ argv: [file, ...args], cwd, env }) {
  const done = spawnSync(file, args, { cwd, env, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${args.join(" ")}: ${done.stdout}\n${done.stderr}`);
  return done;
}

async function withWorkers(at, { where, count }, measure) {
  const { start } = PROGRAMS.at(-1); // they need the program for Node
  mkdirSync(join(at.work, "home-workers"), { recursive: true });
  const [file, ...first] = start("agent-gauntlet");
  const all = Array.from({ length: count }, () =>
    spawn(file, [...first, ...where], {
      cwd: at.work,
      env: cleanEnv(join(at.work, "home-workers")),
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  await Promise.all(all.map((one) => once(one.stdout, "data"))); // they say that they are ready
  try {
    measure(all.map(({ pid }) => pid));
  } finally {
    for (const one of all) one.kill();
    await Promise.all(all.map((one) => once(one, "exit")));
  }
}

async function startRedis(work) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  const keep = ["--dir", work, "--appendonly", "yes", "--save", ""];
  const child = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", ...keep], {
    stdio: "ignore",
  });
  await setTimeout(500);
  if (child.exitCode !== null)
    throw new Error("redis-server does not start: install it (apt-get install redis-server)");
  return {
    port,
    end: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

function signer() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    pem: publicKey.export({ format: "pem", type: "spki" }).toString(),
  };
}
