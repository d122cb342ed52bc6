import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ended, Fleet, made, until, wordsIn } from "../rig/fleet.ts";
import { cleanEnv, CLI, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { kill } from "../rig/processes.ts";
import { IS_NATIVE } from "../rig/program.ts";
import { startRedis, whyNoProgram } from "../rig/servers.ts";
import { isAlive } from "../rig/processes.ts";

const NO_REDIS = IS_NATIVE
  ? "workers need the package for Node"
  : await whyNoProgram("redis-server", "redis-server");
const NO_MOUNT = process.getuid?.() === 0 ? undefined : "only root can mount a small disk";

interface Outcome {
  readonly name: string;
  readonly outcome: string;
  readonly detail?: string;
}

function outcomesOf({ stdout }: Finished): readonly Outcome[] {
  return (JSON.parse(stdout) as { outcomes: readonly Outcome[] }).outcomes;
}

function logOf(project: GauntletProject, gate: string): string {
  return project.read(`gauntlet_logs/check_._${gate}.1.log`);
}

describe.skipIf(NO_REDIS !== undefined)(`gates on four workers (${NO_REDIS ?? "installed"})`, () => {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await Fleet.start(4, {
      env: { WORKER_WORD: "here", WORKER_API_KEY: "k3y-of-the-worker-0123456789" },
    });
  });
  afterEach(() => fleet[Symbol.asyncDispose]());

  test("run on exactly these files, with the declared environment only, and report as usual", async () => {
    await using project = await fleet.project(
      {
        good: "cat file untracked; git status --short; echo $WORD $WORKER_WORD $SECRET_OF_THE_AGENT. $WORKER_API_KEY",
        tree: "git rev-parse HEAD^{tree}; git add --all; git write-tree",
        bad: "echo 'src/a.ts(3,9): error TS2322: no'; exit 3",
        killed: "kill -9 $$",
        absent: "no-such-program",
        report: `printf '<testsuite tests="1" failures="1"><testcase name="adds"><failure message="3 is not 4"/></testcase></testsuite>' > report.xml; exit 1`,
      },
      { check: { good: ", env: { WORD: declared }", report: ", report: report.xml" } },
    );

    await project.write({ ".git/info/exclude": "*.xml" });

    const done = await project.gauntlet(["run", "--json"], { env: { SECRET_OF_THE_AGENT: "s3cret" } });
    const workers = await project.json(["workers", "--url", fleet.url]);

    expect(JSON.parse(done.stdout)).toMatchObject({
      outcomes: [
        { name: "good", outcome: "passed" },
        { name: "tree", outcome: "passed" },
        { name: "bad", detail: "exit code 3", problems: [{ file: "src/a.ts", line: 3, code: "TS2322" }] },
        { name: "killed", detail: "killed by SIGKILL" },
        { name: "absent", detail: expect.stringContaining("127") },
        { name: "report", problems: [{ message: "3 is not 4" }] },
      ],
    });
    expect(logOf(project, "good")).toBe("2newdeclared here . ***\n");
    const [head, written] = logOf(project, "tree").split("\n");
    expect(written).toBe(head);
    await project.git("add", "--all");
    expect((await project.git("write-tree")).trim()).toBe(head);
    expect(workers["workers"]).toHaveLength(4);
  });

  test("200 gates outlive workers that die every few moments and a restart of Redis, and leave nothing behind", async () => {
    const names = Array.from({ length: 200 }, (_, at) => `g${at}`);
    await using project = await fleet.project(
      Object.fromEntries(
        names.map((name) => [name, `echo ${name}; sleep 0.2; git rev-parse HEAD^{tree}; cat file`]),
      ),
    );
    const over = new AbortController();
    const running = project.gauntlet(["run", "--json"]).finally(() => over.abort());
    const trouble = (async () => {
      for (let kills = 0; kills < 4 && !over.signal.aborted; kills += 1) {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        fleet.workers[kills]?.kill("SIGKILL");
        await (kills === 1 ? fleet.restartRedis() : fleet.hire());
      }
    })();

    const outcomes = outcomesOf(await running);
    await trouble;

    expect(outcomes.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(outcomes).toHaveLength(200);
    await project.git("add", "--all");
    const tree = (await project.git("write-tree")).trim();
    for (const name of names) expect(logOf(project, name)).toMatch(new RegExp(`${name}\n${tree}\n2$`));
    await until(() => fleet.gatesRunning().length === 0);
  });

  test("a gate goes on while Redis is killed and started again", async () => {
    const began = join(fleet.path, "began");
    await using project = await fleet.project({ slow: `echo first; touch ${began}; sleep 3; echo last` });
    const running = project.gauntlet(["run"]);
    await made(began);
    await fleet.restartRedis("SIGKILL");

    const done = await running;

    expect(done.stdout).toContain("[PASS] slow");
    expect(logOf(project, "slow")).toContain("last\n");
  });

  test("two runs of the same files share one gate, and cancelling one does not end the other's", async () => {
    const count = join(fleet.path, "count");
    await using first = await fleet.project({ slow: `echo once >> ${count}; sleep 4; echo ready` });
    await first.git("worktree", "add", "--quiet", "--detach", "../other", "HEAD");
    const second = first.at("../other");
    await second.write({ file: "2", untracked: "new" });
    let pid = 0;
    const cancelled = first.gauntlet(["run"], { onSpawn: (one) => (pid = one) });
    await made(count);
    let joined = "";
    const shared = second.gauntlet(["run", "--json"]).then((done) => (joined = done.stdout));
    await until(() => waitersOf(fleet) === 2 || joined !== "");
    kill(pid, "SIGTERM");

    const [gone] = await Promise.all([cancelled, shared]);

    expect(gone.exitCode).toBe(143);
    expect(JSON.parse(joined)).toMatchObject({ outcomes: [{ name: "slow", outcome: "passed" }] });
    expect(readFileSync(count, "utf8")).toBe("once\n");
  });

  test.for(["SIGTERM", "SIGKILL"] as const)(
    "a run that is ended by %s ends its gate on the worker",
    async (signal) => {
      const mark = join(fleet.path, "mark");
      await using project = await fleet.project({
        slow: `echo $$ > ${mark}; sleep 600`,
      });
      let pid = 0;
      const running = project.gauntlet(["run"], { onSpawn: (one) => (pid = one) });
      const [gate = 0] = (await wordsIn(mark)).map(Number);
      kill(pid, signal);
      await running;

      await until(() => !isAlive(gate));
      await until(() => keysLike(fleet, "gauntlet:linux*:*:lock").length === 0);
    },
  );

  test("a lost worker's gate is taken over, and what it left is ended", async () => {
    const marks = join(fleet.path, "marks");
    await using project = await fleet.project({
      slow: `echo $PPID $$ >> ${marks}; [ $(wc -l < ${marks}) = 2 ] || sleep 600; echo done`,
    });
    const running = project.gauntlet(["run"]);
    const [worker = 0, gate = 0] = (await wordsIn(marks)).map(Number);
    kill(worker, "SIGKILL");
    await until(() => readFileSync(marks, "utf8").trim().split("\n").length === 2);

    const done = await running;

    expect(done.stdout).toContain("[PASS] slow");
    expect(logOf(project, "slow")).toMatch(/\[its worker was lost; started again on .*\]\ndone\n$/);
    await until(() => !isAlive(gate)); // by the workers that are left on this machine
  });

  test("where the push is refused, the gate runs here and says why, or not at all", async () => {
    const hook = join(fleet.store, "hooks/pre-receive");
    await writeFile(hook, "#!/bin/sh\necho no room >&2\nexit 1\n");
    await chmod(hook, 0o755);
    await using local = await fleet.project({ a: "pwd" });
    await using strict = await fleet.project({ a: "pwd" }, { workers: "fallback: error" });

    const here = await local.gauntlet(["run"]);
    const refused = await strict.gauntlet(["run"]);

    expect(here.stdout).toMatch(/check:\.:a runs here: .*no room/s);
    expect(logOf(local, "a")).toContain(local.root);
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toMatch(/no worker ran it: .*no room/s);
  });

  test("a worker that is asked to stop finishes what it runs, and takes no more", async () => {
    const began = join(fleet.path, "began");
    await using project = await fleet.project({ slow: `touch ${began}; sleep 2; echo ready` });
    const running = project.gauntlet(["run"]);
    await made(began);
    for (const worker of fleet.workers) worker.kill("SIGTERM");

    const done = await running;

    expect(done.stdout).toContain("[PASS] slow");
    for (const worker of fleet.workers) expect(await ended(worker)).toBe(0);
    expect((await project.json(["workers", "--url", fleet.url]))["workers"]).toEqual([]);
  });

  test("a worker that is asked to stop while Redis is gone stops", async () => {
    const began = join(fleet.path, "began");
    await using project = await fleet.project({ slow: `touch ${began}; sleep 2` });
    const running = project.gauntlet(["run"]);
    await made(began);
    await fleet.redis[Symbol.asyncDispose]();
    for (const worker of fleet.workers) worker.kill("SIGTERM");

    for (const worker of fleet.workers) expect(await ended(worker)).toBe(0);
    expect((await running).stdout).toContain("[PASS] slow"); // here
  });
});

