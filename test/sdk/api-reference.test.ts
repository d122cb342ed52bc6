import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as sdk from "../../src/sdk/index.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(`${REPOSITORY}/docs/sdk.md`, "utf8");

test("the API reference is what the types say (npm run api-reference)", async () => {
  const check = promisify(execFile)("node", ["scripts/write-api-reference.mjs", "--check"], {
    cwd: REPOSITORY,
  });

  await expect(check).resolves.toMatchObject({ stderr: "" });
});

test("every event that is logged is documented", () => {
  const source = readdirSync(`${REPOSITORY}/src/sdk`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(`${REPOSITORY}/src/sdk/${name}`, "utf8"))
    .join("\n");
  const events = [...source.matchAll(/\.log\("\w+", "([\w.]+)"/g)].map(([, event]) => event);

  expect(events.length).toBeGreaterThan(4);
  expect(events.filter((event) => !PAGE.includes(`\`${event}\``))).toEqual([]);
});

test("everything the page's programs import is there", () => {
  const imports = [...PAGE.matchAll(/import \{([^}]+)\} from "[^"]+\/sdk"/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  );

  expect(imports.length).toBeGreaterThan(4);
  expect(imports.filter((name) => name !== "" && !(name in sdk))).toEqual([]);
});
