import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { survivors } from "../rig/processes.ts";
import { HAS_PYTHON, LiveTerminal } from "../rig/live-terminal.ts";

const PROMPT = "q: quit";
const prompts = (screen: LiveTerminal): number => screen.shown.split(PROMPT).length - 1;

test("without a terminal --watch says why it does not start", async () => {
  await using project = await GauntletProject.withChecks({ test: "true" });

  const { exitCode, stdout, stderr } = await project.gauntlet(["run", "--watch"]);

  expect(exitCode).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toContain("`--watch` reads keys until you quit, so it needs a terminal.");
});

test("--watch cannot be combined with --json", async () => {
  await using project = await GauntletProject.withChecks({ test: "true" });

  const { exitCode, stderr } = await project.gauntlet(["run", "--watch", "--json"]);

  expect(exitCode).toBe(1);
  expect(stderr).toContain("cannot be used with");
});

describe.runIf(HAS_PYTHON)("on a terminal", () => {
  test("a change runs the gates again, a write without a change and an ignored file do not; q quits", async () => {
    await using project = await GauntletProject.withChecks(
      { test: 'echo ran >> "$HOME/runs"; test ! -e src/deep/bad.txt' },
      { ".gitignore": "*.log\n", "src/a.txt": "a\n" },
    );
    await project.write({ "src/a.txt": "changed\n" });
    await using screen = new LiveTerminal(project, ["run", "--watch"]);
    await expect.poll(() => prompts(screen)).toBe(1);

    await project.write({ "src/a.txt": "changed\n", "src/noise.log": "x", "gauntlet_logs/x": "x" });
    await project.write({ "src/deep/bad.txt": "x" });
    await expect.poll(() => prompts(screen)).toBe(2);
    await rm(join(project.root, "src/deep/bad.txt"));
    await expect.poll(() => prompts(screen)).toBe(3);
    screen.type("q");

    expect(await screen.exitCode()).toBe(0);
    expect(project.at("../home").read("runs")).toBe("ran\n".repeat(3));
    expect(screen.shown).toMatch(
      /Status: Passed[^]*Status: Failed[^]*src\/deep\/bad\.txt changed\.[^]*Status: Passed/,
    );
    expect(screen.shown).not.toContain("noise.log");
  });

  test("a runs every check, f those that failed, Enter what changed", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml":
        "checks:\n  one: exit 1\n  two: exit 0\nentry_points:\n  - { path: a, checks: [one] }\n  - { path: b, checks: [two] }\n",
      "a/x": "x",
      "b/x": "x",
    });
    await project.commit("start");
    await project.write({ "a/x": "y" });
    await using screen = new LiveTerminal(project, ["run", "--watch"]);
    await expect.poll(() => prompts(screen)).toBe(1);
    expect(screen.shown).toMatch(/1 failed/);
    expect(screen.shown).not.toContain("1 passed");

    screen.type("a");
    await expect.poll(() => prompts(screen)).toBe(2);
    expect(screen.shown).toContain("1 failed · 1 passed");
    screen.type("f");
    await expect.poll(() => prompts(screen)).toBe(3);
    screen.type("\r");
    await expect.poll(() => prompts(screen)).toBe(4);
    screen.type("\u0003");

    expect(await screen.exitCode()).toBe(130);
    expect(screen.shown.match(/✓ two/g)).toHaveLength(1);
    expect(screen.shown.match(/✗ one \(/g)).toHaveLength(4);
  });

  test("q ends the gates that run, and leaves no process and no lock behind", async () => {
    await using gate = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ test: gate.command("test") });
    await project.write({ new: "x" });
    await using screen = new LiveTerminal(project, ["run", "--watch"]);
    await gate.started();

    screen.type("q");

    expect(await screen.exitCode()).toBe(0);
    expect(survivors(project.home)).toEqual([]);
    expect((await project.gauntlet(["status"])).stdout).not.toContain("A run is in progress");
  });

  test("a configuration that is broken meanwhile is reported, and taken up when it is mended", async () => {
    await using project = await GauntletProject.withChecks(
      { test: "true" },
      { ".gitignore": "config.local.yml\n" },
    );
    await project.write({ new: "x" });
    await using screen = new LiveTerminal(project, ["run", "--watch"]);
    await expect.poll(() => prompts(screen)).toBe(1);

    await project.write({ ".gauntlet/config.local.yml": "checks: 3\n" });
    await expect.poll(() => prompts(screen)).toBe(2);
    await rm(join(project.root, ".gauntlet/config.local.yml"));
    await expect.poll(() => prompts(screen)).toBe(3);
    screen.type("q");

    expect(await screen.exitCode()).toBe(0);
    expect(screen.shown).toMatch(/Status: Passed[^]*config\.local\.yml:1:9[^]*Status: Passed/);
  });

  test("gates that change files each time do not run indefinitely", async () => {
    await using project = await GauntletProject.withChecks({ stamp: "date +%s%N > stamp.txt" });
    await project.write({ new: "x" });
    await using screen = new LiveTerminal(project, ["run", "--watch"]);

    await expect.poll(() => prompts(screen)).toBe(1);
    screen.type("q");

    expect(await screen.exitCode()).toBe(0);
    expect(screen.shown).toContain("The gates themselves change files each time they run");
    expect(screen.shown.match(/Status: Passed/g)).toHaveLength(3);
  });
});
