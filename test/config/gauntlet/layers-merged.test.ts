import { describe, expect, test } from "vitest";
import { effectiveSettings } from "../../../src/config/gauntlet/effective.ts";
import { absolutePath } from "../../../src/path.ts";
import { loadProject, settingsOf, tempProject, told } from "../temp-project.ts";

const TEAM = `max_retries: 5
stop_hook: { when_active: enforce, timeout: 100 }
checks:
  lint: team lint
  types: team types
  docs: team docs
`;

const FILES = {
  "node_modules/@acme/gates/gauntlet.yml": TEAM,
  "shared/more.yml": "max_retries: 7\n",
  ".gauntlet/config.yml":
    'extends: [shared/more.yml, "@acme/gates"]\nstop_hook: { timeout: 200 }\nchecks:\n  lint: { command: own lint, timeout: 5 }\n',
  ".gauntlet/config.local.yml": "max_parallel: 2\nchecks:\n  mine: my check\n",
  ".gauntlet/checks/docs.yml": "command: own docs\n",
};

describe("extends and config.local.yml", () => {
  test("gates are merged by name, keys one by one, and the stronger file wins", async () => {
    const { entryPoints, maxRetries, maxParallel, stopHook } = settingsOf(await loadProject(FILES));

    const commands = entryPoints[0]?.gates.map((gate) =>
      gate.kind === "check" ? [gate.name, gate.command] : [],
    );
    expect(Object.fromEntries(commands ?? [])).toEqual({
      lint: "own lint",
      types: "team types",
      docs: "own docs",
      mine: "my check",
    });
    expect([maxRetries, maxParallel]).toEqual([5, 2]);
    expect(stopHook).toMatchObject({ whenActive: "enforce", timeoutMs: 200_000 });
  });

  test("a mistake is reported in the file that has it", async () => {
    const loaded = await loadProject({ ...FILES, "shared/more.yml": "max_retries: many\nmax_parralel: 1\n" });

    expect(told(loaded)).toMatch(/^shared\/more\.yml:2:1: warning: unknown key `max_parralel`/m);
  });

  test.each([
    [
      "a file that is missing",
      "extends: shared/none.yml",
      /config\.yml:1:10: error: shared\/none\.yml does not exist/,
    ],
    [
      "a package that is missing",
      'extends: "@acme/none"',
      /error: the package `@acme\/none` has no gauntlet\.yml/,
    ],
    [
      "a file outside of the project",
      "extends: ../team.yml",
      /`extends` must be a relative path inside the project/,
    ],
  ])("%s is an error", async (_what, line, message) => {
    expect(told(await loadProject({ ".gauntlet/config.yml": `${line}\nchecks: { a: x }\n` }))).toMatch(
      message,
    );
  });

  test("config.local.yml cannot replace a gate of the project, wherever that is written", async () => {
    const loaded = await loadProject({
      ...FILES,
      ".gauntlet/config.local.yml":
        "checks:\n  lint: exit\n  types: exit\n  docs: exit\nentry_points: [{ path: . }]\n",
    });

    expect(told(loaded).match(/config\.local\.yml:\d+:\d+: error: .*/g)).toEqual([
      expect.stringContaining("`lint` is a gate of the project"),
      expect.stringContaining("`types` is a gate of the project"),
      expect.stringContaining("`docs` is a gate of the project"),
      expect.stringContaining("`entry_points` belongs in .gauntlet/config.yml"),
    ]);
  });

  test("a change of what is extended changes the gates", async () => {
    const before = settingsOf(await loadProject(FILES)).gateHash;
    const other = { ...FILES, "node_modules/@acme/gates/gauntlet.yml": TEAM.replace("team types", "exit 0") };

    expect(settingsOf(await loadProject(other)).gateHash).not.toBe(before);
  });
});

test("every effective setting is shown with the place it comes from", async () => {
  await using project = await tempProject(FILES);
  const read = await effectiveSettings(absolutePath(project.path("")), { GAUNTLET_STOP_HOOK_ENABLED: "0" });

  const settings = read.ok ? read.value : [];
  const wanted = [
    "max_retries",
    "max_parallel",
    "base_branch",
    "stop_hook.enabled",
    "stop_hook.when_active",
    "stop_hook.timeout",
    "checks.lint.timeout",
    "checks.types",
    "checks.docs",
  ];
  expect(
    wanted.map((key) => settings.find((one) => one.key === key)).map((one) => `${one?.key} ${one?.source}`),
  ).toEqual([
    "max_retries node_modules/@acme/gates/gauntlet.yml:1",
    "max_parallel .gauntlet/config.local.yml:1",
    "base_branch default",
    "stop_hook.enabled GAUNTLET_STOP_HOOK_ENABLED",
    "stop_hook.when_active node_modules/@acme/gates/gauntlet.yml:2",
    "stop_hook.timeout .gauntlet/config.yml:2",
    "checks.lint.timeout .gauntlet/config.yml:4",
    "checks.types node_modules/@acme/gates/gauntlet.yml:5",
    "checks.docs .gauntlet/checks/docs.yml",
  ]);
});
