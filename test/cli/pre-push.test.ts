import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";

const READY = 'test "$(cat state.txt)" = fixed';
const HOOK = ".git/hooks/pre-push";

/** A repository with the hook installed and a remote to push to. */
async function withRemote(files: Readonly<Record<string, string>> = {}): Promise<GauntletProject> {
  const repo = await GauntletProject.withChecks({ ready: READY }, { "state.txt": "fixed", ...files });
  await repo.git("init", "--quiet", "--bare", "../remote.git");
  await repo.git("remote", "add", "origin", "../remote.git");
  await repo.git("push", "--quiet", "origin", "main");
  return repo;
}

async function installed(): Promise<GauntletProject> {
  const repo = await withRemote();
  expect(await repo.gauntlet(["install", "--git-hook", "--yes"])).toMatchObject({ exitCode: 0 });
  return repo;
}

function push(repo: GauntletProject, ...args: readonly string[]): Promise<Finished> {
  return run(["git", "push", ...args], { cwd: repo.root, env: cleanEnv(repo.home) });
}

async function remoteHas(repo: GauntletProject, revision: string, ref: string): Promise<boolean> {
  const [here, there] = await Promise.all([
    repo.git("rev-parse", revision),
    repo.git("ls-remote", "origin", ref).then((text) => text.split("\t")[0]),
  ]);
  return here.trim() === there;
}

test("a push of files that passed goes through; one of files that did not is refused, forced or not", async () => {
  await using repo = await installed();
  await repo.write({ "a.txt": "1" });
  await repo.stop();
  await repo.commit("passed");
  const good = await push(repo, "origin", "main");
  await repo.write({ "a.txt": "2" });
  await repo.commit("never judged");
  const refused = await push(repo, "origin", "main");
  await repo.git("commit", "--quiet", "--amend", "--message", "rewritten");
  const forced = await push(repo, "--force", "origin", "main");
  const isThereNow = await remoteHas(repo, "HEAD", "refs/heads/main");
  const unverified = await push(repo, "--no-verify", "--force", "origin", "main");

  expect(good.exitCode).toBe(0);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("✗ refs/heads/main");
  expect(refused.stderr).toContain("agent-gauntlet run");
  expect([forced.exitCode, isThereNow]).toEqual([1, false]);
  expect([unverified.exitCode, await remoteHas(repo, "HEAD", "refs/heads/main")]).toEqual([0, true]);
});

test("a forced push of rewritten history goes through when its files passed", async () => {
  await using repo = await installed();
  await repo.write({ "a.txt": "1" });
  await repo.gauntlet(["run"]);
  await repo.commit("first");
  await push(repo, "origin", "main");
  await repo.git("commit", "--quiet", "--amend", "--message", "rewritten");

  expect(await push(repo, "--force", "origin", "main")).toMatchObject({ exitCode: 0 });
});

test("every pushed ref is looked at; deleted ones, notes and what the remote has already are allowed", async () => {
  await using repo = await installed();
  await repo.write({ "a.txt": "1" });
  await repo.gauntlet(["run"]);
  await repo.commit("passed");
  await repo.git("tag", "--annotate", "--message", "v1", "v1", "HEAD");
  await repo.git("branch", "good");
  await repo.write({ "a.txt": "2" });
  await repo.commit("not judged");
  await repo.git("branch", "bad");
  await repo.git("notes", "--ref=gauntlet", "add", "--message", "a note", "HEAD");

  const both = await push(repo, "origin", "good", "bad");
  const tag = await push(repo, "origin", "v1");
  const notes = await push(repo, "origin", "refs/notes/gauntlet");
  const known = await push(repo, "origin", "origin/main:refs/heads/copy");
  const deleted = await push(repo, "origin", "--delete", "copy");

  expect(both).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/✗ refs\/heads\/bad/) });
  expect(both.stderr).not.toContain("✗ refs/heads/good");
  expect([tag, notes, known, deleted].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
});

