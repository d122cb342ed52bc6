import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const NAME = (name: string, command = "true"): string => `checks:\n  ${name}: '${command}'\n`;

/** A project whose settings are in the cache: files are remembered only when they are older than a tick of the clock. */
async function cachedProject(command = "true"): Promise<GauntletProject> {
  const config = NAME("one", command);
  const project = await GauntletProject.create({ ".gauntlet/config.yml": config, a: "1" });
  await project.commit("start");
  await project.write({ a: "2" });
  await vi.waitUntil(async () => (await planned(project)) && (await cacheFiles(project)).length === 1, {
    timeout: 20_000,
    interval: 500,
  });
  return project;
}

async function planned(project: GauntletProject, env: Record<string, string> = {}): Promise<string> {
  return (await project.gauntlet(["detect"], { env })).stdout;
}

function cacheDir(project: GauntletProject): string {
  return join(project.home, ".cache/agent-gauntlet/settings");
}

function cacheFiles(project: GauntletProject): Promise<string[]> {
  return readdir(cacheDir(project)).catch(() => []);
}

/** What the cache says, changed so that one can tell whether it is believed. */
function rewriteCache(project: GauntletProject, rewrite: (json: string) => string): Promise<void> {
  return damageCache(project, (text) => {
    const json = rewrite(text.slice(text.indexOf("\n") + 1));
    return `${createHash("sha256").update(json).digest("hex")}\n${json}`;
  });
}

async function damageCache(project: GauntletProject, damage: (text: string) => string): Promise<void> {
  const [name = ""] = await cacheFiles(project);
  const path = join(cacheDir(project), name);
  await writeFile(path, damage(await readFile(path, "utf8")));
}

describe.concurrent("the cache of validated settings", () => {
  test("is used while every file is the same, and belongs to its owner alone", async () => {
    await using project = await cachedProject();
    await rewriteCache(project, (text) => text.replaceAll('"one"', '"cached"'));

    expect(await planned(project)).toContain("check:.:cached");
    const [name = ""] = await cacheFiles(project);
    expect((await stat(join(cacheDir(project), name))).mode & 0o77).toBe(0);
    expect((await stat(cacheDir(project))).mode & 0o77).toBe(0);
  });

  test.for<[string, (project: GauntletProject) => Promise<unknown>]>([
    [
      "an edit of the same size and time",
      keepingTime((project) => project.write({ ".gauntlet/config.yml": NAME("two") })),
    ],
    ["another file in its place", (project) => replaceConfig(project)],
    ["a new check file", (project) => project.write({ ".gauntlet/checks/two.yml": "command: 'true'\n" })],
    ["a new personal configuration", (project) => personalConfig(project)],
  ])("is not used after %s", async ([, change]) => {
    await using project = await cachedProject();
    await rewriteCache(project, (text) => text.replaceAll('"one"', '"cached"'));

    await change(project);

    expect(await planned(project)).not.toContain("cached");
  });

  test.for<[string, (text: string) => string]>([
    ["cut short", (text) => text.slice(0, -10)],
    ["of another version", (text) => text.replace(/"key":"\[\\"[^"]*/, '"key":"[\\"0.0.0\\')],
    ["of another shape", () => '{"key":1}'],
    ["not an object", () => "null"],
  ])("is ignored when it is %s", async ([, rewrite]) => {
    await using project = await cachedProject();

    await rewriteCache(project, (text) => rewrite(text.replaceAll('"one"', '"cached"')));

    expect(await planned(project)).toContain("check:.:one");
  });

  test.for<[string, (text: string) => string]>([
    ["has no stamps", (text) => text.replace(/"stamps":\[.*?\]/, '"stamps":[null]')],
    ["has no gates", (text) => text.replace(/"entryPoints":\[.*\](?=,"rerun)/, '"entryPoints":[]')],
    ["has settings of another type", (text) => text.replace(/"stopHook":\{[^}]*\}/, '"stopHook":0')],
    ["lost its first line", (text) => text.slice(text.indexOf("\n") + 1)],
  ])("is read anew when it is damaged and %s", async ([, damage]) => {
    await using project = await cachedProject("exit 1");
    const [name = ""] = await cacheFiles(project);
    const before = await readFile(join(cacheDir(project), name), "utf8");

    await damageCache(project, damage);
    const damaged = await readFile(join(cacheDir(project), name), "utf8");
    const { answer } = await project.stop();

    expect(damaged).not.toBe(before);
    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("leaves the last word to the environment", async () => {
    await using project = await cachedProject();

    const off = await project.stop({}, { env: { GAUNTLET_STOP_HOOK_ENABLED: "0" } });
    const on = await project.stop();

    expect([off.answer.status, on.answer.status]).toEqual(["stop_hook_disabled", "passed"]);
  });

  test("is done without where it cannot be written", async () => {
    await using project = await cachedProject();
    await rm(join(project.home, ".cache"), { recursive: true });
    await writeFile(join(project.home, ".cache"), "in the way");

    expect(await planned(project)).toContain("check:.:one");
  });
});

function keepingTime(change: (project: GauntletProject) => Promise<unknown>) {
  return async (project: GauntletProject): Promise<void> => {
    const path = join(project.root, ".gauntlet/config.yml");
    const { atime, mtime } = await stat(path);
    await change(project);
    await utimes(path, atime, mtime);
  };
}

async function replaceConfig(project: GauntletProject): Promise<void> {
  await project.write({ "other.yml": NAME("two") });
  await rename(join(project.root, "other.yml"), join(project.root, ".gauntlet/config.yml"));
}

async function personalConfig(project: GauntletProject): Promise<void> {
  await mkdir(join(project.home, ".config/agent-gauntlet"), { recursive: true });
  await writeFile(join(project.home, ".config/agent-gauntlet/config.yml"), "stop_hook:\n  enabled: true\n");
}
