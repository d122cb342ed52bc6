import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { type AbsolutePath, absolutePath } from "../../src/path.ts";

import { findHost, HOSTS } from "../../src/hosts/host-table.ts";
import { type HostFile, type Level, type Places, hostFile } from "../../src/install/files/host-files.ts";
import { type HostPlan, filesOf, planHostInstall, planHostUninstall } from "../../src/install/plan-hosts.ts";
import { previewChange } from "../../src/install/files/settings-file.ts";

const command = "agent-gauntlet stop-hook";
const places: Places = { root: absolutePath("/p"), home: absolutePath("/home/ann"), env: {} };
const REGISTRABLE = HOSTS.filter((host) => host.registration !== undefined).map((host) => host.name);

type Disk = Map<AbsolutePath, string>;

function targets(hosts: readonly string[], level: Level = "project"): readonly HostFile[] {
  return hosts.flatMap((name) => {
    const host = findHost(name);
    return host === undefined ? [] : (hostFile(host, level, places) ?? []);
  });
}

/** Plans against the files and carries the plan out, as the command does. */
function apply(disk: Disk, wanted: readonly HostFile[], plan: typeof planHostInstall): HostPlan {
  const texts = new Map(filesOf(wanted, places).map((path) => [path, disk.get(path)]));
  const planned = plan({ targets: wanted, places, texts, command, hooks: ["stop"] });
  for (const { path, change } of planned.files) {
    if (change.kind === "written") disk.set(path, change.text);
    if (change.kind === "removed") disk.delete(path);
  }
  return planned;
}

function json(disk: Disk, path: string): unknown {
  return parse(disk.get(absolutePath(path)) ?? "");
}

describe("one host in an empty project", () => {
  test.each([
    ["codex", "/p/.codex/hooks.json", { type: "command", command: `${command} --host codex`, timeout: 300 }],
    [
      "qwen",
      "/p/.qwen/settings.json",
      { type: "command", command: `${command} --host qwen`, timeout: 300_000 },
    ],
    [
      "droid",
      "/p/.factory/settings.json",
      { type: "command", command: `${command} --host droid`, timeout: 300 },
    ],
    ["claude-code", "/p/.claude/settings.local.json", { type: "command", command, timeout: 300 }],
  ] as const)("is registered for %s as a group under Stop, in its own unit of time", (host, path, hook) => {
    const disk: Disk = new Map();

    apply(disk, targets([host]), planHostInstall);

    expect(json(disk, path)).toEqual({ hooks: { Stop: [{ hooks: [hook] }] } });
  });

  test("is registered for Gemini CLI under AfterAgent, in milliseconds", () => {
    const disk: Disk = new Map();

    apply(disk, targets(["gemini"]), planHostInstall);

    const hook = { type: "command", command: `${command} --host gemini`, timeout: 300_000 };
    expect(json(disk, "/p/.gemini/settings.json")).toEqual({ hooks: { AfterAgent: [{ hooks: [hook] }] } });
  });

  test("is registered once for Copilot CLI and VS Code, which read the same file", () => {
    const disk: Disk = new Map();

    const { files } = apply(disk, targets(["copilot", "vscode"]), planHostInstall);

    expect(files).toHaveLength(1);
    expect(json(disk, "/p/.github/hooks/agent-gauntlet.json")).toEqual({
      hooks: { Stop: [{ type: "command", command, timeout: 300 }] },
    });
  });

  test("is registered for Cursor with the version its file needs and the loop limit", () => {
    const disk: Disk = new Map();

    apply(disk, targets(["cursor"]), planHostInstall);

    expect(json(disk, "/p/.cursor/hooks.json")).toEqual({
      version: 1,
      hooks: { stop: [{ command: `${command} --host cursor`, timeout: 300, loop_limit: 5 }] },
    });
  });
});

test("the user level is the home directory, or where a variable moved it", () => {
  const codex = findHost("codex");
  const moved = { ...places, env: { CODEX_HOME: "/elsewhere" } };

  expect(codex && hostFile(codex, "user", places)).toMatchObject({
    path: "/home/ann/.codex/hooks.json",
    shown: "~/.codex/hooks.json",
  });
  expect(codex && hostFile(codex, "user", moved)).toMatchObject({ path: "/elsewhere/hooks.json" });
  expect(codex && hostFile(codex, "user", { ...places, env: { CODEX_HOME: "" } })).toMatchObject({
    path: "/home/ann/.codex/hooks.json",
  });
});

