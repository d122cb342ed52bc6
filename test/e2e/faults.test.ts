import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { kill, survivors } from "../rig/processes.ts";
import { tempDir } from "../rig/temp-dir.ts";

const KILLS = 25;
const MINUTE = 60_000;

/** Fails if anything else runs it at the same time; leaves a child in the background, and prints. */
const GATE = "exec 9>../alone; flock -n 9 || exit 9; sleep 60 9>&- & echo working; sleep 0.05";

test(
  `${KILLS} runs killed at random instants: the next one always works, and nothing is left of them`,
  async () => {
    await using temp = await tempDir();
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `max_retries: 10000\nchecks:\n  one: ${JSON.stringify(GATE)}\n  two: sleep 0.1; exit 1\n`,
    });
    await project.commit("start");
    await project.write({ "a.txt": "1" });
    const mark = `KILL_TEST=${project.root}`;
    const env = { TMPDIR: temp.path, KILL_TEST: project.root };
    const begun = performance.now();
    await project.gauntlet(["run"], { env });
    const wholeMs = performance.now() - begun;

    for (let kill = 0; kill < KILLS; kill++) {
      const instant = wholeMs * 1.1 * ((kill + Math.random()) / KILLS);
      await killedAfter(project, env, instant);
      await project.write({ "b.txt": String(kill) });

      const next = await project.json(["run"], { env });

      const at = `killed after ${instant.toFixed(1)} ms`;
      expect(next, at).toMatchObject({
        status: "failed",
        outcomes: [{ outcome: "passed" }, { outcome: "failed", detail: "exit code 1" }],
      });
      expect(survivors(mark), at).toEqual([]);
      expect(litter(project, temp.path), at).toEqual([]);
    }
  },
  15 * MINUTE,
);

test(
  "50 runs at once: gates never overlap, every answer is right",
  async () => {
    await using project = await GauntletProject.withChecks({ alone: GATE });
    await project.write({ "a.txt": "1" });

    const runs = await Promise.all(Array.from({ length: 50 }, () => project.gauntlet(["run", "--json"])));
    const results = runs.map(({ stdout }) => JSON.parse(stdout) as { status: string; message: string });

    expect(results.map(({ status }) => status)).toContain("passed");
    for (const [index, { status, message }] of results.entries()) {
      expect(["passed", "lock_conflict"]).toContain(status);
      expect(runs[index]?.exitCode).toBe(status === "passed" ? 0 : 1);
      if (status === "lock_conflict") expect(message).toMatch(/already in progress \(pid \d+, since /);
    }
    expect(litter(project)).toEqual([]);
  },
  5 * MINUTE,
);

async function killedAfter(
  project: GauntletProject,
  env: Readonly<Record<string, string>>,
  instant: number,
): Promise<void> {
  let pid = 0;
  const running = project.gauntlet(["run"], { env, onSpawn: (own) => (pid = own) });
  await Promise.race([delay(instant), running]);
  try {
    kill(pid, "SIGKILL");
  } catch {
    // it was done before its instant came
  }
  await Promise.race([running, delay(50)]); // a gate it left may hold its output open
}

/** Files that no run leaves on purpose, and state that cannot be read. */
function litter(project: GauntletProject, temp?: string): readonly string[] {
  const logs = join(project.root, "gauntlet_logs");
  const state = readdirSync(join(logs, ".state"));
  const records = state.filter((name) => /^(?:work-tree|session-[\w-]+)\.json$/.test(name));
  return [
    ...readdirSync(logs).filter((name) => name.includes("lock")),
    ...state.filter((name) => !records.includes(name)),
    ...records.filter((name) => !areStates(join(logs, ".state", name))),
    ...(temp === undefined ? [] : readdirSync(temp)),
  ];
}

function areStates(path: string): boolean {
  try {
    const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
    return lines.length > 0 && lines.every((line) => typeof JSON.parse(line) === "object");
  } catch {
    return false;
  }
}