test("what the remote has is asked of the remote, not of refs that anything here can write", async () => {
  await using repo = await installed();
  await repo.write({ "state.txt": "broken" });
  await repo.commit("red");
  await repo.git("update-ref", "refs/remotes/origin/zzz", "HEAD");

  const forged = await push(repo, "origin", "main");
  await push(repo, "origin", "HEAD:refs/notes/red");
  await repo.git("fetch", "--quiet", "origin", "refs/notes/red:refs/remotes/origin/red");
  const asNote = await push(repo, "origin", "main");
  await repo.git("remote", "set-url", "origin", "../gone.git");
  await repo.git("remote", "set-url", "--push", "origin", "../remote.git");
  await repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const elsewhere = await push(repo, "origin", "main");

  expect([forged, asNote, elsewhere].map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  expect(forged.stderr).toContain("✗ refs/heads/main");
});

test("where the remote is silent, only the tracking ref of the base branch counts", async () => {
  await using repo = await withRemote({ "other.txt": "" });
  await repo.git("remote", "set-url", "origin", "../gone.git");
  await repo.write({ "state.txt": "broken" });
  await repo.commit("red");
  await repo.git("update-ref", "refs/remotes/origin/zzz", "HEAD");
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  const line = (ref: string): string => `${ref} ${head} ${ref} ${"0".repeat(40)}\n`;
  const verify = (): Promise<Finished> =>
    repo.gauntlet(["verify", "--pre-push", "origin"], { stdin: line("refs/heads/main") });

  const other = await verify();
  await repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const base = await verify();

  expect(other.exitCode).toBe(1);
  expect(base).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("origin has it already") });
});

test("a tag of a tree is not work", async () => {
  await using repo = await installed();
  await repo.git("tag", "--annotate", "--message", "a tree", "files", "HEAD^{tree}");

  const pushed = await push(repo, "origin", "files");

  expect(pushed).toMatchObject({ exitCode: 0 });
});

test("a project below the top of its repository is found by the hook", async () => {
  await using repo = await GauntletProject.create({ "app/.gauntlet/config.yml": "checks: { ok: 'true' }\n" });
  await repo.commit("start");
  await repo.git("init", "--quiet", "--bare", "../remote.git");
  await repo.git("remote", "add", "origin", "../remote.git");
  const app = repo.at("app");
  await app.gauntlet(["install", "--git-hook", "--yes"]);
  await app.write({ "a.txt": "" });
  await app.commit("not judged");

  const refused = await push(repo, "origin", "main");
  await app.write({ "b.txt": "" });
  await app.gauntlet(["run"]);
  await app.commit("judged");

  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no verdict is recorded") });
  expect(await push(repo, "origin", "main")).toMatchObject({ exitCode: 0 });
});

test("only adds: a shell script that is there still runs, and reads the same lines", async () => {
  await using repo = await withRemote();
  await repo.write({ [HOOK]: '#!/bin/sh\nwhile read -r ref _; do echo "theirs: $ref" >&2; done\nexit 0\n' });
  chmodSync(join(repo.root, HOOK), 0o755);
  const before = repo.read(HOOK);

  await repo.gauntlet(["install", "--git-hook", "--yes"]);
  const text = repo.read(HOOK);
  const again = await repo.gauntlet(["install", "--git-hook", "--yes"]);
  await repo.write({ "a.txt": "1" });
  await repo.gauntlet(["run"]);
  await repo.commit("passed");
  const good = await push(repo, "origin", "main");
  await repo.write({ "a.txt": "2" });
  await repo.commit("not judged");

  expect(text.replace(/^# agent-gauntlet: begin[^]*^# agent-gauntlet: end\n/m, "")).toBe(before);
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("nothing to change") });
  expect(repo.read(HOOK)).toBe(text);
  expect(good).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("theirs: refs/heads/main") });
  expect(await push(repo, "origin", "main")).toMatchObject({ exitCode: 1 });
});

