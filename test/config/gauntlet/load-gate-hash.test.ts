import { describe, expect, test } from "vitest";
import { loadProject, settingsOf } from "../temp-project.ts";

describe("the gate hash", () => {
  test("does not depend on order, form, comments or where a gate is written", async () => {
    const inline = await hashOf({
      ".gauntlet/config.yml": "checks: { test: { timeout: 5, command: npm test, env: { A: 1, B: 2 } } }",
    });
    const file = await hashOf({
      ".gauntlet/config.yml": "# the same\nmax_retries: 5\nlog_dir: logs\n",
      ".gauntlet/checks/test.yml": "env: { B: '2', A: '1' }\ncommand: npm test\ntimeout: 5\n",
    });

    expect(file).toBe(inline);
  });

  test.for<[what: string, files: Record<string, string>]>([
    ["command", { ".gauntlet/checks/test.yml": "command: npm t" }],
    ["timeout", { ".gauntlet/checks/test.yml": "command: npm test\ntimeout: 9" }],
    ["environment", { ".gauntlet/checks/test.yml": "command: npm test\nenv: { A: b }" }],
    ["number of checks", { ".gauntlet/checks/more.yml": "command: npm test" }],
    ["base branch", { ".gauntlet/config.yml": "base_branch: develop" }],
    ["entry points", { ".gauntlet/config.yml": "entry_points: [{ path: src, checks: [test] }]" }],
  ])("changes with the %s", async ([, files]) => {
    const base = { ".gauntlet/config.yml": "", ".gauntlet/checks/test.yml": "command: npm test" };

    expect(await hashOf({ ...base, ...files })).not.toBe(await hashOf(base));
  });

  test("changes with the text of the fix instructions", async () => {
    const config = { ".gauntlet/config.yml": "checks: { a: { command: x, fix_instructions: fix.md } }" };

    const one = await hashOf({ ...config, ".gauntlet/fix.md": "one" });
    const two = await hashOf({ ...config, ".gauntlet/fix.md": "two" });

    expect(one).not.toBe(two);
  });
});

async function hashOf(files: Record<string, string>): Promise<string> {
  return settingsOf(await loadProject(files)).gateHash;
}
