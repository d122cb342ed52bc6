import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { chmod, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { passFile } from "../rig/state-files.ts";
import { GAUNTLET } from "../rig/program.ts";
import { isAlive, kill, survivors } from "../rig/processes.ts";

const [PROGRAM, ...ITS_ARGS] = GAUNTLET;

const NO_BAD_WORD = "! grep -q BAD a.txt";
const FIRST_STOP = { timeout: 20_000 };

describe("an old pass does not speak for", FIRST_STOP, () => {
  test.each([["--assume-unchanged"], ["--skip-worktree"]])(
    "an edit of a file that is marked %s",
    async (mark) => {
      await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD }, { "a.txt": "fine\n" });
      await project.write({ "b.txt": "new\n" });
      const first = await project.stop();

      await project.git("update-index", mark, "a.txt");
      await project.write({ "a.txt": "BAD\n" });
      const second = await project.stop();

      expect([first.answer.status, second.answer.status]).toEqual(["passed", "failed"]);
      expect(await project.git("ls-files", "-v", "a.txt")).not.toMatch(/^H/);
    },
  );

  test.each([["2"], ["4"]])(
    "a file that was hidden and not there, in an index of version %s",
    async (version) => {
      await using project = await GauntletProject.withChecks(
        { words: "! grep -qs BAD a.txt" },
        { "a.txt": "a\n" },
      );
      await project.git("update-index", "--index-version", version);
      await project.git("update-index", "--skip-worktree", "a.txt");
      await rm(join(project.root, "a.txt"));
      await project.write({ "b.txt": "new\n" });
      const first = await project.stop();
      const again = await project.stop();

      await project.write({ "a.txt": "BAD\n" });
      const second = await project.stop();

      expect([first.answer.status, second.answer.status]).toEqual(["passed", "failed"]);
      expect(again.answer.message).toContain("nothing changed");
    },
  );

  test("another file of the same size and time, in a repository that looks at nothing else", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD }, { "a.txt": "one\n" });
    await project.git("config", "core.trustctime", "false");
    await project.git("config", "core.checkStat", "minimal");
    await putOldFile(project, "a.txt", "two\n");
    await project.git("add", "--all");
    const first = await project.stop();

    await putOldFile(project, "a.txt", "BAD\n");
    const second = await project.stop();

    expect([first.answer.status, second.answer.status]).toEqual(["passed", "failed"]);
  });

  test.each(["--refresh", "--skip-worktree"])(
    "a file out of reach behind links in a circle, %s",
    async (mark) => {
      await using project = await GauntletProject.withChecks(
        { there: "test -f d/a.txt" },
        { "d/a.txt": "a\n" },
      );
      await project.write({ "b.txt": "new\n" });
      await project.git("update-index", mark, "d/a.txt");
      const first = await project.stop();

      await rm(join(project.root, "d"), { recursive: true });
      await symlink("d", join(project.root, "d"));
      const second = await project.stop();

      expect([first.answer.status, second.answer.status]).toEqual(["passed", "failed"]);
    },
  );

  test("a mode change, with core.fileMode off", async () => {
    await using project = await GauntletProject.withChecks({ runs: "test -x a.txt" }, { "a.txt": "x\n" });
    await chmod(join(project.root, "a.txt"), 0o755);
    await project.write({ "b.txt": "new\n" });
    await project.git("add", "--all");
    const first = await project.stop();

    await project.git("config", "core.fileMode", "false");
    await chmod(join(project.root, "a.txt"), 0o644);
    const second = await project.stop();

    expect([first.answer.status, second.answer.status]).toEqual(["passed", "failed"]);
  });
});

test("a pass of a tree with a name that is no text is known again", FIRST_STOP, async ({ skip }) => {
  skip(process.platform === "darwin", "its file system has only names that are text");
  await using project = await GauntletProject.withChecks({ green: "true" });
  await writeFile(Buffer.concat([Buffer.from(`${project.root}/`), Buffer.from([0xff])]), "new\n");
  await project.stop();

  const { answer } = await project.stop();

  expect(answer.message).toContain("nothing changed");
});

