import { describe, expect, test } from "vitest";
import { loadConfig, loadProject, settingsOf, tempProject, told } from "../temp-project.ts";

const TWO_LINES = "checks:\n  test: npm test\n";

describe("a project", () => {
  test("is complete with two lines", async () => {
    const loaded = await loadConfig(TWO_LINES);

    const { root: _root, gateHash, definitionHash, ...settings } = settingsOf(loaded);
    expect(told(loaded)).toBe("");
    expect(gateHash).toMatch(/^[0-9a-f]{64}$/);
    expect(definitionHash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(JSON.stringify(settings))).toMatchInlineSnapshot(`
      {
        "baseBranch": "origin/main",
        "debugLog": {
          "enabled": false,
          "maxBytes": 10485760,
        },
        "entryPoints": [
          {
            "exclude": [],
            "gates": [
              {
                "command": "npm test",
                "env": {},
                "failFast": false,
                "kind": "check",
                "name": "test",
                "parallel": true,
                "runInCi": true,
                "runLocally": true,
                "timeoutMs": 240000,
                "warnOnly": false,
              },
            ],
            "path": ".",
          },
        ],
        "logDir": "gauntlet_logs",
        "maxParallel": 16,
        "maxRetries": 3,
        "rerunNewIssueThreshold": "high",
        "retry": {
          "extendOnProgress": false,
          "whenStuck": "continue",
        },
        "scripts": {},
        "stopHook": {
          "agentTypes": [],
          "background": false,
          "defer": true,
          "enabled": true,
          "maxReasonChars": 9000,
          "on": [
            "stop",
          ],
          "runIntervalMinutes": 0,
          "timeoutMs": 300000,
          "whenActive": "allow",
          "whenBusy": "allow",
          "whenGatesChange": "tell",
        },
      }
    `);
  });

  test("without config.yml is not a project", async () => {
    const loaded = await loadProject({ ".gauntlet/checks/test.yml": "command: npm test\n" });

    expect(loaded).toMatchObject({ ok: false, trouble: { kind: "no-config" } });
  });

  test("keeps its checks in files, named after the file", async () => {
    const loaded = await loadProject({
      ".gauntlet/config.yml": "",
      ".gauntlet/checks/lint.yml": "name: something else\ncommand: npm run lint\n",
      ".gauntlet/checks/types.yaml": "command: tsc\n",
      ".gauntlet/checks/notes.txt": "not a check",
      ".gauntlet/checks/.hidden.yml": "not a check",
    });

    const gates = settingsOf(loaded).entryPoints.flatMap((entryPoint) => entryPoint.gates);
    expect(told(loaded)).toBe("");
    expect(gates).toMatchObject([
      { kind: "check", name: "lint", command: "npm run lint" },
      { kind: "check", name: "types", command: "tsc" },
    ]);
  });

  test("says everything about a check", async () => {
    const loaded = await loadProject({
      ".gauntlet/fix/lint.md": "Run `npm run lint -- --fix`.\n",
      ".gauntlet/config.yml": `
checks:
  lint:
    command: npm run lint
    working_directory: ./web/
    parallel: false
    run_in_ci: false
    run_locally: false
    timeout: 1.50049
    fail_fast: true
    fix_instructions: fix/lint.md
    env: { CI: true, RETRIES: 2, VERSION: 1.10, NAME: "x y" }
    shell: bash
    warn_only: true
`,
    });

    expect(settingsOf(loaded).entryPoints[0]?.gates[0]).toEqual({
      kind: "check",
      name: "lint",
      command: "npm run lint",
      workingDirectory: "web",
      parallel: false,
      runInCi: false,
      runLocally: false,
      timeoutMs: 1500,
      failFast: true,
      fixInstructions: "Run `npm run lint -- --fix`.",
      env: { CI: "true", RETRIES: "2", VERSION: "1.10", NAME: "x y" },
      shell: "bash",
      warnOnly: true,
    });
  });

  test("names every file it looked at, the missing ones too", async () => {
    await using project = await tempProject({
      ".gauntlet/config.yml": "checks: { a: { command: x, fix_instructions: a.md } }",
      ".gauntlet/a.md": "do this",
      ".gauntlet/checks/b.yml": "command: b",
    });

    const loaded = await project.load({ XDG_CONFIG_HOME: project.path("home") });

    expect(loaded.ok && [...loaded.value.files].toSorted()).toEqual(
      [
        ".gauntlet/a.md",
        ".gauntlet/checks",
        ".gauntlet/checks/b.yml",
        ".gauntlet/config.local.yml",
        ".gauntlet/config.yml",
        ".gauntlet/reviews",
        "home/agent-gauntlet/config.yml",
      ].map(project.path),
    );
  });
});