describe("hosts that read Claude Code's settings too", () => {
  test("are not registered a second time, and the user is notified", () => {
    const disk: Disk = new Map();

    const { notes } = apply(disk, targets(["claude-code", "copilot", "vscode"]), planHostInstall);

    expect([...disk.keys()]).toEqual(["/p/.claude/settings.local.json"]);
    expect(notes).toEqual([
      "Copilot CLI also runs the hooks of .claude/settings.local.json, so it is not registered in .github/hooks/agent-gauntlet.json as well.",
      "VS Code chat also runs the hooks of .claude/settings.local.json, so it is not registered in .github/hooks/agent-gauntlet.json as well.",
    ]);
  });

  test("are not registered later either", () => {
    const disk: Disk = new Map();
    apply(disk, targets(["claude-code"]), planHostInstall);

    const { files, notes } = apply(disk, targets(["copilot"]), planHostInstall);

    expect(files).toEqual([]);
    expect(notes[0]).toContain("also runs the hooks of .claude/settings.local.json");
  });

  test("are said to fire twice when they had a registration of their own before", () => {
    const disk: Disk = new Map();
    apply(disk, targets(["copilot"]), planHostInstall);

    const { notes } = apply(disk, targets(["claude-code", "copilot"]), planHostInstall);

    expect(notes.join("\n")).toContain("Copilot CLI runs the hook twice");
    expect(notes.join("\n")).toContain("agent-gauntlet uninstall --host copilot");
  });

  test("are registered where they obey those settings only on request: Cursor", () => {
    const disk: Disk = new Map();

    const { notes } = apply(disk, targets(["claude-code", "cursor"]), planHostInstall);

    expect([...disk.keys()]).toContain("/p/.cursor/hooks.json");
    expect(notes.join("\n")).toContain("Cursor runs the hook twice if");
  });
});

test("what the user must still do is said when something was registered, and not again", () => {
  const disk: Disk = new Map();

  const first = apply(disk, targets(["codex"]), planHostInstall);
  const second = apply(disk, targets(["codex"]), planHostInstall);

  expect(first.notes.join("\n")).toContain("/hooks");
  expect(second.files.map((file) => file.change.kind)).toEqual(["unchanged"]);
  expect(second.notes).toEqual([]);
});

describe("installing for all hosts and uninstalling", () => {
  const existing: readonly [string, string][] = [
    ["/p/.claude/settings.local.json", '{\n\t// mine\n\t"model": "opus",\n}\n'],
    [
      "/p/.codex/hooks.json",
      '{ "hooks": { "Stop": [ { "hooks": [{ "type": "command", "command": "say" }] } ] } }',
    ],
    ["/p/.gemini/settings.json", '\uFEFF{\r\n    "theme": "dark"\r\n}\r\n'],
    ["/p/.qwen/settings.json", '{"hooks":{"Stop":[]}}'],
    ["/p/.factory/settings.json", "{}"],
    ["/p/.cursor/hooks.json", '{\n  "version": 1\n}\n'],
    ["/p/.github/hooks/agent-gauntlet.json", '{\n  "hooks": {}\n}\n'],
  ];

  test("leaves an empty project empty", () => {
    const disk: Disk = new Map();

    for (const host of REGISTRABLE) apply(disk, targets([host]), planHostInstall);
    expect(disk.size).toBeGreaterThan(5);
    apply(disk, targets(REGISTRABLE), planHostUninstall);

    expect([...disk]).toEqual([]);
  });

  test("leaves every file of a project as it was, byte for byte", () => {
    const before = existing.map(([path, text]) => [absolutePath(path), text] as const);
    const disk: Disk = new Map(before);

    apply(disk, targets(["copilot"]), planHostInstall);
    apply(disk, targets(REGISTRABLE), planHostInstall);
    for (const [path, text] of before) expect(disk.get(path)).not.toBe(text);
    apply(disk, targets(REGISTRABLE), planHostUninstall);

    expect([...disk]).toEqual(before);
  });
});

test("a file that cannot be parsed is left alone, and the others are still planned", () => {
  const broken = absolutePath("/p/.codex/hooks.json");
  const disk: Disk = new Map([[broken, "{ oops"]]);

  const { troubles } = apply(disk, targets(["codex", "qwen"]), planHostInstall);

  expect(disk.get(broken)).toBe("{ oops");
  expect(troubles).toMatchObject([{ kind: "host-settings-invalid" }]);
  expect([...disk.keys()]).toContain("/p/.qwen/settings.json");
});

test("the preview shows the lines that come and go", () => {
  const before = '{\n  "model": "opus"\n}\n';
  const after = '{\n  "model": "opus",\n  "hooks": {}\n}\n';

  expect(previewChange("a.json", before, { kind: "written", text: after })).toBe(`  a.json (changed)
      {
    -   "model": "opus"
    +   "model": "opus",
    +   "hooks": {}
      }
`);
  expect(previewChange("a.json", undefined, { kind: "written", text: "{}\n" })).toContain("(new file)");
  expect(previewChange("a.json", "{}\n", { kind: "removed" })).toContain("- {}");
});