test("a pass is known again where git writes its index in another way", FIRST_STOP, async () => {
  await using project = await GauntletProject.withChecks({ green: "true" });
  await project.git("update-index", "--index-version", "4");
  await project.write({ "a.txt": "new\n" });
  await project.stop();

  const { answer } = await project.stop();

  expect(answer.message).toContain("nothing changed");
});

test.each([".git/index", ".git/HEAD", ".gitignore"])(
  "a pipe in the place of %s holds git, but does not make the hook deaf, and no git is left",
  FIRST_STOP,
  async (file) => {
    await using project = await GauntletProject.withChecks({ red: "exit 1" });
    await rm(join(project.root, file), { force: true });
    await run(["mkfifo", file], { cwd: project.root, env: cleanEnv(project.home) });
    await project.write({ ".gauntlet/config.yml": "checks:\n  red: exit 1\nstop_hook:\n  timeout: 2\n" });

    const { answer } = await project.stop({}, { env: { HELD_BY: project.home } });

    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(await processesWith(`HELD_BY=${project.home}`)).toBe("");
  },
);

test.skipIf(process.platform !== "linux")(
  "a git that a pipe holds when the hook is killed is ended by the next stop",
  FIRST_STOP,
  async () => {
    await using project = await GauntletProject.withChecks({ green: "true" });
    await project.write({ "a.txt": "new\n" });
    await project.stop(); // the next one asks whether anything changed, before it has the lock
    await run(["mkfifo", ".gitignore"], { cwd: project.root, env: cleanEnv(project.home) });
    const marker = `HELD_BY_A_PIPE=${project.home}`;
    let pid = 0;
    const env = { HELD_BY_A_PIPE: project.home };
    const killed = project.gauntlet(["stop-hook"], {
      stdin: JSON.stringify({ session_id: "session-1", cwd: project.root }),
      env,
      onSpawn: (own) => (pid = own),
    });
    await expect.poll(() => held(marker)).not.toEqual([]);
    kill(pid, "SIGKILL");
    await Promise.race([killed, gone(pid)]);
    expect(held(marker)).not.toEqual([]);
    await rm(join(project.root, ".gitignore"));

    const { answer } = await project.stop();

    expect(answer.status).toBe("passed");
    expect(held(marker)).toEqual([]);
    await killed;
  },
);

test("a pipe in the place of .git does not hold the gate", FIRST_STOP, async () => {
  await using project = await GauntletProject.withChecks({ red: "exit 1" });
  await rm(join(project.root, ".git"), { recursive: true });
  await run(["mkfifo", ".git"], { cwd: project.root, env: cleanEnv(project.home) });

  const { answer } = await project.stop();

  expect(answer.status).toBe("failed");
});

test(
  "an edit of a hidden file is a change, and the hidden file stays hidden for its owner",
  FIRST_STOP,
  async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD }, { "a.txt": "fine\n" });
    await project.git("update-index", "--assume-unchanged", "a.txt");
    await project.write({ "a.txt": "BAD\n" });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(await project.git("status", "--porcelain", "a.txt")).toBe("");
  },
);

describe("a git that never answers", FIRST_STOP, () => {
  test("holds the hook no longer than its deadline, and is ended with all its children", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD });
    await project.write({
      ".gauntlet/config.yml": `checks:\n  words: "${NO_BAD_WORD}"\nstop_hook:\n  timeout: 2\n`,
    });
    const { PATH, marker } = await hangingGit(project);

    const { answer, exitCode } = await project.stop({}, { env: { PATH } });

    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.systemMessage).toContain("The stop was not checked.");
    expect(await processesWith(marker)).toBe("");
  });

  test.each(["SIGTERM", "SIGQUIT", "SIGUSR2", "SIGALRM", "SIGXCPU"] as const)(
    "does not make the hook deaf: %s ends both, with an answer",
    async (signal) => {
      await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD });
      const { PATH, marker, started } = await hangingGit(project);
      const env = { ...cleanEnv(project.home), PATH };
      const hook = spawn(PROGRAM, [...ITS_ARGS, "stop-hook"], { cwd: project.root, env });
      const answered = new Promise<string>((resolve) => {
        const pieces: Buffer[] = [];
        hook.stdout.on("data", (piece: Buffer) => pieces.push(piece));
        hook.stdout.once("end", () => resolve(Buffer.concat(pieces).toString()));
      });
      hook.stdin.end(JSON.stringify({ session_id: "s", cwd: project.root }));
      await run(["cat", started], { cwd: project.root, env: cleanEnv(project.home) }); // a pipe: opens when git has begun

      hook.kill(signal);
      const [exitCode] = await once(hook, "exit");

      expect(exitCode).toBe(0);
      expect(JSON.parse(await answered)).toMatchObject({ decision: "approve", status: "error" });
      expect(await processesWith(marker)).toBe("");
    },
  );
});

