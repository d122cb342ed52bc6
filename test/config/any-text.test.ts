import { writeFile } from "node:fs/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LoadedSettings } from "../../src/config/gauntlet/load.ts";
import type { Result } from "../../src/trouble.ts";
import { runs } from "../rig/property-runs.ts";
import { tempProject } from "./temp-project.ts";

const CONFIG = `# comment
base_branch: &b origin/main
max_retries: 3
entry_points:
  - path: "src/*"
    exclude: ['a/**', docs]
    checks: [test, lint]
    reviews: [security]
checks:
  test: npm test
  lint: &lint { command: npm run lint, timeout: 10, env: { CI: 1 }, fix_instructions: fix.md }
  more:
    <<: *lint
    command: |
      one
      two
reviews:
  security: { builtin: security, cli_preference: [claude, "command: x"] }
stop_hook: { enabled: true, when_active: enforce }
debug_log: true
`;

const CHECK = "name: x\ncommand: >-\n  npm run\n  lint\nparallel: false\nfail_fast: true\n";
const REVIEW = "---\nnum_reviews: 2\nmin_priority: high\ncli_preference: [codex]\n---\nLook at *this*.\n";

/** Letters that mean something to YAML, to Markdown fences or to us. */
const piece = fc.oneof(
  fc.constantFrom(
    "\t",
    "  ",
    "\n",
    "\r\n",
    "---\n",
    "- ",
    ": ",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "<<: ",
  ),
  fc.constantFrom(
    "!!set ",
    "!x ",
    "|",
    ">",
    "#",
    '"',
    "'",
    "%YAML 1.1\n",
    "null",
    "~",
    "yes",
    "-1",
    "1e999",
    ".nan",
  ),
  fc.constantFrom(
    "__proto__: ",
    "constructor: ",
    "toString",
    "checks:",
    "command: ",
    "2020-01-01",
    "\0",
    "\uFEFF",
    "\uD800",
  ),
  fc.string({ maxLength: 4 }),
);

const edits = fc.array(fc.record({ at: fc.nat(1000), remove: fc.nat(12), insert: piece }), {
  minLength: 1,
  maxLength: 6,
});

test("any bytes are settings or diagnostics", async () => {
  await using project = await tempProject({ ".gauntlet/config.yml": "" });

  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await writeFile(project.path(".gauntlet/config.yml"), bytes);
      expectSense(await project.load());
    }),
    { numRuns: runs(30) },
  );
});

test.for([
  [".gauntlet/config.yml", CONFIG],
  [".gauntlet/checks/lint.yml", CHECK],
  [".gauntlet/reviews/style.md", REVIEW],
] as const)("any edit of %s gives settings or diagnostics", async ([file, text]) => {
  await using project = await tempProject({
    ".gauntlet/config.yml": "",
    ".gauntlet/fix.md": "fix",
    [file]: text,
  });

  await fc.assert(
    fc.asyncProperty(edits, async (list) => {
      await writeFile(project.path(file), list.reduce(applyEdit, text));
      expectSense(await project.load());
    }),
    { numRuns: runs(40) },
  );
});

test("any value under any key is settings or diagnostics", async () => {
  await using project = await tempProject({ ".gauntlet/config.yml": "" });
  const keys = [
    "base_branch",
    "log_dir",
    "entry_points",
    "checks",
    "reviews",
    "cli",
    "stop_hook",
    "debug_log",
  ];

  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), fc.jsonValue(), async (key, value) => {
      await writeFile(project.path(".gauntlet/config.yml"), JSON.stringify({ [key]: value }));
      expectSense(await project.load());
    }),
    { numRuns: runs(40) },
  );
});

function applyEdit(
  text: string,
  { at, remove, insert }: { at: number; remove: number; insert: string },
): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + insert + text.slice(place + remove);
}

/** Settings hold at least an entry point; a refusal names at least one error, each with its place in the text. */
function expectSense(loaded: Result<LoadedSettings>): void {
  if (loaded.ok) {
    expect(loaded.value.settings.entryPoints.length).toBeGreaterThan(0);
    expect(loaded.value.warnings.every(({ severity }) => severity === "warning")).toBe(true);
    return;
  }
  expect(loaded.trouble.kind).toBe("config-invalid");
  const diagnostics = loaded.trouble.kind === "config-invalid" ? loaded.trouble.diagnostics : [];
  expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  for (const { message, line = 1, column = 1 } of diagnostics) {
    expect(message).not.toMatch(/undefined|\[object|Invalid input|\n/);
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
  }
}
