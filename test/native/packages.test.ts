import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { cleanEnv, run } from "../rig/gauntlet-project.ts";
import { nativeFile } from "../rig/program.ts";
import { tempDir } from "../rig/temp-dir.ts";

const PACKAGES = resolve(import.meta.dirname, "../../dist/npm");
const PLATFORM = basename(dirname(nativeFile()));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

async function manifests(): Promise<readonly { readonly folder: string; readonly manifest: Manifest }[]> {
  const platforms = (await readdir(PACKAGES)).filter((name) => name !== "native");
  return Promise.all(
    ["native", ...platforms].map(async (name) => {
      const folder = join(PACKAGES, name);
      const text = await readFile(join(folder, "package.json"), "utf8");
      return { folder, manifest: JSON.parse(text) as Manifest }; // written by our own script
    }),
  );
}

/** A registry on loopback that has these packages and no others. */
async function registry(directory: string) {
  const answers = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const answer = answers.get(decodeURIComponent(request.url ?? ""));
    if (answer === undefined) response.writeHead(404).end("{}");
    else response.end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const { folder, manifest } of await manifests()) {
    const { name, version } = manifest;
    const args = ["pack", "--json", "--pack-destination", directory, folder];
    const [packed] = JSON.parse(
      execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    ) as [{ filename: string; integrity: string }]; // as npm prints it
    const tarball = `/${name}/-/${packed.filename}`;
    answers.set(tarball, readFileSync(join(directory, packed.filename)));
    const dist = { tarball: `${url}${tarball}`, integrity: packed.integrity };
    const versions = { [version]: { ...manifest, dist } };
    answers.set(
      `/${name}`,
      Buffer.from(JSON.stringify({ name, "dist-tags": { latest: version }, versions })),
    );
  }
  return {
    url,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("npm install of the package for the native program puts the executable itself into node_modules/.bin", async () => {
  await using dir = await tempDir();
  using offered = await registry(dir.path);
  await writeFile(join(dir.path, "package.json"), '{ "private": true }');
  const env = { ...cleanEnv(dir.path), npm_config_registry: offered.url };
  const npm = ["npm", "install", "--save-dev", "--no-audit", "--no-fund", `${packageJson.name}-native`];

  const installed = await run(npm, { cwd: dir.path, env });

  expect(installed).toMatchObject({ exitCode: 0 });
  const bin = join(dir.path, "node_modules/.bin");
  const program = join(dir.path, "node_modules", `${packageJson.name}-${PLATFORM}`, "agent-gauntlet");
  expect(await realpath(join(bin, "agent-gauntlet-native"))).toBe(program);
  const started = await run([join(bin, "brepl-native"), "--help"], { cwd: dir.path, env });
  expect(started.stdout).toContain("Usage: brepl");
  const init = await run([join(bin, "agent-gauntlet-native"), "init", "--yes", "--hook"], {
    cwd: dir.path,
    env: { ...env, PATH: "/usr/bin:/bin" },
  });
  expect(init).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await readFile(join(dir.path, ".claude/settings.local.json"), "utf8")).toContain(
    `"command": "${join(bin, "agent-gauntlet-native")} stop-hook"`,
  );
});

test("no package runs anything when it is installed, and only the platform's own has programs", async () => {
  const found = await manifests();

  expect(found.map(({ manifest }) => manifest["scripts"])).toEqual(found.map(() => undefined));
  const [chooser, ...platforms] = found.map(({ manifest }) => manifest);
  expect(chooser).not.toHaveProperty("bin");
  expect(Object.keys(chooser?.["optionalDependencies"] ?? {})).toEqual(
    ["linux-x64", "linux-arm64", "linux-x64-musl", "darwin-x64", "darwin-arm64", "windows-x64"].map(
      (name) => `${packageJson.name}-${name}`,
    ),
  );
  for (const { os, cpu, bin, version } of platforms) {
    expect([os, cpu]).toEqual([[expect.any(String)], [expect.any(String)]]);
    expect(Object.keys(bin ?? {})).toEqual(["agent-gauntlet-native", "brepl-native"]);
    expect(version).toBe(chooser?.version);
  }
});
