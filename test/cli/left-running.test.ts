import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { kill, survivors } from "../rig/processes.ts";

/** Starts a daemon that holds the gate's output, and waits until it is there. */
const DAEMON = "setsid sh -c 'echo up > up; exec sleep 600' & until test -e up; do sleep 0.01; done; rm up";

describe.runIf(process.platform === "linux")("a daemon in its own session", () => {
  test("is left alone and named in the log when its gate ends by itself, and does not hold the hook", async () => {
    await using project = await withGate(`${DAEMON}; exit 1`, 60);

    const { answer } = await project.stop({}, { env: { SOAK: project.root } });
    const alive = survivors(`SOAK=${project.root}`);
    const logs = readdirSync(join(project.root, "gauntlet_logs")).filter((name) => name.startsWith("check_"));

    expect(answer.status).toBe("failed");
    expect(alive).toHaveLength(1);
    expect(project.read(`gauntlet_logs/${logs[0] ?? ""}`)).toContain(
      `[left running: sleep (pid ${alive[0]})]`,
    );
  });

  test("is ended with a gate that times out", async () => {
    await using project = await withGate(`${DAEMON}; sleep 600`, 1);

    const { answer } = await project.stop({}, { env: { SOAK: project.root } });

    expect(answer.status).toBe("failed");
    expect(survivors(`SOAK=${project.root}`)).toEqual([]);
  });
});

async function withGate(command: string, timeout: number): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  daemon: { command: ${JSON.stringify(command)}, timeout: ${timeout} }\n`,
  });
  onTestFinished(() => {
    for (const pid of survivors(`SOAK=${project.root}`)) kill(pid, "SIGKILL");
  });
  return project;
}
