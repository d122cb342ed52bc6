import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { installLibrary } from "../rig/client-cache.ts";
import { cleanEnv, run } from "../rig/gauntlet-project.ts";
import { tempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const NAME = "@own/agent-gauntlet";
/** 2026-11-19: of its dependencies, one names a tag instead of a version, which mirrors of npm do not all have. */
const VERDACCIO = { spec: "verdaccio@6.10.4", overrides: { "node-fetch": "2.7.0" } };

test("a release under a scoped name: published, installed as a user would, and it answers stops", async ({
  skip,
}) => {
  const registry = await installLibrary(VERDACCIO.spec, VERDACCIO.overrides);
  if (!registry.ok) return skip(registry.reason);
  const node = nodeForVerdaccio();
  if (node === undefined) return skip("verdaccio needs Node 22, which cannot be fetched here");
  await using dir = await tempDir();
  await using server = await startVerdaccio(node, registry.directory, dir.path);
  const env = { ...cleanEnv(dir.path), npm_config_userconfig: server.npmrc };
  const inTree = (...argv: readonly string[]) => run(argv, { cwd: tree, env: { ...env, CI: "1" } });
  const tree = copyOfTheTree(join(dir.path, "tree"));

  const built: unknown[] = [];
  for (const step of [
    ["scripts/set-package-name.mjs", NAME],
    ["scripts/build-page.mjs"],
    [join(ROOT, "node_modules/tsdown/dist/run.mjs"), "--logLevel", "error"],
    ["scripts/write-notices.mjs"],
    ["scripts/build-native.mjs"],
    ["scripts/pack-release.mjs"],
    ["scripts/publish-release.mjs"],
  ])
    built.push(await inTree(process.execPath, ...step));
  const again = await inTree(process.execPath, "scripts/publish-release.mjs");

  expect(built.filter((step) => (step as { exitCode: number }).exitCode !== 0)).toEqual([]);
  const { version } = packageJson;
  expect(again.stdout.trim().split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^${NAME}-\\w+-\\w+(?:-musl)?@${version} is published$`)),
    `${NAME}-native@${version} is published`,
    `${NAME}@${version} is published`,
  ]);

  const project = join(dir.path, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "scripts": { "test": "true" } }');
  const user = (...argv: readonly string[]) => run(argv, { cwd: project, env });
  await user("git", "init", "--quiet");
  const installed = await user("npm", "install", "--save-dev", "--no-audit", "--no-fund", NAME);
  expect(installed).toMatchObject({ exitCode: 0 });

  expect(await user("npx", NAME, "--version")).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  expect(await user("npx", NAME, "init", "--yes", "--no-hook")).toMatchObject({ exitCode: 0 });
  const config = readFileSync(join(project, ".gauntlet/config.yml"), "utf8");
  expect(config).toContain(`$schema=../node_modules/${NAME}/schema/config.schema.json`);
  expect(existsSync(join(project, `node_modules/${NAME}/schema/config.schema.json`))).toBe(true);
  expect(await user("npx", NAME, "install", "--host", "claude-code", "--shared", "--yes")).toMatchObject({
    stdout: expect.stringContaining("npx --no-install agent-gauntlet stop-hook"),
  });
  expect((await user("npx", NAME, "run")).stdout).toContain("passed");
  expect((await smoke("npx", "--prefix", project, "--no-install", "agent-gauntlet")).stdout).toContain(
    "ok: ",
  );
  writeFileSync(
    join(project, "sdk.mjs"),
    `import { Session } from "${NAME}/sdk";\nconsole.log(typeof Session);\n`,
  );
  expect(await user("node", "sdk.mjs")).toMatchObject({ exitCode: 0, stdout: "function\n" });

  await user("npm", "install", "--save-dev", "--no-audit", "--no-fund", `${NAME}-native`);
  expect((await smoke(join(project, "node_modules/.bin/agent-gauntlet-native"))).stdout).toContain("ok: ");

  const elsewhere = join(dir.path, "elsewhere");
  mkdirSync(elsewhere);
  const fetched = await run(["npx", "--yes", NAME, "init", "--yes", "--hook"], { cwd: elsewhere, env });
  expect(fetched.stdout).toContain(`npm install --global ${NAME}`);
  expect(readFileSync(join(elsewhere, ".claude/settings.local.json"), "utf8")).toContain(
    `npx --yes ${NAME}@${version} stop-hook`,
  );
  const stdin = JSON.stringify({ session_id: "s", cwd: elsewhere, hook_event_name: "Stop" });
  const hook = ["npx", "--yes", `${NAME}@${version}`, "stop-hook"];
  expect((await run(hook, { cwd: elsewhere, env, stdin })).stdout).toContain('"decision":"approve"');

  function smoke(...program: readonly string[]) {
    return run([process.execPath, join(ROOT, "scripts/smoke-stop.mjs"), ...program], { cwd: project, env });
  }
});

/** As it is here, uncommitted changes too, with the libraries of this clone. */
function copyOfTheTree(tree: string): string {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 }).split("\0");
  for (const file of files.filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(ROOT, file), join(tree, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  return tree;
}

function nodeForVerdaccio(): string | undefined {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const args = ["--yes", "--package=node@22", "--", "node", "-p", "process.execPath"];
  try {
    return execFileSync("npx", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

/** Has nothing but what is published to it, and knows one owner. */
async function startVerdaccio(node: string, library: string, directory: string) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const config = join(directory, "verdaccio.yaml");
  writeFileSync(
    config,
    `storage: ${join(directory, "storage")}
auth: { htpasswd: { file: ${join(directory, "htpasswd")}, max_users: 1 } }
packages: { "**": { access: $all, publish: $authenticated } }
web: { enable: false }
max_body_size: 200mb
log: { type: stdout, format: json, level: error }
`,
  );
  const program = join(library, "node_modules/verdaccio/bin/verdaccio");
  const server = spawn(node, [program, "--config", config, "--listen", url], { stdio: "ignore" });
  for (let tries = 0; tries < 100 && !(await answers(url)); tries++) await setTimeout(300);
  const owner = { name: "owner", password: "of a test", email: "owner@example.com" };
  const made = await fetch(`${url}/-/user/org.couchdb.user:owner`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(owner),
  });
  const { token } = (await made.json()) as { token: string };
  const npmrc = join(directory, "npmrc");
  writeFileSync(npmrc, `registry=${url}/\n${url.replace("http:", "")}/:_authToken=${token}\n`);
  return { npmrc, [Symbol.asyncDispose]: async () => void server.kill() };
}

function answers(url: string): Promise<boolean> {
  return fetch(`${url}/-/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
