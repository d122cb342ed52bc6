import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../rig/gauntlet-project.ts";
import { tempDir } from "../rig/temp-dir.ts";

const SCRIPT = resolve(import.meta.dirname, "../../scripts/install.sh");

interface Machine {
  readonly uname?: readonly [system: string, machine: string];
  readonly libc?: "glibc" | "musl";
  readonly env?: Readonly<Record<string, string>>;
}

/** A release on loopback and a machine that may say it is another one. */
async function release(platform = "linux-x64", line = `echo "1.2.3 for ${platform}"`) {
  const dir = await tempDir();
  const home = join(dir.path, "home");
  const served = join(dir.path, "served");
  await mkdir(home);
  await writeProgram(join(served, "agent-gauntlet"), line);
  const archive = `agent-gauntlet-${platform}.tar.gz`;
  execFileSync("tar", ["-czf", archive, "agent-gauntlet"], { cwd: served });
  const sum = createHash("sha256")
    .update(readFileSync(join(served, archive)))
    .digest("hex");
  await writeFile(join(served, "SHA256SUMS"), `${sum}  ${archive}\n`);

  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const file = join(served, request.url?.replace("/release/", "") ?? "");
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/release`;

  return {
    home,
    asked,
    bin: join(home, ".local/bin"),
    serve: (name: string, text: string) => writeFile(join(served, name), text),
    install: async ({ uname = ["Linux", "x86_64"], libc = "glibc", env = {} }: Machine = {}) => {
      const fakes = join(dir.path, "fakes");
      await writeProgram(
        join(fakes, "uname"),
        `case $1 in -s) echo ${uname[0]} ;; *) echo ${uname[1]} ;; esac`,
      );
      await writeProgram(
        join(fakes, "ldd"),
        `echo "ldd (${libc === "musl" ? "musl libc" : "GNU libc"})" >&2`,
      );
      const PATH = `${fakes}:${process.env["PATH"]}`;
      return run(["sh", SCRIPT], {
        cwd: home,
        env: { PATH, HOME: home, AGENT_GAUNTLET_DOWNLOAD: url, ...env },
      });
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function writeProgram(path: string, line: string): Promise<void> {
  await mkdir(resolve(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

describe("install.sh", () => {
  test("installs both names into ~/.local/bin, and says that it is not on the PATH", async () => {
    await using machine = await release();

    const done = await machine.install();

    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toBe(
      `agent-gauntlet 1.2.3 for linux-x64 is in ${machine.bin}.\nAdd ${machine.bin} to your PATH: hooks call the program by its name.\n`,
    );
    expect(execFileSync(join(machine.bin, "brepl"), ["--version"], { encoding: "utf8" })).toContain("1.2.3");
    expect(readlinkSync(join(machine.bin, "brepl"))).toBe("agent-gauntlet");
  });

  test("installs into $PREFIX/bin, again and again, and leaves another brepl alone", async () => {
    await using machine = await release();
    const prefix = join(machine.home, "opt");
    await writeProgram(join(prefix, "bin/brepl"), "echo the original");

    await machine.install({ env: { PREFIX: prefix } });
    const again = await machine.install({ env: { PREFIX: prefix } });

    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain("bin/brepl is another program and stays");
    expect(readFileSync(join(prefix, "bin/brepl"), "utf8")).toContain("the original");
    expect((await readdir(join(prefix, "bin"))).toSorted()).toEqual([
      "agent-gauntlet",
      "agent-gauntlet-native",
      "brepl",
    ]);
  });

  test.each<[string, Machine]>([
    ["linux-x64-musl", { uname: ["Linux", "x86_64"], libc: "musl" }],
    ["linux-arm64", { uname: ["Linux", "aarch64"] }],
    ["darwin-arm64", { uname: ["Darwin", "arm64"] }],
    ["darwin-x64", { uname: ["Darwin", "x86_64"] }],
  ])("takes %s on such a machine", async (platform, machine) => {
    await using other = await release(platform);

    const done = await other.install(machine);

    expect(done.stdout).toContain(`for ${platform} is in`);
    expect(other.asked).toEqual(["/release/SHA256SUMS", `/release/agent-gauntlet-${platform}.tar.gz`]);
  });

  test.each<[string, Machine]>([
    ["linux-riscv64", { uname: ["Linux", "riscv64"] }],
    ["linux-arm64-musl", { uname: ["Linux", "aarch64"], libc: "musl" }],
    ["FreeBSD-x64", { uname: ["FreeBSD", "amd64"] }],
  ])("refuses %s and names the package for Node", async (platform, machine) => {
    await using other = await release();

    const done = await other.install(machine);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toBe(
      `agent-gauntlet was not installed: there is no native program for ${platform}. With Node: npm install --global agent-gauntlet\n`,
    );
    expect(other.asked).toEqual([]);
  });

  test.each([
    [
      "a wrong checksum",
      `${"0".repeat(64)}  agent-gauntlet-linux-x64.tar.gz\n`,
      "the checksum of agent-gauntlet-linux-x64.tar.gz is wrong, so nothing was installed",
    ],
    ["no checksum", "", "SHA256SUMS does not name agent-gauntlet-linux-x64.tar.gz"],
  ])("installs nothing with %s", async (_, sums, message) => {
    await using machine = await release();
    await machine.serve("SHA256SUMS", sums);

    const done = await machine.install();

    expect(done).toMatchObject({ exitCode: 1, stderr: `agent-gauntlet was not installed: ${message}\n` });
    expect(await readdir(machine.home)).toEqual([]);
  });

  test("installs nothing that does not run, and says what Alpine lacks", async () => {
    await using machine = await release("linux-x64-musl", "exit 127");

    const done = await machine.install({ libc: "musl" });

    expect(done).toMatchObject({
      exitCode: 1,
      stderr:
        "agent-gauntlet was not installed: the program for linux-x64-musl does not run on this machine (on Alpine it needs: apk add libstdc++)\n",
    });
    expect(await readdir(machine.home)).toEqual([]);
  });

  test("says what could not be downloaded when there is no network", async () => {
    await using machine = await release();

    const done = await machine.install({ env: { AGENT_GAUNTLET_DOWNLOAD: "http://127.0.0.1:9/release" } });

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain("cannot download http://127.0.0.1:9/release/SHA256SUMS");
    expect(await readdir(machine.home)).toEqual([]);
  });

  test("asks for an address where it does not know one", async () => {
    await using machine = await release();

    const done = await machine.install({ env: { AGENT_GAUNTLET_DOWNLOAD: "" } });

    expect(done.stderr).toContain("set AGENT_GAUNTLET_DOWNLOAD to the address of a release");
  });

  test.skipIf(spawnSync("shellcheck", ["--version"]).error !== undefined)(
    "has nothing shellcheck objects to",
    () => {
      const plugin = resolve(import.meta.dirname, "../../hooks/agent-gauntlet.sh");

      expect(spawnSync("shellcheck", ["--shell=sh", SCRIPT, plugin], { encoding: "utf8" }).stdout).toBe("");
    },
  );
});
