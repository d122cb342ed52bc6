import { describe, expect, test } from "vitest";
import { definitionHash } from "../../../src/config/gauntlet/gates-hash.ts";
import { differences, heldBy, inOneLine } from "../../../src/features/trust/gate-differences.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { loadProject, settingsOf } from "../temp-project.ts";

const CONFIG = "checks: { test: npm test, lint: sh scripts/lint.sh }\n";
const BASE = {
  ".gauntlet/config.yml": CONFIG,
  "package.json": '{ "scripts": { "test": "npm run unit", "unit": "vitest run", "other": "x" } }',
  "scripts/lint.sh": "#!/bin/sh\n./scripts/inner.sh\n",
  "scripts/inner.sh": "eslint .\n",
};

describe("what the gates run", () => {
  test("is found through package scripts and shell scripts", async () => {
    const { scripts } = await load({});

    expect(Object.keys(scripts)).toEqual([
      'package.json script "test"',
      'package.json script "unit"',
      "scripts/inner.sh",
      "scripts/lint.sh",
    ]);
    expect(scripts["scripts/inner.sh"]?.gates).toEqual(["check:.:lint"]);
  });

  test.for<[what: string, config: string, more: Record<string, string>, names: readonly string[]]>([
    [
      "in each child of a directory",
      "entry_points: [{ path: 'web/*', checks: [test] }]\nchecks: { test: npm test }",
      { "web/a/package.json": '{ "scripts": { "test": "x" } }' },
      ['web/a/package.json script "test"'],
    ],
    [
      "in the gate's directory",
      "checks: { test: { command: npm test, working_directory: web } }",
      { "web/package.json": '{ "scripts": { "test": "x" } }' },
      ['web/package.json script "test"'],
    ],
    ["not outside of the project", "checks: { a: sh ../../etc/passwd, b: sh /etc/hostname }", {}, []],
    [
      "in circles without end",
      "checks: { a: npm test }",
      { "package.json": '{ "scripts": { "test": "npm test" } }' },
      ['package.json script "test"'],
    ],
    [
      "in composer.json and deno.json, and what those call",
      "checks: { a: composer test, b: deno task check, c: bundle exec rake }",
      {
        "composer.json": '{ "scripts": { "test": ["@unit"], "unit": "phpunit" } }',
        "deno.json": '{ "tasks": { "check": "sh scripts/inner.sh" } }',
        Rakefile: "task default: :test",
      },
      [
        "Rakefile",
        'composer.json script "test"',
        'composer.json script "unit"',
        'deno.json script "check"',
        "scripts/inner.sh",
      ],
    ],
    ["in no manifest that cannot be read", "checks: { a: npm test }", { "package.json": "{" }, []],
  ])("%s", async ([, config, more, names]) => {
    const { "package.json": _own, ...rest } = BASE;
    const settings = settingsOf(await loadProject({ ...rest, ".gauntlet/config.yml": config, ...more }));

    expect(Object.keys(settings.scripts)).toEqual(names);
  });
});

describe("the difference in words", () => {
  test.for<[words: string, files: Record<string, string>]>([
    [
      'check "test": command was "npm test", is "true"',
      { ".gauntlet/config.yml": CONFIG.replace("npm test", "'true'") },
    ],
    ['check "lint" removed', { ".gauntlet/config.yml": "checks: { test: npm test }" }],
    ["max_retries 3 → 0", { ".gauntlet/config.yml": `${CONFIG}max_retries: 0\n` }],
    [
      "stop_hook.enabled true → false",
      { ".gauntlet/config.yml": `${CONFIG}stop_hook: { enabled: false }\n` },
    ],
    ["stop_hook.timeout 300 s → 20 s", { ".gauntlet/config.yml": `${CONFIG}stop_hook: { timeout: 20 }\n` }],
    [
      'package.json script "unit" changed',
      { "package.json": BASE["package.json"].replace("vitest run", "true") },
    ],
    ["scripts/inner.sh changed", { "scripts/inner.sh": "true\n" }],
    ['check "more" added', { ".gauntlet/checks/more.yml": "command: x" }],
    [
      'package.json script "pretest" added',
      { "package.json": BASE["package.json"].replace('"other"', '"pretest"') },
    ],
    [".npmrc added", { ".npmrc": "script-shell=/bin/true\n" }],
    [
      'check "test": warn_only false → true',
      { ".gauntlet/config.yml": CONFIG.replace("npm test", "{ command: npm test, warn_only: true }") },
    ],
    [
      'check "test": exclude [] → ["src"]; check "lint": exclude [] → ["src"]',
      {
        ".gauntlet/config.yml": `${CONFIG}entry_points: [{ path: ., exclude: [src], checks: [test, lint] }]\n`,
      },
    ],
    ["", { "package.json": BASE["package.json"].replace('"x"', '"y"') }],
    ["", { ".gauntlet/config.yml": `# a comment\n${CONFIG}debug_log: true\n` }],
  ])("%s", async ([words, files]) => {
    const [before, after] = [await load({}), await load(files)];

    expect(
      differences(before, after)
        .map(({ text }) => text)
        .toSorted()
        .join("; "),
    ).toBe(words.split("; ").toSorted().join("; "));
    expect(before.definitionHash === after.definitionHash).toBe(words === "");
  });

  test("names what is gone first, and how much more there is", () => {
    const text = inOneLine(
      ["a", "b".repeat(290), "c".repeat(10)].map((one) => ({ kind: "changed", text: one })),
    );

    expect(text).toBe(`a; ${"b".repeat(290)}; and 1 more`);
  });
});

describe("gates that are held", () => {
  test("are those of the beginning and what was added since", async () => {
    const before = await load({});
    const after = await load({
      ".gauntlet/config.yml": "checks: { test: 'true', more: x }\nmax_retries: 0\n",
    });

    const held = heldBy(before, after, { mayAdd: true });

    expect(namesIn(held)).toEqual(["test npm test", "lint sh scripts/lint.sh", "more x"]);
    expect(held.maxRetries).toBe(3);
    expect(namesIn(heldBy(before, after, { mayAdd: false, withoutGates: ["check:.:test"] }))).toEqual([
      "lint sh scripts/lint.sh",
    ]);
  });

  test("have the hash of the beginning when nothing was added", async () => {
    const before = await load({});

    expect(definitionHash(heldBy(before, await load({ "scripts/inner.sh": "" }), { mayAdd: true }))).toBe(
      before.definitionHash,
    );
  });
});

function namesIn({ entryPoints }: Pick<Settings, "entryPoints">): readonly string[] {
  return entryPoints.flatMap(({ gates }) =>
    gates.map((gate) => `${gate.name} ${gate.kind === "check" ? gate.command : ""}`),
  );
}

async function load(files: Readonly<Record<string, string>>): Promise<Settings> {
  return settingsOf(await loadProject({ ...BASE, ...files }));
}
