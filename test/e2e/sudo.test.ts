import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, CLI, cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { kill, survivors } from "../rig/processes.ts";
import { OWNER, UNPRIVILEGED } from "../rig/unprivileged.ts";

/** What `sudo` does, without asking: its command belongs to root, and the user may not end it. */
const AS_ROOT = "$HOME/as-root --reuid=0 --regid=0 --clear-groups";

test.for([
  {
    how: "fails and leaves it running",
    gate: `${AS_ROOT} sleep 600 & exit 3`,
    outcome: ["failed", "exit code 3"],
  },
  { how: "passes and leaves it running", gate: `${AS_ROOT} sleep 600 & exit 0`, outcome: ["passed", ""] },
  { how: "takes too long", gate: `${AS_ROOT} sleep 600`, outcome: ["failed", "timed out"] },
])("a gate with a process of root's that $how keeps its own outcome", async ({ gate, outcome }, { skip }) => {
  skip(OWNER === undefined, "only root can give a command to root and the rest to another user");
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks: { sudo: { command: ${JSON.stringify(gate)}, timeout: 2 } }\n`,
  });
  const helper = join(project.home, "as-root");
  copyFileSync("/usr/bin/setpriv", helper);
  execFileSync("chown", ["-R", String(OWNER), join(project.root, "..")]);
  execFileSync("chown", ["root", helper]);
  chmodSync(join(project.root, ".."), 0o700);
  chmodSync(helper, 0o4755);
  const mark = `SUDO_TEST=${project.root}`;
  onTestFinished(() => {
    for (const pid of survivors(mark)) kill(pid, "SIGKILL");
  });

  const hook = await run([...UNPRIVILEGED, process.execPath, CLI, "stop-hook"], {
    cwd: project.root,
    env: { ...cleanEnv(project.home), SUDO_TEST: project.root },
    stdin: JSON.stringify({ session_id: "s", cwd: project.root, hook_event_name: "Stop" }),
  });

  const answer = JSON.parse(hook.stdout) as Answer; // the hook has ended, though its gate's output is still held
  expect(survivors(mark)).not.toEqual([]); // it could not be ended
  expect([answer.status, answer.reason ?? ""]).toEqual([
    outcome[0],
    expect.stringContaining(outcome[1] ?? ""),
  ]);
});
