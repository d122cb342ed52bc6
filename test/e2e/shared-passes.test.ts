import { execFileSync } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { muteServer, type Server, startNginx, startRedis, whyNoProgram } from "../rig/servers.ts";

const NO_NGINX = await whyNoProgram("nginx", "nginx");
const NO_REDIS = await whyNoProgram("redis-server", "redis-server");
const { privateKey } = generateKeyPairSync("ed25519");
const PUBLIC = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
const SIGNING = {
  CI: "true",
  GAUNTLET_SIGNING_KEY: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
};

/** What a signature of a stored pass is about, in the order of its fields. */
interface PassBody {
  readonly key: string;
  readonly gate: string;
  readonly platform: string;
  readonly at: number;
  readonly expires: number;
}

const SIGNED_FIELDS = ["v", "key", "gate", "tree", "status", "at", "runner", "platform", "expires"];

/** Signs as anyone who has the key could. */
function signedRecord(body: PassBody, key: KeyObject): string {
  const der = createPublicKey(key).export({ format: "der", type: "spki" });
  const keyid = createHash("sha256").update(der).digest("hex").slice(0, 16);
  const signed = `agent-gauntlet pass\n${JSON.stringify(body, SIGNED_FIELDS)}`;
  const sig = sign(null, Buffer.from(signed), key).toString("base64");
  return JSON.stringify({ keyid, body, sig });
}

/** Where a hit is expected, a busy machine must not turn it into a miss. */
const AMPLE_MS = 20_000;

/** A check that names its inputs and one that does not; each leaves a line outside the project when it runs. */
const config = (
  url: string,
  more = "",
  { cache = "", budgetMs = AMPLE_MS } = {},
): string => `base_branch: main
checks:
  unit: { command: echo unit >> ../runs, inputs: [src]${more} }
  all: { command: echo all >> ../runs }
remote:
  cache: { url: "${url}", trust: [.gauntlet/keys/ci.pub], budget_ms: ${budgetMs}${cache} }
`;

async function machine(url: string, more?: string, cache?: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": config(url, more, { cache: cache ?? "" }),
    ".gauntlet/keys/ci.pub": PUBLIC,
    ".gitattributes": "* text=auto\n",
    "src/a": "1",
    "src/b": "one\r\ntwo\n",
  });
  await project.commit("start");
  await project.git("switch", "--quiet", "--create", "work");
  await project.write({ "src/a": "2" });
  return project;
}

function runsOf(project: GauntletProject): readonly string[] {
  return project.has("../runs") ? project.read("../runs").trim().split("\n").toSorted() : [];
}

const BOTH = ["all", "unit"];