describe("in the place of a file of ours", FIRST_STOP, () => {
  const FILES = [
    "gauntlet_logs/.gauntlet-run.lock",
    "gauntlet_logs/.state/session-session-1.json",
    "gauntlet_logs/.state/groups",
  ];
  const THINGS = {
    "a pipe": (path: string) => run(["mkfifo", path], { cwd: "/", env: cleanEnv("/") }),
    "a link to somewhere": (path: string) => symlink("/etc/hosts", path),
    "a link to nowhere": (path: string) => symlink("nowhere", path),
    "a directory": (path: string) => mkdir(join(path, "in"), { recursive: true }),
    "a huge file": (path: string) => writeFile(path, "").then(() => truncate(path, 3 * 1024 ** 3)),
  };

  test.each(Object.entries(THINGS))("%s neither holds nor opens the gate", async (_, put) => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD }, { "a.txt": "fine\n" });
    await project.write({ "a.txt": "BAD\n" });
    await mkdir(join(project.root, "gauntlet_logs/.state"), { recursive: true });
    for (const file of FILES) {
      await rm(join(project.root, file), { force: true });
      await put(join(project.root, file));
    }

    const { answer, exitCode } = await project.stop();

    expect(exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("a pipe for each file of the project's state outside of it does neither", async () => {
    await using project = await GauntletProject.withChecks({ words: NO_BAD_WORD }, { "a.txt": "fine\n" });
    await project.write({ "a.txt": "better\n" });
    await project.stop();
    const kept = dirname(passFile(project));
    const files = readdirSync(kept, { withFileTypes: true }).filter((entry) => entry.isFile());
    const names = ["lock", ...files.map(({ name }) => name)]; // the first is there only during a run
    for (const name of names) {
      await rm(join(kept, name), { force: true });
      await THINGS["a pipe"](join(kept, name));
    }
    await project.write({ "a.txt": "BAD\n" });

    const { answer } = await project.stop();

    expect(names).toEqual(expect.arrayContaining(["ledger.jsonl", "pass.json"]));
    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });
});

/** A new file in the place of the old one, with the same time at every call. */
async function putOldFile(project: GauntletProject, name: string, content: string): Promise<void> {
  const draft = join(project.home, "draft");
  await writeFile(draft, content);
  await utimes(draft, LONG_AGO, LONG_AGO);
  await rename(draft, join(project.root, name));
}

const LONG_AGO = new Date("2020-01-01T00:00:00Z");

/** A `git` first on the PATH that says it has started, through a pipe, and then sleeps with a child that carries a mark. */
async function hangingGit(project: GauntletProject) {
  const bin = join(project.home, "bin");
  const started = join(project.home, "started");
  const marker = `HANGING_GIT_OF=${project.home}`;
  const script = `#!/bin/sh\nexport ${marker}\n[ -p ${started} ] && (echo > ${started}) &\nsleep 600 &\nsleep 600\n`;
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "git"), script, { mode: 0o755 });
  await run(["mkfifo", started], { cwd: project.home, env: cleanEnv(project.home) });
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}`, marker, started };
}

/** The processes with a mark that wait for the other end of a pipe, as the kernel says. */
function held(marker: string): readonly number[] {
  return survivors(marker).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/wchan`, "utf8") === "wait_for_partner";
    } catch {
      return false; // it has just ended
    }
  });
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid)).toBe(false);
}

/** The pids of living processes that carry a variable. */
async function processesWith(marker: string): Promise<string> {
  const found = await run(["sh", "-c", `grep -lsz '^${marker}$' /proc/[0-9]*/environ || true`], {
    cwd: "/",
    env: cleanEnv("/"),
  });
  return found.stdout;
}
