import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { keysAt } from "../../src/config/gauntlet/read-value.ts";
import { checkSchema, inlineReviewSchema } from "../../src/config/gauntlet/gate-schema.ts";
import { configSchema, entryPointSchema } from "../../src/config/gauntlet/schema.ts";
import { loadProject, told } from "./temp-project.ts";

const DOCS = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");

const EXAMPLES = [...DOCS.matchAll(/^```(yaml|markdown)\n(.*?)^```$/gms)].map(([, language, text = ""]) => {
  if (language === "markdown") return [".gauntlet/reviews/example.md", text] as const;
  return [/^# (\S+\.yml)$/m.exec(text)?.[1] ?? ".gauntlet/config.yml", text] as const;
});

test.for(EXAMPLES)("the example of a %s is valid: %s", async ([file, text]) => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": "",
    ".gauntlet/how-to-fix/integration.md": "Start the database first.",
    "node_modules/@acme/gates/gauntlet.yml": "checks: { lint: npx eslint . }",
    [file]: text,
  });

  expect(loaded.ok, told(loaded)).toBe(true);
  expect(told(loaded)).not.toContain("unknown key");
});

test.for([
  ...keysAt(configSchema, []),
  ...keysAt(configSchema, ["stop_hook"]),
  ...keysAt(configSchema, ["debug_log"]),
  ...keysAt(checkSchema, []),
  ...keysAt(inlineReviewSchema, []),
  ...keysAt(entryPointSchema, []),
])("the key %s has its row in a table", (key) => {
  expect(DOCS).toMatch(new RegExp(`^\\| \`${key}(?:\\.default_preference)?\` `, "m"));
});