describe.skipIf(NO_NGINX !== undefined)(`passes shared through nginx (${NO_NGINX ?? "installed"})`, () => {
  let mute: Awaited<ReturnType<typeof muteServer>>;
  let nginx: Server;
  beforeAll(async () => {
    mute = await muteServer();
    nginx = await startNginx(mute.port);
  });
  afterAll(async () => {
    await nginx[Symbol.asyncDispose]();
    mute[Symbol.dispose]();
  });

  const at = (path: string): string => `http://127.0.0.1:${nginx.port}/${path}`;
  const stored = (): readonly string[] =>
    readdirSync(join(nginx.directory, "store/ac")).map((name) => join(nginx.directory, "store/ac", name));
  const forget = (): void => stored().forEach((file) => unlinkSync(file));

  /** Runs on a build server that shares its passes. */
  async function shareFrom(url = at("ac"), more?: string): Promise<void> {
    forget();
    await using ci = await machine(url, more);
    const done = await ci.gauntlet(["run"], { env: SIGNING });
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).not.toContain("WARN");
    expect(stored()).toHaveLength(2);
  }

  /** Changes every stored record. */
  function tamper(change: (record: { keyid: string; body: PassBody; sig: string }) => string): void {
    for (const file of stored()) writeFileSync(file, change(JSON.parse(readFileSync(file, "utf8")) as never)); // as just written
  }

  test("an agent's stop takes the word of CI and says where it comes from", async () => {
    await shareFrom();
    await using agent = await machine(at("ac"));

    const why = await agent.gauntlet(["detect", "--why"]);
    const { answer } = await agent.stop();
    const explained = await agent.gauntlet(["explain", "--verbose"]);

    expect(answer).toMatchObject({ decision: "approve", status: "passed" });
    expect(runsOf(agent)).toEqual([]);
    for (const { stdout } of [why, explained])
      expect(stdout).toMatch(
        /check:\.:unit.*it passed elsewhere .* signed with .gauntlet\/keys\/ci\.pub: http/,
      );
  });

  test("the address of the build is the runner, on GitHub", async () => {
    forget();
    const GITHUB = {
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_REPOSITORY: "a/b",
      GITHUB_RUN_ID: "7",
    };
    await using ci = await machine(at("ac"));
    await ci.gauntlet(["run"], { env: { ...SIGNING, ...GITHUB } });
    await using agent = await machine(at("ac"));

    const { stdout } = await agent.gauntlet(["run"]);

    expect(stdout).toContain("(https://github.example/a/b/actions/runs/7, ");
  });

  test("another file outside of the inputs keeps the pass of the check that names them, and only that", async () => {
    await shareFrom();
    await using agent = await machine(at("ac"));
    await agent.write({ other: "1" });

    await agent.gauntlet(["run"]);

    expect(runsOf(agent)).toEqual(["all"]);
  });

  const MISSES: Readonly<Record<string, (agent: GauntletProject) => Promise<unknown>>> = {
    "another line ending where git keeps the same of both": (agent) =>
      agent.write({ "src/b": "one\ntwo\r\n" }),
    "another input": (agent) => agent.write({ "src/a": "3" }),
    "another command": (agent) =>
      agent.write({ ".gauntlet/config.yml": config(at("ac")).replaceAll("echo ", "echo  ") }),
  };
  test.for(Object.entries(MISSES))("%s is a miss", async ([, change]) => {
    await shareFrom();
    await using agent = await machine(at("ac"));
    await change(agent);

    await agent.gauntlet(["run"]);

    expect(runsOf(agent).map((line) => line.trim())).toEqual(BOTH);
  });

  test("a pass with another variable is for others with that variable, unless the project names what counts", async () => {
    const misses: (readonly string[])[] = [];
    for (const more of ["", ", env: [LEVEL]", ", env: []"]) {
      forget();
      await using ci = await machine(at("ac"), "", more);
      await ci.gauntlet(["run"], { env: { ...SIGNING, LEVEL: "1", GITHUB_RUN_ID: "7" } });
      await using alike = await machine(at("ac"), "", more);
      await alike.gauntlet(["run"], { env: { LEVEL: "1" } });
      await using other = await machine(at("ac"), "", more);
      await other.gauntlet(["run"]);
      misses.push(runsOf(alike), runsOf(other));
    }

    expect(misses).toEqual([[], BOTH, [], BOTH, [], []]);
  });

  test("a pass in another environment than the session's is not shared", async () => {
    forget();
    await using agent = await machine(at("ac"));
    await agent.stop();
    await agent.write({ "src/a": "3" });

    const done = await agent.gauntlet(["run"], { env: { ...SIGNING, SKIP_TESTS: "1" } });

    expect(done.stderr + done.stdout).toContain("passes are not shared: this is another environment");
    expect(stored()).toEqual([]);
  });

  const TAMPERED: Readonly<Record<string, { readonly why: string; readonly act: () => void }>> = {
    truncated: {
      why: "it is cut, or not a record of ours",
      act: () => tamper((record) => JSON.stringify(record).slice(0, 200)),
    },
    "not a record": { why: "not a record of ours", act: () => tamper(() => "x".repeat(100_000)) },
    forged: {
      why: "its signature does not fit",
      act: () =>
        tamper(({ body, ...rest }) => JSON.stringify({ ...rest, body: { ...body, at: body.at + 1 } })),
    },
    "signed by a stranger": {
      why: "which is not trusted",
      act: () => tamper(({ body }) => signedRecord(body, generateKeyPairSync("ed25519").privateKey)),
    },
    "signed by a stranger under a trusted name": {
      why: "its signature does not fit",
      act: () =>
        tamper(({ body, keyid }) => {
          const other = signedRecord(body, generateKeyPairSync("ed25519").privateKey);
          return JSON.stringify({ ...(JSON.parse(other) as object), keyid });
        }),
    },
    "replayed under another key": {
      why: "it is about another gate or other inputs",
      act: () => tamper(({ body }) => signedRecord({ ...body, key: "0".repeat(64) }, privateKey)),
    },
    "of another gate": {
      why: "it is about another gate or other inputs",
      act: () => tamper(({ body }) => signedRecord({ ...body, gate: "check:.:other" }, privateKey)),
    },
    "of another platform": {
      why: "it is of another platform",
      act: () => tamper(({ body }) => signedRecord({ ...body, platform: "plan9-mips" }, privateKey)),
    },
    expired: {
      why: "it expired at",
      act: () => tamper(({ body }) => signedRecord({ ...body, expires: body.at }, privateKey)),
    },
    "from the future": {
      why: "it is dated in the future",
      act: () => tamper(({ body }) => signedRecord({ ...body, at: body.at + 3_600_000 }, privateKey)),
    },
  };
  test.for(Object.entries(TAMPERED))("a record that is %s does not count", async ([, { why, act }]) => {
    await shareFrom();
    act();
    await using agent = await machine(at("ac"));

    const { stdout } = await agent.gauntlet(["detect", "--why"]);
    const { exitCode } = await agent.gauntlet(["run"]);

    expect(stdout).toContain("its shared pass does not count: ");
    expect(stdout).toContain(why);
    expect([exitCode, runsOf(agent)]).toEqual([0, BOTH]);
  });

  test("a toolchain that prints something else is another key, one that fails is not shared", async () => {
    await shareFrom(at("ac"), ", toolchain: [cat ../tool || echo none]");
    await using same = await machine(at("ac"), ", toolchain: [cat ../tool || echo none]");
    await using other = await machine(at("ac"), ", toolchain: [cat ../tool || echo none]");
    await other.write({ "../tool": "v2" });
    await using without = await machine(at("ac"), ", toolchain: [missing-tool --version]");

    for (const agent of [same, other, without]) await agent.gauntlet(["run"]);
    const { stdout } = await without.gauntlet(["detect", "--why"]);

    expect([runsOf(same), runsOf(other), runsOf(without)]).toEqual([[], ["unit"], BOTH]);
    expect(stdout).toContain("its toolchain cannot be determined, so its passes are not shared");
  });

  const UNREACHABLE: Readonly<Record<string, { readonly path: () => string; readonly says: string }>> = {
    slow: { path: () => at("slow/ac"), says: "the shared cache did not answer within 150 ms" },
    down: { path: () => "http://127.0.0.1:1/ac", says: "127.0.0.1:1 cannot be reached" },
    broken: { path: () => at("broken/ac"), says: "answered with status 503" },
    "closed to us": { path: () => at("locked"), says: "answered with status 401" },
    "mute Redis": { path: () => `redis://127.0.0.1:${mute.port}`, says: "did not answer within 150 ms" },
    "no Redis": { path: () => at("ac").replace("http", "redis"), says: "the shared cache: " },
  };
  test.for(Object.entries(UNREACHABLE))("a store that is %s: the gates run", async ([, { path, says }]) => {
    await using agent = await machine(path());
    if (says.includes("150 ms"))
      await agent.write({ ".gauntlet/config.yml": config(path(), "", { budgetMs: 150 }) });

    const { stdout, exitCode } = await agent.gauntlet(["run"]);

    expect([exitCode, runsOf(agent)]).toEqual([0, BOTH]);
    expect(stdout).toContain(says);
  });

  test("a password from the environment opens the store, and no gate sees it or the key", async () => {
    const env = { ...SIGNING, GAUNTLET_CACHE_AUTH: "agent:open-sesame" };
    forget();
    await using ci = await machine(at("locked"));
    await ci.write({
      ".gauntlet/config.yml": config(at("locked")).replace(
        "echo all >>",
        "echo all $GAUNTLET_SIGNING_KEY $GAUNTLET_CACHE_AUTH >>",
      ),
    });

    await ci.gauntlet(["run"], { env });

    expect(stored()).toHaveLength(2);
    expect(runsOf(ci)).toEqual(BOTH);
  });

  const SILENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "an agent's machine": { ...SIGNING, CI: "" },
    "a build server without a key": { CI: "true" },
    "a build server with a broken key": { CI: "true", GAUNTLET_SIGNING_KEY: "-----BEGIN nonsense" },
  };
  test.for(Object.entries(SILENT))("%s writes nothing", async ([name, env]) => {
    forget();
    await using project = await machine(at("ac"));

    const { stdout, exitCode } = await project.gauntlet(["run"], { env });

    expect(exitCode).toBe(0);
    expect(stored()).toEqual([]);
    expect(stdout.includes("passes are not shared: ")).toBe(name !== "an agent's machine");
  });

  test.for([
    { write: "never", env: SIGNING, count: 0 },
    { write: "always", env: { ...SIGNING, CI: "" }, count: 2 },
  ])("`write: $write` shares $count passes, on a build server or not", async ({ write, env, count }) => {
    forget();
    await using project = await machine(at("ac"));
    const text = config(at("ac")).replace("budget_ms", `write: ${write}, budget_ms`);
    await project.write({ ".gauntlet/config.yml": text });

    await project.gauntlet(["run"], { env });

    expect(stored()).toHaveLength(count);
  });

  test("a failed gate, and one whose files changed meanwhile, are not shared", async () => {
    forget();
    await using red = await machine(at("ac"));
    await red.write({ ".gauntlet/config.yml": config(at("ac")).replaceAll("../runs", "../runs; false") });
    await using moving = await machine(at("ac"));
    await moving.write({ ".gauntlet/config.yml": config(at("ac")).replaceAll("../runs", "src/a") });

    for (const project of [red, moving]) await project.gauntlet(["run"], { env: SIGNING });

    expect(stored()).toEqual([]);
  });

  test("where only reading is allowed, a build says that its passes are lost", async () => {
    await using ci = await machine(at("closed"));

    const { stdout, exitCode } = await ci.gauntlet(["run"], { env: SIGNING });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("passes could not be shared: ");
  });

  test("--no-cache does not ask the store, and shares what it finds", async () => {
    await shareFrom();
    forget();
    await using agent = await machine(at("ac"));

    await agent.gauntlet(["run", "--no-cache"], { env: SIGNING });

    expect([runsOf(agent), stored().length]).toEqual([BOTH, 2]);
  });
});

