import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { tempDir } from "../rig/temp-dir.ts";

const DIST = resolve(import.meta.dirname, "../../dist/cli");

/** A copy of the program, with a home of its own. */
class Installed implements AsyncDisposable {
  readonly #dir: Awaited<ReturnType<typeof tempDir>>;

  private constructor(dir: Awaited<ReturnType<typeof tempDir>>) {
    this.#dir = dir;
  }

  static async create(): Promise<Installed> {
    const dir = await tempDir();
    await cp(DIST, join(dir.path, "cli"), { recursive: true });
    await mkdir(join(dir.path, "home"));
    return new Installed(dir);
  }

  get main(): string {
    return join(this.#dir.path, "cli/agent-gauntlet/main.cjs");
  }

  get cache(): string {
    return join(this.#dir.path, "home/.cache/agent-gauntlet/code");
  }

  get compiledMain(): string {
    return join(this.cache, encodeURIComponent(this.main).slice(-200));
  }

  /** Asks about a directory without a configuration, which takes no more than the first file. */
  stop(env: Record<string, string> = {}): string {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(this.#dir.path, "cli/agent-gauntlet.cjs"), "stop-hook"],
      {
        cwd: this.#dir.path,
        env: { PATH: process.env["PATH"], HOME: join(this.#dir.path, "home"), ...env },
        input: JSON.stringify({ hook_event_name: "Stop", session_id: "s", cwd: this.#dir.path }),
        encoding: "utf8",
      },
    );
    return status === 0 ? stdout : `exit ${status}: ${stderr}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}

let installed: Installed;

beforeEach(async () => {
  installed = await Installed.create();
});

afterEach(async () => {
  await installed[Symbol.asyncDispose]();
});

describe("compiled code", () => {
  test("is kept once, for its owner alone", async () => {
    expect(installed.stop()).toContain('"status":"no_config"');
    const { mode, mtimeMs, ino } = await stat(installed.compiledMain);

    expect(installed.stop()).toContain('"status":"no_config"');
    expect(mode & 0o777).toBe(0o600);
    expect(await stat(installed.compiledMain)).toMatchObject({ mtimeMs, ino });
    expect(await readdir(installed.cache)).toHaveLength(1);
  });

  test("is never that of another text, though it be as long", async () => {
    installed.stop();
    const text = await readFile(installed.main, "utf8");
    await writeFile(installed.main, text.replaceAll("Not a gauntlet project", "Not a gauntlet_project"));

    expect(installed.stop()).toContain("Not a gauntlet_project");
    expect(installed.stop()).toContain("Not a gauntlet_project");
  });

  test.each([
    ["damaged", (bytes: Buffer) => bytes.map((byte, at) => (at === bytes.length - 100 ? byte ^ 1 : byte))],
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["something else", () => Buffer.from("{}\n")],
  ])("that is %s is made anew", async (_what, spoil) => {
    installed.stop();
    const good = await readFile(installed.compiledMain);
    await writeFile(installed.compiledMain, spoil(good));

    expect(installed.stop()).toContain('"status":"no_config"');
    expect((await readFile(installed.compiledMain)).length).toBeGreaterThan(1000);
    expect(installed.stop()).toContain('"status":"no_config"');
  });

  test("that others could have written is not used", async () => {
    installed.stop();
    await chmod(installed.compiledMain, 0o666);
    expect(installed.stop()).toContain('"status":"no_config"');
    expect((await stat(installed.compiledMain)).mode & 0o777).toBe(0o600);

    const elsewhere = `${installed.cache}-elsewhere`;
    await writeFile(elsewhere, await readFile(installed.compiledMain));
    await rm(installed.compiledMain);
    await symlink(elsewhere, installed.compiledMain);
    expect(installed.stop()).toContain('"status":"no_config"');
    expect((await stat(installed.compiledMain)).ino).not.toBe((await stat(elsewhere)).ino);
  });

  test("can be switched off, and is done without where there is no place for it", async () => {
    expect(installed.stop({ NODE_DISABLE_COMPILE_CACHE: "1" })).toContain('"status":"no_config"');
    expect(installed.stop({ XDG_CACHE_HOME: "/dev/null/nowhere" })).toContain('"status":"no_config"');
    expect(installed.stop({ HOME: "" })).toContain('"status":"no_config"');
    await expect(readdir(installed.cache)).rejects.toThrow("ENOENT");
  });
});
