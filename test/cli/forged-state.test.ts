import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { identityOf } from "../rig/processes.ts";
import { projectStateDir } from "../rig/state-files.ts";

const LOCK = "gauntlet_logs/.gauntlet-run.lock";

describe("the log directory holds nothing that lets a stop go", () => {
  test("a removed one neither starts over nor ends the blocks", async () => {
    await using project = await blockedTwice();
    rmSync(join(project.root, "gauntlet_logs"), { recursive: true });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(await attemptsOf(project)).toBe(3);
  });

  test("a session that is laid out in it does not count", async () => {
    await using project = await blockedTwice();
    const forged = readFileSync(recordOf(project), "utf8").replaceAll('"attempts":2', '"attempts":9');
    await project.write({ "gauntlet_logs/.state/session-session-1.json": forged });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(project.has("gauntlet_logs/.state/session-session-1.json")).toBe(false);
  });

  test("another log_dir is a change of the gates and nothing else", async () => {
    await using project = await blockedTwice();
    await project.write({
      ".gauntlet/config.yml": `${project.read(".gauntlet/config.yml")}log_dir: other_logs\n`,
    });

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.systemMessage).toContain('log_dir "gauntlet_logs" → "other_logs"');
    expect(await attemptsOf(project)).toBe(3);
  });
});

describe("a damaged file of ours lets no stop with failing gates go", () => {
  test("the session, if a run just ended", async () => {
    await using project = await redProject("exit 1", "run_interval_minutes: 60");
    await project.stop();
    damage(project);

    const { answer } = await project.stop();

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("the session, while agents work in the background: they put a stop off once", async () => {
    await using project = await redProject();
    const event = { background_tasks: [{ id: "1", type: "subagent", status: "running" }] };
    const first = await project.stop(event);
    damage(project);

    const second = await project.stop(event);

    expect([first.answer.status, second.answer.status]).toEqual(["deferred", "failed"]);
  });

  test("the session: the stop after a block is checked, and the user sees why", async () => {
    await using project = await blockedTwice();
    damage(project);

    const { answer } = await project.stop({ stop_hook_active: true });
    const next = await project.stop({ stop_hook_active: true });

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.systemMessage).toMatch(
      /record of this session is lost.*session-session-1\.json: it is damaged/,
    );
    expect(next.answer).toMatchObject({ decision: "block" });
    expect(next.answer.systemMessage ?? "").not.toContain("is lost");
  });

  test("blocks end where no record can be written and the log directory is removed each time", async () => {
    await using project = await redProject();
    writeFileSync(join(project.home, ".local"), "");
    const first = await project.stop();
    const known = await project.stop({ stop_hook_active: true });
    rmSync(join(project.root, "gauntlet_logs"), { recursive: true });

    const last = await project.stop({ stop_hook_active: true });

    expect([first, known, last].map(({ answer }) => answer.status)).toEqual([
      "failed",
      "failed",
      "stop_hook_active",
    ]);
  });

  test("the session, if it is removed", async () => {
    await using project = await blockedTwice();
    rmSync(recordOf(project));

    const { answer } = await project.stop({ stop_hook_active: true });

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test.each([
    ["the log directory", '"logDir":"gauntlet_logs"', '"logDir":0'],
    ["the kind of a gate", '"kind":"check"', '"kind":null'],
    ["how the hook behaves", '"whenActive":"enforce"', '"whenActive":{}'],
  ])("the gates as the session found them: %s", async (_, written, damaged) => {
    await using project = await blockedTwice();
    const gates = join(projectStateDir(project), "gates");
    const file = join(gates, readdirSync(gates)[0] ?? "");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(written, damaged));
    await project.write({ ".gauntlet/config.yml": CONFIG("exit 2") });

    const { answer } = await project.stop();

    expect(text).toContain(written);
    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.systemMessage).toContain("the record of what they were is gone");
  });
});

describe("a lock that no run has written", () => {
  test("is replaced where nothing can hold it, with a notice", async () => {
    await using project = await blockedTwice();
    await project.write({ [LOCK]: '{"pid":1}' });

    const { answer } = await project.stop();

    expect(answer.decision).toBe("block");
    expect(answer.systemMessage).toContain("was not one that agent-gauntlet writes");
  });

  test("holds the stop where a living process is in it, and the user sees that, even in the name of the same session", async () => {
    await using project = await blockedTwice();
    const holder = spawn("sleep", ["600"]);
    const pid = holder.pid ?? 0;
    const written = { runId: "1-a", pid, ...identityOf(pid) };
    const place = {
      machine: hostname(),
      mark: "m",
      since: "2026-01-01T00:00:00.000Z",
    };
    await project.write({ [LOCK]: JSON.stringify({ ...written, ...place, sessionId: "session-1" }) });

    const { answer } = await project.stop();
    holder.kill("SIGKILL");

    expect(answer.status).toBe("lock_conflict");
    expect(answer.systemMessage).toMatch(/no run of yours has recorded it.*\n.*not checked/);
  });
});

test("stops of one session at the same moment accuse no one", async () => {
  await using project = await redProject("sleep 0.2; exit 1");
  await project.stop();

  const both = await Promise.all([project.stop(), project.stop()]);
  const next = await project.stop();

  for (const { answer } of [...both, next])
    expect(answer.systemMessage ?? "").not.toMatch(/something else|recorded/);
});

/** Every state in the file is no longer as we write it. */
function damage(project: GauntletProject): void {
  const record = recordOf(project);
  const text = readFileSync(record, "utf8");
  writeFileSync(record, text.replaceAll('"shown":[', '"shown":[1,'));
  expect(readFileSync(record, "utf8")).not.toBe(text);
}

async function attemptsOf(project: GauntletProject): Promise<number | undefined> {
  const { stdout } = await project.gauntlet(["status", "--json"]);
  const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly { readonly attempts: number }[] };
  return sessions[0]?.attempts;
}

function recordOf({ home }: GauntletProject): string {
  return join(home, ".local/state/agent-gauntlet/sessions/session-session-1.json");
}

const CONFIG = (command: string, hook = "when_active: enforce"): string =>
  `base_branch: main\nmax_retries: 9\nstop_hook: { ${hook} }\nchecks: { red: "${command}" }\n`;

async function redProject(command = "exit 1", hook?: string): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": CONFIG(command, hook),
    "a.txt": "1",
  });
  await project.commit("start");
  await project.write({ "a.txt": "2" });
  return project;
}

async function blockedTwice(): Promise<GauntletProject> {
  const project = await redProject();
  await project.stop();
  await project.stop();
  expect(await attemptsOf(project)).toBe(2);
  return project;
}
