import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsdown";
import { expect, test } from "vitest";
import { tempDir } from "../rig/temp-dir.ts";

const ENTRY = fileURLToPath(new URL("../../dist/sdk.mjs", import.meta.url));

test("loads nothing but itself and Node at first", () => {
  const { packages, bytes } = staticImports(ENTRY);

  expect(packages.filter((name) => !name.startsWith("node:"))).toEqual([]);
  expect(bytes).toBeLessThan(100_000);
});

test("a program that only wants a stop hook gets neither the workspace nor processes nor the engine", async () => {
  const code = await bundle(
    `import { createStopHook } from ${JSON.stringify(ENTRY)}; globalThis.hook = createStopHook;`,
  );

  expect(code).toContain("stop_hook.max_retries_exceeded");
  expect(code).not.toMatch(/mkdtemp|child_process|executeRun|claude-agent-sdk|^import /m);
});

test("works without the Agent SDK, which only createValidateCompletionServer asks for", async () => {
  const sdk = await import("../../src/sdk/index.ts");
  const context = new sdk.HookContext({ session: new sdk.Session() });

  expect(sdk.createHooks(context)).toHaveProperty("Stop");
  await expect(sdk.createValidateCompletionServer(context)).rejects.toThrow("@anthropic-ai/claude-agent-sdk");
});

test("the package is small enough for everybody's dependencies", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const listing = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(listing) as { size: number; files: { path: string }[] }[];

  expect(packed?.files.map(({ path }) => path)).toContain("dist/cli/agent-gauntlet.cjs");
  expect(packed?.size).toBeLessThan(900_000);
});

test("the lock file holds every optional package, without which `npm ci` refuses a clean clone", () => {
  const file = fileURLToPath(new URL("../../package-lock.json", import.meta.url));
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Locked> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !placesOf(name, path).some((one) => one in packages)),
  );

  expect(missing).toEqual([]);
});

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Where npm may put what a package depends on: in it, or in those above. */
function placesOf(name: string, path: string): readonly string[] {
  const above = path.lastIndexOf("node_modules/");
  const here = `${path === "" ? "" : `${path}/`}node_modules/${name}`;
  return path === "" ? [here] : [here, ...placesOf(name, path.slice(0, Math.max(0, above - 1)))];
}

test("the package is small, needs no other, and has neither the native programs nor pages for people who change the code", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as [{ size: number; files: { path: string }[] }]; // as npm prints it
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object; // our own

  expect(packed.size).toBeLessThanOrEqual(900_000);
  expect(Object.keys(manifest)).not.toContain("dependencies");
  const names = packed.files.map(({ path }) => path).join("\n");
  expect(names).toMatch(/^docs\/install\.md$/m);
  expect(names).not.toMatch(
    /^(?:dist\/(?:native|npm|release)|docs\/(?:decisions|ARCHITECTURE|PERFORMANCE|dictionary))/m,
  );
});

/** Every module that importing a file imports at once, and how much of it is ours. */
function staticImports(file: string, seen = new Set<string>()): { packages: string[]; bytes: number } {
  if (seen.has(file)) return { packages: [], bytes: 0 };
  seen.add(file);
  const code = readFileSync(file, "utf8");
  const specifiers = [...code.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"/gm)].map(
    ([, name = ""]) => name,
  );
  const ours = specifiers
    .filter((name) => name.startsWith("."))
    .map((name) => staticImports(fileURLToPath(new URL(name, `file://${file}`)), seen));
  return {
    packages: [
      ...specifiers.filter((name) => !name.startsWith(".")),
      ...ours.flatMap(({ packages }) => packages),
    ],
    bytes: code.length + ours.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function bundle(program: string): Promise<string> {
  await using directory = await tempDir();
  const entry = join(directory.path, "program.mjs");
  await writeFile(entry, program);
  const [built] = await build({
    config: false,
    cwd: directory.path,
    entry,
    format: "esm",
    platform: "node",
    dts: false,
    write: false,
    logLevel: "silent",
    deps: { onlyBundle: false },
  });
  return built?.chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n") ?? "";
}
