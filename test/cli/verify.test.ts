import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outputSchema } from "../schema/json-schema.ts";
import { type Finished, GauntletProject } from "../rig/gauntlet-project.ts";

const READY = 'test "$(cat state.txt)" = fixed';

async function project(
  checks: Readonly<Record<string, string>> = { ready: READY },
): Promise<GauntletProject> {
  return GauntletProject.withChecks(checks, { "state.txt": "" });
}

/** A project whose files passed, and were then committed. */
async function passed(): Promise<GauntletProject> {
  const repo = await project();
  await repo.write({ "state.txt": "fixed" });
  await repo.stop();
  await repo.commit("done");
  return repo;
}

function said({ stdout, stderr }: Finished): string {
  return stdout + stderr;
}

test("a commit whose files passed is verified; one byte more and it is not", async () => {
  await using repo = await passed();

  const head = await repo.gauntlet(["verify", "HEAD"]);
  const tree = await repo.gauntlet(["verify"]);
  await repo.write({ "new.txt": "" });
  const more = await repo.gauntlet(["verify"]);
  await repo.commit("more");
  const next = await repo.gauntlet(["verify", "HEAD"]);
  const before = await repo.gauntlet(["verify", "HEAD~1"]);

  expect(head).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^✓ HEAD \(\w{7}\): passed at .+ \(claude-code\)\.\n$/),
  });
  expect([tree.exitCode, more.exitCode, next.exitCode, before.exitCode]).toEqual([0, 1, 1, 0]);
  expect(said(more)).toContain(
    "✗ the work tree: no verdict is recorded for these files. Run `agent-gauntlet run` to check them.",
  );
});

test("a verdict with other gates does not count, neither those of the commit nor those here", async () => {
  await using repo = await passed();
  await repo.write({ ".gauntlet/config.yml": "checks: { ready: 'true' }\n" });

  const here = await repo.gauntlet(["verify"]);
  const there = await repo.gauntlet(["verify", "HEAD"]);
  await repo.commit("weaker");
  const weaker = await repo.gauntlet(["verify", "HEAD"]);

  expect([here.exitCode, there.exitCode, weaker.exitCode]).toEqual([1, 0, 1]);
});

test("where the configuration is not committed, the gates in the work tree count", async () => {
  await using repo = await GauntletProject.create({ ".gitignore": ".gauntlet\n", "a.txt": "" });
  await repo.commit("start");
  await repo.write({ ".gauntlet/config.yml": "checks: { one: 'true' }\n", "a.txt": "1" });
  await repo.gauntlet(["run"]);
  await repo.commit("done");

  const same = await repo.gauntlet(["verify", "HEAD"]);
  await repo.write({ ".gauntlet/config.yml": "checks: { two: 'true' }\n" });
  const other = await repo.gauntlet(["verify", "HEAD"]);

  expect(same.exitCode).toBe(0);
  expect(said(other)).toContain("these files were judged, but by other gates");
});

test("a run of some gates proves nothing, and a later failure takes a pass back", async () => {
  await using part = await project();
  await part.write({ "state.txt": "fixed" });
  await part.gauntlet(["check"]);
  await using flaky = await project({ flaky: 'test ! -e "$HOME/broken"' });
  await flaky.write({ "a.txt": "" });
  await flaky.gauntlet(["run"]);
  const before = await flaky.gauntlet(["verify"]);
  writeFileSync(join(flaky.home, "broken"), "");
  await flaky.gauntlet(["run"]);

  expect(said(await part.gauntlet(["verify"]))).toContain("only some gates were run on these files");
  expect(before.exitCode).toBe(0);
  expect(said(await flaky.gauntlet(["verify"]))).toContain("the last verdict on these files is failed");
});

test("--run runs what is missing, where the work tree holds these files", async () => {
  await using repo = await project();
  await repo.write({ "state.txt": "fixed" });

  const run = await repo.gauntlet(["verify", "--run"]);
  const again = await repo.gauntlet(["verify", "--run"]);
  await repo.write({ "state.txt": "broken" });
  const red = await repo.gauntlet(["verify", "--run"]);
  const elsewhere = await repo.gauntlet(["verify", "HEAD", "--run"]);

  expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("[PASS] ready") });
  expect(again.stdout).not.toContain("[PASS]");
  expect(red).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("the last verdict on these files is failed"),
  });
  expect(elsewhere).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("the work tree holds other files"),
  });
});

test("a ledger that was changed after the pass does not vouch for it", async () => {
  await using repo = await passed();
  await repo.stop();
  const state = join(repo.home, ".local/state/agent-gauntlet/projects");
  const file = join(state, readdirSync(state)[0] ?? "", "ledger.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"ms":\d+/g, '"ms":7'));

  const verified = await repo.gauntlet(["verify", "HEAD"]);

  expect(verified.exitCode).toBe(1);
  expect(said(verified)).toContain("of the ledger is not as it was written");
});

test("a project below the top of its repository is verified like any other", async () => {
  await using repo = await GauntletProject.create({
    "app/.gauntlet/config.yml": "checks: { ok: 'true' }\n",
    "lib/a.txt": "",
  });
  await repo.commit("start");
  const app = repo.at("app");
  await app.write({ "a.txt": "" });
  await app.gauntlet(["run"]);
  await app.commit("done");

  expect(await app.gauntlet(["verify", "HEAD"])).toMatchObject({ exitCode: 0 });
});

test("speaks JSON, also when it cannot do its work", async () => {
  await using repo = await passed();
  await using empty = await GauntletProject.create();

  expect(outputSchema().parse(await repo.json(["verify", "HEAD"]))).toMatchObject({
    verified: true,
    subjects: [
      { name: "HEAD", verified: true, verdict: { status: "passed", host: "claude-code", whole: true } },
    ],
  });
  expect(outputSchema().parse(await repo.json(["verify", "HEAD~1"]))).toMatchObject({
    verified: false,
    subjects: [{ verified: false, reason: "no verdict is recorded for these files", verdict: null }],
  });
  expect(outputSchema().parse(await repo.json(["verify", "nowhere"]))).toMatchObject({ status: "error" });
  expect(outputSchema().parse(await empty.json(["verify"]))).toMatchObject({ status: "no_config" });
});

test("why files cannot be verified is said as it is", async () => {
  await using repo = await passed();
  await repo.write({ "inner/a.txt": "" });
  await repo.at("inner").git("init", "--quiet");
  await repo.at("inner").commit("its own");

  const inner = await repo.gauntlet(["verify"]);
  const noRoom = await repo.gauntlet(["verify"], { env: { TMPDIR: "/nowhere" } });

  expect(inner.stderr).toContain("these files are not a git tree: a repository inside the repository\n");
  expect(noRoom.stderr).toContain("these files are not a git tree: no place to work in: ENOENT");
});