describe.skipIf(NO_REDIS !== undefined)("on other fleets", () => {
  test("without a worker the gate runs here after pickup_seconds, also when the queue is full or not there at all", async () => {
    await using fleet = await Fleet.start(0);
    await using project = await fleet.project({ a: "pwd" }, { workers: "pickup_seconds: 0.3" });

    const waited = await project.gauntlet(["run"]);
    const left = keysLike(fleet, "gauntlet:ask*");
    redisCli(fleet, "CONFIG", "SET", "maxmemory", "1");
    const full = await project.gauntlet(["run"]);
    const config = project.read(".gauntlet/config.yml");
    await project.write({ ".gauntlet/config.yml": config.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") });
    const none = await project.gauntlet(["run"]);

    expect(waited.stdout).toContain("check:.:a runs here: no worker took it within 0.3 s");
    expect(none.stdout).toContain("check:.:a runs here: the queue 127.0.0.1:1 cannot be reached");
    expect(full.stdout).toMatch(/check:\.:a runs here: the queue 127\.0\.0\.1:\d+ refuses it: OOM/);
    expect([waited.exitCode, full.exitCode, none.exitCode]).toEqual([0, 0, 0]);
    expect(left).toEqual([]); // nobody runs it later
  });

  test("a pass that a worker signs is believed by other machines; the word of the run that asked for it is not", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const signing = {
      GAUNTLET_SIGNING_KEY: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    };
    await using fleet = await Fleet.start(1);
    const remote = `  cache: { url: "${fleet.url}", trust: [.gauntlet/keys/w.pub], budget_ms: 20000, write: always }\n`;
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const count = join(fleet.path, "count");
    const machine = (): Promise<GauntletProject> =>
      fleet.project(
        {
          named: `echo named >> ${count}`,
          all: `echo all >> ${count}`,
          touching: `echo touching >> ${count}; echo x > new`,
        },
        { remote, files: { ".gauntlet/keys/w.pub": pem }, check: { named: ", inputs: [file]" } },
      );
    await using first = await machine();
    await using second = await machine();
    await using third = await machine();

    const unsigned = await first.gauntlet(["run"], { env: signing });
    const stored = keysLike(fleet, "gauntlet:ac:*");
    fleet.workers[0]?.kill("SIGTERM");
    await fleet.hire({ args: ["--cache", fleet.url], env: signing });
    await second.gauntlet(["run"]);
    const believed = await third.gauntlet(["run"]);

    expect([unsigned.exitCode, stored]).toEqual([0, []]);
    expect(believed.stdout).toMatch(/named.*it passed elsewhere .* signed with .gauntlet\/keys\/w.pub/);
    const runs = readFileSync(count, "utf8").trim().split("\n").toSorted();
    expect(runs).toEqual(["all", "all", "named", "named", "touching", "touching", "touching"]);
  });

  test("a pass beside what an earlier gate left is not proof, and a worker that signs leaves nothing", async () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    await using fleet = await Fleet.start(1);
    const needs = "test -e built || { touch built; exit 1; }";
    await using project = await fleet.project({ needs }, { files: { ".gitignore": "built\n" } });

    const first = await project.gauntlet(["run"]);
    await project.commit("work");
    const second = await project.gauntlet(["run"]);
    const attested = await project.gauntlet(["attest"]);
    for (const worker of fleet.workers) worker.kill("SIGTERM");
    await Promise.all(fleet.workers.map(ended));
    await fleet.hire({ args: ["--cache", fleet.url], env: { GAUNTLET_SIGNING_KEY: key } });
    const clean = await project.gauntlet(["run"]);

    expect([first.exitCode, second.exitCode, attested.exitCode, clean.exitCode]).toEqual([1, 0, 1, 1]);
    expect(second.stdout).toContain("not proof");
    expect(attested.stdout + attested.stderr).toContain("it rests on a worker");
  });

  test("a worker says what it needs", async () => {
    await using project = await GauntletProject.create();
    const say = async (...args: readonly string[]): Promise<string> => {
      const done = await project.gauntlet(["worker", ...args]);
      expect(done.exitCode).toBe(1);
      return done.stderr;
    };
    const url = "redis://127.0.0.1:1";

    expect(await say()).toContain("--url redis://… --tree …");
    expect(await say("--url", "http://x", "--tree", "y")).toContain("redis://");
    expect(await say("--url", "redis://u:p@x", "--tree", "y")).toContain("GAUNTLET_WORKERS_AUTH");
    expect(await say("--url", url, "--tree", "y", "--platform", "a:b")).toContain("linux-x64");
    expect(await say("--url", url, "--tree", "y", "--cache", "http://x")).toContain("GAUNTLET_SIGNING_KEY");
    const alone = join(project.root, "alone");
    cpSync(dirname(CLI), alone, { recursive: true });
    const argv = [process.execPath, join(alone, basename(CLI)), "worker", "--url", url, "--tree", "y"];
    const lacking = await run(argv, { cwd: project.root, env: cleanEnv(project.home) });
    expect(lacking.stderr).toContain("npm install bullmq ioredis");
  });

  test("a worker whose queue is not there says that it tries again, and when it is reached", async () => {
    await using fleet = await Fleet.start(0);
    fleet.redis.process.kill();
    await ended(fleet.redis.process);
    const hired = fleet.hire();
    const heard: string[] = [];
    fleet.workers[0]?.stdout?.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    await until(() => heard.join("").includes("trying again"));
    fleet.redis = await startRedis({ port: fleet.redis.port, directory: fleet.redis.directory });
    await hired;

    const said = heard.join("").replaceAll(/^\S+ /gm, "").split("\n");

    const queue = `the queue 127.0.0.1:${fleet.redis.port}`;
    expect(said).toEqual([
      `${queue} cannot be reached: connect ECONNREFUSED 127.0.0.1:${fleet.redis.port}; trying again`,
      `${queue} is reached`,
      expect.stringMatching(/ is ready$/),
      "",
    ]);
  });

  test("a worker keeps its checkouts below their limit, and makes them again", async () => {
    await using fleet = await Fleet.start(0);
    const dir = join(fleet.path, "checkouts");
    await using first = await fleet.project({ a: "cat file; fallocate -l 1100M ignored" });
    await using second = await fleet.project({ a: "cat file" });
    for (const project of [first, second]) await project.write({ ".gitignore": "ignored\n" });
    const trees = (): readonly string[] => readdirSync(join(dir, "w0/trees"));
    const worker = await fleet.hire({ dir, args: ["--max-gb", "1"] });
    await first.gauntlet(["run"]);
    await second.gauntlet(["run"]);
    const before = trees();
    worker.kill("SIGTERM");
    await ended(worker);

    await fleet.hire({ dir, args: ["--max-gb", "1"] }); // it looks at their size when it starts, and every minute
    const after = trees();
    const again = await first.gauntlet(["run", "--no-cache"]);

    expect(before).toHaveLength(2);
    expect(after).toEqual([before[1]]); // the first was the large one
    expect(again.stdout).toContain("[PASS] a");
    expect(trees()).toHaveLength(2);
  });

  test("what a gate does to its checkout is gone when the next one runs there", async () => {
    await using fleet = await Fleet.start(1, { concurrency: 1 });
    const dirty =
      "echo 3 > file; rm untracked; touch extra; git commit --quiet --all --message x; git update-index --assume-unchanged file";
    await using project = await fleet.project(
      { dirty, next: "cat file untracked; ls; git status --short" },
      { check: { next: ", needs: [dirty]" } },
    );

    const done = await project.gauntlet(["run"]);

    expect(done.exitCode).toBe(0);
    expect(logOf(project, "next").split("\n")).toEqual(["2newfile", "untracked", ""]);
  });

  test.skipIf(NO_MOUNT !== undefined)(
    `a worker without room hands its gates to others (${NO_MOUNT ?? "root"})`,
    async () => {
      await using fleet = await Fleet.start(1);
      const full = join(fleet.path, "full");
      await mkdir(full);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", full]);
      try {
        const small = await fleet.hire({ dir: full, concurrency: 4 });
        await using project = await fleet.project({
          a: "cat file",
          b: "cat file",
          c: "cat file",
          d: "cat file",
        });
        await project.write({ large: "x".repeat(1_000_000) });

        const done = await project.gauntlet(["run"]);

        expect(done.exitCode).toBe(0);
        expect(done.stdout).not.toContain("runs here");
        for (const name of ["a", "b", "c", "d"]) expect(logOf(project, name)).toContain("2");
        small.kill("SIGKILL");
        await ended(small);
      } finally {
        execFileSync("umount", [full]);
      }
    },
  );
});

function redisCli(fleet: Fleet, ...args: readonly string[]): string {
  return execFileSync("redis-cli", ["-p", String(fleet.redis.port), ...args], { encoding: "utf8" });
}

function keysLike(fleet: Fleet, pattern: string): readonly string[] {
  return redisCli(fleet, "KEYS", pattern).split("\n").filter(Boolean);
}

function waitersOf(fleet: Fleet): number {
  return Math.max(
    0,
    ...keysLike(fleet, "gauntlet:waits:*").map((key) => Number(redisCli(fleet, "ZCARD", key))),
  );
}

test.skipIf(!IS_NATIVE)("the native program says that a worker needs the package for Node", async () => {
  await using project = await GauntletProject.create();

  const done = await project.gauntlet(["worker", "--url", "redis://127.0.0.1:1", "--tree", "x"]);

  expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("use the package for Node") });
});
