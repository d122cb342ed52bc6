import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET } from "../rig/program.ts";

const isPermitted =
  process.platform === "linux" &&
  spawnSync("unshare", ["-rmpf", "--mount-proc", "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
const isolated = test.skipIf(!isPermitted); // unprivileged namespaces are switched off on some machines

isolated("a run in another pid namespace is neither taken for dead nor ended", async () => {
  await using gate = await ControlledCommand.create();
  await using project = await GauntletProject.withChecks({ gate: gate.command() });
  await project.write({ "a.txt": "work" });
  const inside = run(["unshare", "-rpf", "--mount-proc", ...GAUNTLET, "run", "--json"], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });
  const running = await gate.started();

  const outside = await project.stop();
  running.exit(0);
  const { stdout, exitCode } = await inside;

  expect(outside.answer.status).toBe("lock_conflict");
  expect(exitCode, stdout).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: "passed" });
});

isolated("a list of groups to end that names the system's own ends nothing", async () => {
  await using project = await GauntletProject.withChecks({ good: "true" });
  await project.write({
    "a.txt": "work",
    "gauntlet_logs/.state/groups": "",
    "gauntlet_logs/.gauntlet-run.lock": "",
  });
  const script = `
    sleep 600 & other=$!
    cd gauntlet_logs
    echo "1 $(cut -d ' ' -f 22 /proc/1/stat)" > .state/groups
    printf '{"runId":"dead","pid":%s,"startTime":"1","bootId":"%s","since":""}' 4194303 "$(cat /proc/sys/kernel/random/boot_id)" > .gauntlet-run.lock
    "$@"
    kill -0 "$other" && echo alive
    kill "$other"`;

  const { stdout } = await run(
    ["unshare", "-rpf", "--mount-proc", "setsid", "sh", "-c", script, "sh", ...GAUNTLET, "run"],
    {
      cwd: project.root,
      env: cleanEnv(project.home),
    },
  );

  expect(stdout).toMatch(/Status: Passed\nalive\n$/);
  expect(project.has("gauntlet_logs/.state/groups")).toBe(false); // it was read
});

isolated("a session whose record can no longer be written still comes to its last attempt", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": "checks: { red: exit 1 }\nmax_retries: 2\nstop_hook: { when_active: enforce }\n",
  });
  await project.write({ "a.txt": "work" });
  const event = { session_id: "s", prompt_id: "p", cwd: project.root, hook_event_name: "Stop" };
  const stop = async (...around: readonly string[]): Promise<unknown> => {
    const { stdout } = await run([...around, ...GAUNTLET, "stop-hook"], {
      cwd: project.root,
      env: cleanEnv(project.home),
      stdin: JSON.stringify(event),
    });
    return (JSON.parse(stdout) as { status: unknown }).status;
  };
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
  const sessions = join(project.home, ".local/state/agent-gauntlet/sessions");

  const statuses = [await stop()];
  for (const _ of [1, 2, 3]) statuses.push(await stop("unshare", "-rm", "sh", "-c", readOnly, sessions));

  expect(statuses).toContain("retry_limit_exceeded");
});

isolated("a file assumed unchanged with a full temporary directory: never `no changes`", async () => {
  await using project = await GauntletProject.withChecks(
    { words: "! grep -q BAD a.txt" },
    { "a.txt": "FINE" },
  );
  await project.git("update-index", "--assume-unchanged", "a.txt");
  await project.write({ "a.txt": "BAD" });
  const payload = { session_id: "s", cwd: project.root, hook_event_name: "Stop", stop_hook_active: false };
  const full = join(project.home, "full");
  const script = `mkdir "$0" && mount -t tmpfs -o size=4k none "$0" && head -c 8192 /dev/zero > "$0/x" 2>/dev/null; exec "$@"`;

  const { stdout } = await run(["unshare", "-rm", "sh", "-c", script, full, ...GAUNTLET, "stop-hook"], {
    cwd: project.root,
    env: { ...cleanEnv(project.home), TMPDIR: full },
    stdin: `${JSON.stringify(payload)}\n`,
  });

  expect(["error", "failed"]).toContain((JSON.parse(stdout) as { status: string }).status);
});