test("uninstall takes out what install added, and the file with it where nothing else is in it", async () => {
  await using repo = await withRemote();
  await repo.gauntlet(["install", "--git-hook", "--yes"]);
  const dry = await repo.gauntlet(["uninstall", "--git-hook", "--dry-run"]);
  const wasThere = repo.has(HOOK);
  await repo.gauntlet(["uninstall", "--git-hook", "--yes"]);
  const isThere = repo.has(HOOK);
  await repo.write({ [HOOK]: "#!/bin/sh\necho theirs\n" });
  await repo.gauntlet(["install", "--git-hook", "--yes"]);
  await repo.gauntlet(["uninstall", "--git-hook", "--yes"]);
  const again = await repo.gauntlet(["uninstall", "--git-hook", "--yes"]);

  expect([dry.exitCode, wasThere, isThere]).toEqual([0, true, false]);
  expect(repo.read(HOOK)).toBe("#!/bin/sh\necho theirs\n");
  expect(again).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("has no lines of agent-gauntlet"),
  });
});

test("uninstall takes our lines out of every git hook, or out of the one that is named", async () => {
  await using repo = await withRemote({});
  const commitHook = ".git/hooks/pre-commit";
  await repo.gauntlet(["install", "--git-hook", "--yes"]);
  await repo.gauntlet(["install", "--git-hook", "pre-commit", "--yes"]);

  await repo.gauntlet(["uninstall", "--git-hook", "pre-commit", "--yes"]);
  const named = [repo.has(HOOK), repo.has(commitHook)];
  await repo.gauntlet(["install", "--git-hook", "pre-commit", "--yes"]);
  const both = await repo.gauntlet(["uninstall", "--git-hook", "--yes"]);

  expect(named).toEqual([true, false]);
  expect([repo.has(HOOK), repo.has(commitHook)]).toEqual([false, false]);
  expect(both.stdout).toContain(`✓ Our lines are out of ${HOOK}.`);
  expect(both.stdout).toContain(`✓ Our lines are out of ${commitHook}.`);
});

test.for([
  ["lefthook", '#!/bin/sh\n\nif [ "$LEFTHOOK" = "0" ]; then exit 0; fi\ncall_lefthook run "pre-push" "$@"\n'],
  [
    "pre-commit",
    "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\nexec pre-commit hook-impl\n",
  ],
  ["not a shell script", "#!/usr/bin/env python3\nprint('hi')\n"],
] as const)("the hook of %s is left alone and named", async ([who, text]) => {
  await using repo = await withRemote({});
  await repo.write({ [HOOK]: text });

  const done = await repo.gauntlet(["install", "--git-hook", "--yes"]);

  expect(done.exitCode).toBe(1);
  expect(done.stderr).toContain(".git/hooks/pre-push is left alone");
  expect(done.stderr).toContain(who);
  expect(done.stderr).toMatch(/verify --pre-push/);
  expect(repo.read(HOOK)).toBe(text);
});

test("where git looks for hooks elsewhere, as husky has it, nothing is written", async () => {
  await using repo = await withRemote();
  await repo.git("config", "core.hooksPath", ".husky/_");

  const done = await repo.gauntlet(["install", "--git-hook", "--yes"]);

  expect(done).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(".husky/_/pre-push is left alone"),
  });
  expect([repo.has(HOOK), repo.has(".husky")]).toEqual([false, false]);
});

test("--dry-run shows the change and makes none; the new hook can be run", async () => {
  await using repo = await withRemote();

  const dry = await repo.gauntlet(["install", "--git-hook", "--dry-run"]);
  const isThere = repo.has(HOOK);
  await repo.gauntlet(["install", "--git-hook", "--yes"]);

  expect(dry).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("+ #!/bin/sh") });
  expect(isThere).toBe(false);
  expect(statSync(join(repo.root, HOOK)).mode & 0o111).toBe(0o111);
});

test("outside of a repository it says so", async () => {
  await using plain = await GauntletProject.create({}, { git: false });

  expect(await plain.gauntlet(["install", "--git-hook", "--yes"])).toMatchObject({ exitCode: 1 });
});
