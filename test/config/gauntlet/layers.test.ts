import { describe, expect, test } from "vitest";
import { loadConfig, settingsOf, tempProject, told } from "../temp-project.ts";

const GLOBAL = "home/agent-gauntlet/config.yml";
const CHECKS = "checks: { test: npm test }\n";

/** Loads a project together with a global configuration. */
async function loadLayers(layers: { global?: string; project?: string; env?: Record<string, string> }) {
  await using project = await tempProject({
    ".gauntlet/config.yml": CHECKS + (layers.project ?? ""),
    ...(layers.global === undefined ? {} : { [GLOBAL]: layers.global }),
  });
  return await project.load({ XDG_CONFIG_HOME: project.path("home"), ...layers.env });
}

describe("environment, project, global configuration and defaults", () => {
  test("are asked in this order, field by field", async () => {
    const loaded = await loadLayers({
      global: "stop_hook: { enabled: false, run_interval_minutes: 1, timeout: 100, defer: false }",
      project: "stop_hook: { run_interval_minutes: 2, timeout: 200 }",
      env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "3" },
    });

    expect(settingsOf(loaded).stopHook).toEqual({
      runIntervalMinutes: 3,
      timeoutMs: 200_000,
      on: ["stop"],
      agentTypes: [],
      background: false,
      enabled: false,
      defer: false,
      whenActive: "allow",
      whenBusy: "allow",
      whenGatesChange: "tell",
      maxReasonChars: 9000,
    });
  });

  test.for<[written: string, field: "timeoutMs" | "runIntervalMinutes", value: number]>([
    ["timeout: 5m", "timeoutMs", 300_000],
    ["timeout: 90s", "timeoutMs", 90_000],
    ["timeout: 1.5h", "timeoutMs", 5_400_000],
    ["run_interval_minutes: 2h", "runIntervalMinutes", 120],
    ["run_interval_minutes: 10 m", "runIntervalMinutes", 10],
  ])("take durations with a unit: %s", async ([written, field, value]) => {
    const loaded = await loadLayers({ project: `stop_hook: { ${written} }` });

    expect(settingsOf(loaded).stopHook[field]).toBe(value);
  });

  test("say what a stop does while another run is in progress", async () => {
    const loaded = await loadLayers({ global: "stop_hook: { when_busy: wait }" });

    expect(settingsOf(loaded).stopHook.whenBusy).toBe("wait");
  });

  test("decide about the debug log field by field too", async () => {
    const loaded = await loadLayers({ global: "debug_log: { max_size_mb: 2 }", project: "debug_log: true" });

    expect(settingsOf(loaded).debugLog).toEqual({ enabled: true, maxBytes: 2 * 1024 * 1024 });
  });

  test.for<[value: string, enabled: boolean]>([
    ["true", true],
    ["TRUE", true],
    ["1", true],
    ["false", false],
    ["False", false],
    ["0", false],
    ["no", false],
    ["", false],
  ])("GAUNTLET_STOP_HOOK_ENABLED=%s over a disabled hook gives %s", async ([value, enabled]) => {
    const loaded = await loadConfig(`${CHECKS}stop_hook: { enabled: false }`, {
      GAUNTLET_STOP_HOOK_ENABLED: value,
    });

    expect(settingsOf(loaded).stopHook.enabled).toBe(enabled);
  });

  test.for<[value: string, minutes: number]>([
    ["0", 0],
    ["15", 15],
    ["-1", 7],
    ["1.5", 7],
    ["soon", 7],
    ["", 7],
    ["99999999999999999999", 7],
  ])("GAUNTLET_STOP_HOOK_INTERVAL_MINUTES=%s over 7 gives %s", async ([value, minutes]) => {
    const loaded = await loadConfig(`${CHECKS}stop_hook: { run_interval_minutes: 7 }`, {
      GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: value,
    });

    expect(settingsOf(loaded).stopHook.runIntervalMinutes).toBe(minutes);
  });
});

describe("the global configuration", () => {
  test("lies in ~/.config unless XDG_CONFIG_HOME is an absolute path", async () => {
    await using project = await tempProject({
      ".gauntlet/config.yml": CHECKS,
      ".config/agent-gauntlet/config.yml": "stop_hook: { timeout: 7 }",
    });
    const home = project.path(".");

    const timeouts = [
      settingsOf(await project.load({ HOME: home })).stopHook.timeoutMs,
      settingsOf(await project.load({ HOME: home, XDG_CONFIG_HOME: "relative" })).stopHook.timeoutMs,
      settingsOf(await project.load({ HOME: home, XDG_CONFIG_HOME: project.path("empty") })).stopHook
        .timeoutMs,
      settingsOf(await project.load({})).stopHook.timeoutMs,
    ];

    expect(timeouts).toEqual([7000, 7000, 300_000, 300_000]);
  });

  test.for<[what: string, text: string, told: RegExp]>([
    [
      "is not valid",
      "stop_hook: { enabled: false, timeout: soon }",
      /:1:39: warning: `stop_hook.timeout` must be/,
    ],
    ["is not YAML", "stop_hook: [", /warning: a `\[` or `{` above is not closed/],
    ["is not text", "\0", /1:1: warning: cannot be read: byte 1 is NUL/],
    ["is a list", "- a", /1:1: warning: this must be a map/],
  ])("is ignored with a warning if it %s", async ([, global, message]) => {
    const loaded = await loadLayers({ global });

    expect(settingsOf(loaded).stopHook).toMatchObject({ enabled: true, timeoutMs: 300_000 });
    expect(told(loaded)).toMatch(message);
    expect(told(loaded)).toContain("(this file is ignored)");
  });

  test("may be empty, and warns about unknown keys", async () => {
    expect(told(await loadLayers({ global: "# nothing\n" }))).toBe("");
    expect(told(await loadLayers({ global: "stophook: {}\n" }))).toContain("did you mean `stop_hook`?");
  });
});