describe.skipIf(NO_REDIS !== undefined)(`passes shared through Redis (${NO_REDIS ?? "installed"})`, () => {
  test("are found again, in the database and with the password that were named", async () => {
    await using redis = await startRedis({ password: "secret" });
    const url = `redis://127.0.0.1:${redis.port}/3`;
    await using ci = await machine(url);
    await using agent = await machine(url);
    const env = { GAUNTLET_CACHE_AUTH: "secret" };

    await ci.gauntlet(["run"], { env: { ...SIGNING, ...env } });
    const refused = await agent.gauntlet(["detect", "--why"], { env: { GAUNTLET_CACHE_AUTH: "wrong" } });
    const found = await agent.gauntlet(["run"], { env });

    expect(refused.stdout).toMatch(/the shared cache: .*(?:WRONGPASS|invalid)/);
    expect(found.stdout).toMatch(/\[PASS\] unit .*it passed elsewhere .*redis:\/\/127/);
    expect([runsOf(ci), runsOf(agent)]).toEqual([BOTH, []]);
  });

  test("all keys of a run are asked for at once", async () => {
    await using redis = await startRedis();
    await using agent = await machine(`redis://127.0.0.1:${redis.port}`);

    await agent.gauntlet(["run"]);

    const stats = execFileSync("redis-cli", ["-p", String(redis.port), "INFO", "commandstats"]).toString();
    expect(stats).toContain("cmdstat_mget:calls=1,");
    expect(stats).not.toContain("cmdstat_get:");
  });
});
