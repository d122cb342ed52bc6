import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { outputSchema } from "../schema/json-schema.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET, IS_NATIVE } from "../rig/program.ts";

const RUN_BY_SDK = `import { executeRun } from ${JSON.stringify(resolve("dist/index.mjs"))};
await executeRun({ cwd: process.cwd() });`;
const READY = 'test "$(cat state.txt)" = fixed';

async function project(): Promise<GauntletProject> {
  return GauntletProject.withChecks({ ready: READY }, { "state.txt": "" });
}

interface Verdict {
  readonly status: string;
  readonly decision: string | null;
  readonly session: string | null;
  readonly door: string;
}

async function verdicts(project: GauntletProject, ...args: readonly string[]): Promise<readonly Verdict[]> {
  const log = outputSchema().parse(await project.json(["log", "-n", "1000", ...args]));
  return (log as unknown as { verdicts: readonly Verdict[] }).verdicts;
}

function stateFiles({ home }: GauntletProject, ending: string): readonly string[] {
  return readdirSync(join(home, ".local/state/agent-gauntlet"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
}

function cacheFiles({ home }: GauntletProject): readonly string[] {
  return readdirSync(join(home, ".cache/agent-gauntlet"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name));
}

test("every stop and every run is a line, whatever its result, the newest first", async () => {
  await using repo = await project();
  await repo.stop();
  await repo.write({ "state.txt": "broken" });
  await repo.stop({ session_id: "two" });
  await repo.stop({ session_id: "two", stop_hook_active: true });
  await repo.write({ "state.txt": "fixed" });
  await repo.stop({ session_id: "two" });
  await repo.stop({ session_id: "two" });
  await repo.stop({ session_id: "two", permission_mode: "plan" });
  await repo.gauntlet(["check"]);
  await repo.gauntlet(["run", "--gate", "ready"]);
  await run([process.execPath, "--input-type=module", "--eval", RUN_BY_SDK], {
    cwd: repo.root,
    env: repo.env(),
  });
  await repo.gauntlet(["stop-hook"], { stdin: '{"hook_event_name":"PreToolUse"}' });
  await repo.write({ ".gauntlet/config.yml": "checks: 7\n" });
  await repo.stop();
  rmSync(join(repo.root, ".gauntlet"), { recursive: true });
  await repo.stop();
  await repo.git("checkout", "--quiet", "--", ".gauntlet");

  expect(
    (await verdicts(repo)).map(({ door, status, decision }) => [door, status, decision]).toReversed(),
  ).toEqual([
    ["stop-hook", "no_changes", "allow"],
    ["stop-hook", "failed", "block"],
    ["stop-hook", "stop_hook_active", "allow"],
    ["stop-hook", "passed", "allow"],
    ["stop-hook", "passed", "allow"],
    ["stop-hook", "deferred", "allow"],
    ["check", "passed", null],
    ["run", "passed", null],
    ["library", "passed", null],
    ["stop-hook", "invalid_input", "allow"],
    ["stop-hook", "error", "allow"],
    ["stop-hook", "no_config", "allow"],
  ]);
});

test("stops that judged nothing, or were not allowed to, have their lines too", async () => {
  await using busy = await ControlledCommand.create();
  await using repo = await GauntletProject.create({
    ".gauntlet/config.yml": `max_retries: 0\nentry_points:\n  - { path: src, checks: [red, soft] }\n  - { path: slow, checks: [slow] }\n`,
    ".gauntlet/checks/red.yml": "command: test ! -e red",
    ".gauntlet/checks/soft.yml": "command: exit 1\nwarn_only: true",
    ".gauntlet/checks/slow.yml": `command: ${JSON.stringify(busy.command())}`,
    "src/a": "",
  });
  await repo.commit("start");
  await repo.write({ "b.txt": "" });
  await repo.stop({ session_id: "a" });
  await repo.write({ "src/a": "1" });
  await repo.stop({ session_id: "b" });
  await repo.write({ "src/red": "" });
  await repo.stop({ session_id: "c" });
  await repo.stop({ session_id: "d" }, { env: { GAUNTLET_STOP_HOOK_ENABLED: "false" } });
  await repo.stop({ session_id: "e" }, { env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "60" } });
  const event = { session_id: "f", cwd: repo.root, hook_event_name: "Stop" };
  await repo.gauntlet(["stop-hook", "--only-allowed"], { stdin: JSON.stringify(event) });
  const said = { ...event, hook_event_name: "UserPromptSubmit", prompt: "gauntlet skip: the server is down" };
  await repo.gauntlet(["prompt-hook"], { stdin: JSON.stringify(said) });
  await repo.stop({ session_id: "f" });
  await repo.write({ "slow/a": "" });
  const held = repo.stop({ session_id: "g" });
  const invocation = await busy.started();
  await repo.stop({ session_id: "h" });
  invocation.exit(0);
  await held;

  expect((await verdicts(repo)).map(({ session, status }) => [session, status]).toReversed()).toEqual([
    ["a", "no_applicable_gates"],
    ["b", "passed_with_warnings"],
    ["c", "retry_limit_exceeded"],
    ["d", "stop_hook_disabled"],
    ["e", "interval_not_elapsed"],
    ["f", "not_allowed"],
    ["f", "skipped"],
    ["h", "lock_conflict"],
    ["g", "retry_limit_exceeded"],
  ]);
});

test("a line has the commit, tree, base and gates, each gate's outcome and time, and what it rests on", async () => {
  await using repo = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nchecks: { ready: ${JSON.stringify(READY)} }\n`,
  });
  await repo.commit("start");
  await repo.git("switch", "--quiet", "--create", "work");
  await repo.write({ "state.txt": "fixed" });
  await repo.stop();
  await repo.stop();
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.commit("done");
  const tree = (await repo.git("rev-parse", "HEAD^{tree}")).trim();

  const [reused, ran] = await verdicts(repo);

  const same = {
    host: "claude-code",
    session: "session-1",
    branch: "work",
    commit: head,
    tree,
    baseCommit: head,
    whole: true,
  };
  expect(ran).toMatchObject({
    ...same,
    run: 1,
    outcomes: [{ id: "check:.:ready", outcome: "passed", blocks: false, durationMs: expect.any(Number) }],
    rests: [],
  });
  expect(reused).toMatchObject({ ...same, run: null, outcomes: [], rests: ["reuse"] });
});

test("a part of the gates, and a tree that a gate changed, do not count as a whole pass", async () => {
  await using repo = await GauntletProject.withChecks({ one: "true", two: "echo x >> made.txt" });
  await repo.write({ "a.txt": "" });
  await repo.gauntlet(["run", "--gate", "one"]);
  await repo.gauntlet(["run"]);

  expect(await verdicts(repo)).toMatchObject([{ whole: false }, { whole: false }]);
});

test("can be narrowed to a session, a gate, a time and a number", async () => {
  await using repo = await project();
  await repo.stop({ session_id: "one" });
  await repo.write({ "state.txt": "fixed" });
  await repo.stop({ session_id: "two" });

  expect((await verdicts(repo, "--session", "one")).map(({ session }) => session)).toEqual(["one"]);
  expect((await verdicts(repo, "--gate", "ready")).map(({ session }) => session)).toEqual(["two"]);
  expect(await verdicts(repo, "--since", "1h")).toHaveLength(2);
  expect(await verdicts(repo, "--since", "2999-01-01")).toEqual([]);
  expect(await verdicts(repo, "-n", "1")).toMatchObject([{ session: "two" }]);
  expect((await repo.gauntlet(["log", "--gate", "ready"])).stdout).toMatch(
    / passed +check:\.:ready +\w{7} +\d+ ms\n$/,
  );
  expect((await repo.gauntlet(["log"])).stdout).toMatch(
    / allow passed .*claude-code two .*1 gate.*\n.* allow no_changes /,
  );
  expect(await repo.gauntlet(["log", "--since", "soon"])).toMatchObject({ exitCode: 1 });
  expect(await repo.gauntlet(["log", "--session", "zz"])).toMatchObject({
    exitCode: 1,
    stderr: "There is no session zz in the ledger. The last ones are two, one.\n",
  });
});

test("keeps no prompt, message, output or secret", async () => {
  await using repo = await GauntletProject.withChecks({
    loud: "echo output-of-the-gate; cat secret.txt; exit 1",
  });
  await repo.write({ "secret.txt": "content-of-a-file" });
  const env = { API_TOKEN: "s3cret-of-a-kind" };
  await repo.stop({ last_assistant_message: "words-of-the-model", prompt: "words-of-the-user" }, { env });

  const kept = stateFiles(repo, "ledger.jsonl")
    .map((file) => readFileSync(file, "utf8"))
    .join("");

  expect(kept).toContain('"status":"failed"');
  expect(kept).not.toMatch(/output-of|content-of|words-of|s3cret/);
});

test("--export leaves out the names of sessions, branches and work trees", async () => {
  await using repo = await project();
  await repo.git("switch", "--quiet", "--create", "private-name");
  await repo.stop({ session_id: "private-session" });
  await repo.stop({ session_id: "private-session" });

  const { stdout } = await repo.gauntlet(["log", "--export"]);

  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ session: "session-1", status: "no_changes" }, { session: "session-1" }]);
  expect(stdout).not.toContain("private");
});

test("--check tells whether it is whole, and where it is not", async () => {
  await using repo = await project();
  await repo.stop();
  await repo.write({ "state.txt": "broken" });
  await repo.stop();
  await repo.stop();

  const whole = await repo.gauntlet(["log", "--check"]);
  const [file = ""] = stateFiles(repo, "ledger.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace('"status":"failed"', '"status":"passed"'));
  const changed = await repo.gauntlet(["log", "--check"]);
  const json = outputSchema().parse(await repo.json(["log", "--check"]));

  expect(whole).toMatchObject({ exitCode: 0, stdout: "✓ The ledger is as it was written: 3 lines.\n" });
  expect(changed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("✗ Line 3 of 3: ") });
  expect(json).toMatchObject({ check: { lines: 3, broken: { line: 3 } } });
});

test("stops in several work trees at once lose nothing and keep one whole chain", async () => {
  await using repo = await project();
  const names = ["one", "two", "three"];
  for (const name of names) await repo.git("worktree", "add", "--quiet", `../${name}`);
  const trees = [repo, ...names.map((name) => repo.at(`../${name}`))];

  await Promise.all(trees.flatMap((tree) => [1, 2, 3].map((n) => tree.stop({ session_id: `s${n}` }))));

  const found = await verdicts(repo);
  expect(found).toHaveLength(12);
  expect(await verdicts(repo.at("../two"))).toHaveLength(12);
  expect(found.filter((one) => "worktree" in one && one.worktree === "two")).toHaveLength(3);
  expect(await repo.gauntlet(["log", "--check"])).toMatchObject({ exitCode: 0 });
});

test("whenever a stop is killed, the ledger is whole", async () => {
  await using repo = await project();
  await repo.stop();

  for (let patience = 0; patience < 7; patience++) await killedStop(repo, patience * 20);
  await repo.stop();

  expect(await repo.gauntlet(["log", "--check"])).toMatchObject({ exitCode: 0 });
});

test("an abandoned lock delays no one", async () => {
  await using repo = await project();
  await repo.stop();
  const [file = ""] = stateFiles(repo, "ledger.jsonl");
  const lock = join(file, "../.ledger.lock");

  renameSync(lock, `${lock}.4194304`); // above every pid
  await repo.stop();
  rmSync(lock);
  await repo.stop();

  expect(await verdicts(repo)).toHaveLength(3);
});

test("clean keeps the ledger, clean --all removes it with all else that is kept about the project", async () => {
  await using repo = await project();
  await using other = await project();
  await repo.git("worktree", "add", "--quiet", "../linked");
  const linked = repo.at("../linked");
  await linked.write({ "state.txt": "fixed" });
  await linked.stop({ session_id: "in-the-linked-tree" });
  await repo.stop({ session_id: "here" });
  await other.stop({ session_id: "elsewhere" }, { env: { HOME: repo.home } });
  const cached = `../home/.cache/agent-gauntlet/settings/${encodeURIComponent(repo.root)}.json`;
  await repo.write({ [cached]: repo.root });
  await repo.gauntlet(["clean"]);
  const kept = await verdicts(repo);
  const cleaned = await repo.gauntlet(["clean", "--all"]);

  const left = [...stateFiles(repo, ""), ...cacheFiles(repo)].map((file) => readFileSync(file, "utf8"));
  expect(kept).toHaveLength(2);
  expect(cleaned.stdout).toContain("the ledger and all else that was kept about the project is removed");
  expect(left.join("\n")).toContain("elsewhere");
  expect(left.join("\n")).not.toMatch(new RegExp(`${repo.root}|${linked.root}|in-the-linked-tree`));
  expect(await verdicts(repo)).toEqual([]);
  expect(await repo.gauntlet(["log"])).toMatchObject({ exitCode: 0, stdout: "No verdict is recorded.\n" });
  expect(await repo.gauntlet(["explain"])).toMatchObject({ exitCode: 1 });
});

test("a ledger that cannot be written is reported, and changes no answer", async () => {
  await using repo = await project();
  await repo.write({ "../home/.local/state/agent-gauntlet/projects": "" });
  await repo.write({ "state.txt": "fixed" });

  const run = await repo.gauntlet(["run"]);
  const stop = await repo.stop();

  expect(run).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("This run is not in the ledger."),
  });
  expect(stop).toMatchObject({ exitCode: 0, answer: { status: "passed" } });
  expect(stop.stderr).toContain("This stop is not in the ledger.");
});

/** Starts a stop and kills it some milliseconds later, wherever it is by then. */
async function killedStop(repo: GauntletProject, afterMs: number): Promise<void> {
  const [file, ...args] = GAUNTLET;
  const child = spawn(file, [...args, "stop-hook"], { cwd: repo.root, env: cleanEnv(repo.home) });
  const ended = once(child, "close");
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify({ session_id: "killed", cwd: repo.root, hook_event_name: "Stop" }));
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await ended;
  clearTimeout(timer);
}

test.skipIf(IS_NATIVE)("a stop that crashed has its line, and is not taken for a pass", async () => {
  await using repo = await project();
  await repo.write({
    "state.txt": "new",
    "break.cjs": 'require("node:os").hostname = () => { throw new Error("broken on purpose"); };',
  });

  const { answer } = await repo.stop({}, { env: { NODE_OPTIONS: "--require ./break.cjs" } });

  expect(answer).toMatchObject({
    status: "error",
    message: expect.stringContaining("broken on purpose") as string,
  });
  expect(await verdicts(repo)).toMatchObject([{ status: "error", decision: "allow", door: "stop-hook" }]);
});
