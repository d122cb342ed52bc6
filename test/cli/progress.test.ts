import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { HAS_PYTHON, LiveTerminal } from "../rig/live-terminal.ts";
import { kill } from "../rig/processes.ts";
import { GAUNTLET } from "../rig/program.ts";

const PTY = join(import.meta.dirname, "../rig/terminal.py");

interface Screen {
  readonly rows?: number;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** `run` when absent. */
  readonly command?: string;
}

/** `run` on a real pseudo-terminal. */
function onTerminal(
  project: GauntletProject,
  args: readonly string[],
  screen: Screen = {},
): Promise<Finished> {
  const { rows = 24, columns = 80, env = {} } = screen;
  const command = screen.command ?? "run";
  return run(["python3", PTY, String(rows), String(columns), ...GAUNTLET, command, ...args], {
    cwd: project.root,
    env: { ...cleanEnv(project.home), TERM: "xterm-256color", ...env },
  });
}

/** What is on the screen in the end: lines that were drawn and taken back are not. */
function screenOf(output: string): readonly string[] {
  const lines: string[] = [""];
  for (const piece of output.replaceAll("\r", "").split(/(\u001b\[\d+A\u001b\[0J|\n)/)) {
    const up = /^\u001b\[(\d+)A/.exec(piece)?.[1];
    if (up !== undefined) lines.splice(-1 - Number(up), Infinity, "");
    else if (piece === "\n") lines.push("");
    else lines[lines.length - 1] += piece;
  }
  return lines;
}

function lastDrawn(screen: LiveTerminal): string {
  return screen.shown.split("\u001b[0J").at(-1)?.trimEnd() ?? "";
}

describe.runIf(HAS_PYTHON)("on a terminal", () => {
  test("one live line for each running gate with the time it has taken, then the results", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  a: ${JSON.stringify(gate.command("a"))}\n  b: ${JSON.stringify(gate.command("b"))}\n`,
    });
    const running = onTerminal(project, []);

    const both = [await gate.started(), await gate.started()];
    both.find(({ name }) => name === "a")?.exit(0);
    await expect.poll(() => project.read("gauntlet_logs/console.1.log")).toContain("[PASS] check:.:a");
    both.find(({ name }) => name === "b")?.print("error: not ready\n");
    both.find(({ name }) => name === "b")?.exit(3);
    const { stdout, exitCode } = await running;
    const screen = screenOf(stdout).join("\n");

    expect(stdout).toMatch(/[⠋-⠿] a \d+ s[^]*[⠋-⠿] b \d+ s/);
    expect(screen).not.toMatch(/[⠋-⠿]/);
    expect(screen).toMatch(/\u001b\[32m✓\u001b\[39m a \(/);
    expect(screen).toMatch(/\u001b\[31m✗\u001b\[39m b \(.*\) failed: exit code 3 Log: \S+\n/);
    expect(screen).toMatch(/── b ──[^]*Full log: gauntlet_logs\/check_\._b\.1\.log\n/);
    expect(screen).toMatch(/\n1 failed · 1 passed · \d[^\n]* · Status: \u001b\[31mFailed\u001b\[39m\n$/);
    expect(exitCode).toBe(1);
  });

  test("live lines never wrap and never outgrow the screen", async () => {
    await using gate = await ControlledCommand.create();
    const names = Array.from({ length: 9 }, (_, index) => `a-gate-with-quite-a-long-name-${index}`);
    const checks = names.map((name) => `  ${name}: ${JSON.stringify(gate.command(name))}\n`);
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n${checks.join("")}`,
    });
    const running = onTerminal(project, [], { rows: 6, columns: 30 });

    const all = [];
    for (const _ of names) all.push(await gate.started());
    for (const one of all) one.exit(0);
    const { stdout } = await running;
    const drawn = [...stdout.matchAll(/\u001b\[(\d+)A/g)].map(([, lines]) => Number(lines));
    const live = stdout.split(/\r?\n/).filter((line) => /[…⠋-⠿]/.test(line));

    expect(Math.max(...drawn)).toBeLessThanOrEqual(4);
    expect(stdout).toContain("… and 6 more");
    expect(live.every((line) => line.replaceAll(/\u001b\[[\d;]*[A-Za-z]/g, "").length < 30)).toBe(true);
    expect(screenOf(stdout).filter((line) => line.includes("✓ ") || line.includes("✓\u001b"))).toHaveLength(
      9,
    );
  });

  test("status marks the gates as run does", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  red: exit 1\n  green: exit 0\n  soft: { command: exit 1, warn_only: true }\n",
    });
    await project.gauntlet(["run"]);

    const { stdout } = await onTerminal(project, [], { command: "status", env: { NO_COLOR: "1" } });

    expect(stdout.match(/^ {2}\S \w+ \(/gm)).toEqual(["  ✗ red (", "  ✓ green (", "  ! soft ("]);
    expect(stdout).toContain("Run 1: Failed, just now");
  });

  test("NO_COLOR: no colour, but still live", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  red: exit 1\n",
    });

    const { stdout } = await onTerminal(project, [], { env: { NO_COLOR: "1" } });

    expect(stdout).not.toMatch(/\u001b\[[\d;]*m/);
    expect(stdout).toContain("✗ red");
  });

  test("in CI, which keeps every line, nothing is drawn over", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  red: exit 1\n",
    });

    const { stdout } = await onTerminal(project, [], { env: { CI: "true" } });

    expect(stdout).not.toMatch(/\u001b\[\d*[AJK]/);
    expect(stdout).toContain("[START] red");
  });

  test("a terminal that is made narrower gets narrower lines", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: gate.command() });
    await project.write({ "a.txt": "" });
    await using screen = new LiveTerminal(project, ["run"]);
    const slow = await gate.started();
    slow.print(`${"x".repeat(70)}\n`);
    await expect.poll(() => screen.shown).toContain("x".repeat(40));

    screen.type("resize 24 30\n");
    await expect.poll(() => lastDrawn(screen).length).toBeLessThan(30);
    slow.exit(0);

    expect(await screen.exitCode()).toBe(0);
    expect(screen.shown).toMatch(/Status: Passed\n$/);
  });

  test("TERM=dumb: plain lines", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks:\n  red: exit 1\n",
    });

    const { stdout } = await onTerminal(project, [], { env: { TERM: "dumb" } });

    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("[START] red");
  });

  test("--quiet and --json draw nothing", async () => {
    await using project = await GauntletProject.create({ ".gauntlet/config.yml": 'checks:\n  ok: "true"\n' });

    const quiet = await onTerminal(project, ["--quiet"], { env: { NO_COLOR: "1" } });
    const json = await onTerminal(project, ["--json"]);

    expect(quiet.stdout.replaceAll("\r", "")).toBe("Status: Passed\n");
    expect(json.stdout).not.toContain("\u001b");
  });

  test("a run that is interrupted leaves the screen in order", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:\n  slow: ${JSON.stringify(gate.command())}\n`,
    });
    const running = onTerminal(project, [], { env: { NO_COLOR: "1" } });
    await gate.started();
    const lock = JSON.parse(project.read("gauntlet_logs/.gauntlet-run.lock")) as { pid: number };

    kill(lock.pid, "SIGINT");
    const screen = screenOf((await running).stdout).join("\n");

    expect(screen).not.toMatch(/[⠋-⠿]/);
    expect(screen).toMatch(/- slow .*cancelled[^]*\n1 cancelled · .* · Status: Interrupted\n$/);
  });
});
