import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { Fleet, made } from "../rig/fleet.ts";
import { whyNoProgram } from "../rig/servers.ts";
import { tempDir } from "../rig/temp-dir.ts";

interface Service {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command: string | readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
}

const file = resolve(import.meta.dirname, "../../docs/fleet/compose.yaml");
const { services, volumes } = parse(readFileSync(file, "utf8")) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, null>>;
};
const NO_NGINX = await whyNoProgram("nginx", "nginx");
const NO_REDIS = await whyNoProgram("redis-server", "redis-server");

function lineOf({ command }: Service): string {
  return typeof command === "string" ? command : (command.at(-1) ?? "");
}

test("every service has an image and a command, and names only volumes and services that are there", () => {
  for (const { image, command, volumes: mounts = [], depends_on: needed = [] } of Object.values(services)) {
    expect(image).toMatch(/^[a-z/]+(?::\d+)?$/);
    expect(command).toBeTruthy();
    for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(":")[0]);
    for (const name of needed) expect(Object.keys(services)).toContain(name);
  }
  expect(Object.keys(services)).toEqual(["redis", "git", "cache", "worker"]);
});

test.skipIf(NO_REDIS !== undefined)(
  `its commands bring up a fleet that runs a gate (${NO_REDIS ?? "installed"})`,
  async () => {
    await using fleet = await Fleet.start(0);
    const flags = lineOf(must("redis")).replace("redis-server ", "").replaceAll("--", "").split(" ");
    const redis = ["-p", String(fleet.redis.port), "CONFIG", "SET", ...flags];
    expect(execFileSync("redis-cli", redis, { encoding: "utf8" })).toBe("OK\n");
    const srv = join(fleet.path, "srv");
    execFileSync("mkdir", [srv]);
    const port = String(20_000 + (process.pid % 20_000));
    const gitLine = lineOf(must("git"))
      .replaceAll("/srv", srv)
      .replace("git daemon", `git daemon --listen=127.0.0.1 --port=${port}`);
    const daemon = spawn("/bin/sh", ["-c", gitLine], { stdio: "inherit" });
    try {
      await made(join(srv, "gauntlet.git/HEAD"));
      const workerLine = lineOf(must("worker"))
        .split("\n")
        .find((line) => line.startsWith("exec agent-gauntlet"));
      const args = (workerLine ?? "")
        .replace("exec agent-gauntlet worker ", "")
        .replace("redis://redis", fleet.url)
        .replace("git://git/", `git://127.0.0.1:${port}/`)
        .split(" ");
      const tree = args[args.indexOf("--tree") + 1] ?? "";
      await fleet.hire({ args });
      await using project = await fleet.project({ a: "cat file" });
      const config = project.read(".gauntlet/config.yml").replace(fleet.store, tree);
      await project.write({ ".gauntlet/config.yml": config });

      const done = await project.gauntlet(["run"]);

      expect(done.stdout).toMatch(/a runs on .*\n.*\[PASS\] a/s);
    } finally {
      daemon.kill();
    }
  },
);

test.skipIf(NO_NGINX !== undefined)(
  `nginx accepts the cache's configuration (${NO_NGINX ?? "installed"})`,
  async () => {
    await using dir = await tempDir();
    const server = /printf '(.*)'/.exec(lineOf(must("cache")))?.[1] ?? "";
    const conf = join(dir.path, "nginx.conf");
    writeFileSync(
      conf,
      `pid ${dir.path}/pid; events {} http { access_log off; ${server.replace("8080", `unix:${dir.path}/socket`)} }`,
    );

    const tested = spawnSync("/usr/sbin/nginx", ["-t", "-c", conf, "-e", join(dir.path, "log")], {
      encoding: "utf8",
    });

    expect(server).toContain("dav_methods PUT");
    expect(tested.stderr).toContain("test is successful");
  },
);

function must(name: string): Service {
  const service = services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}
