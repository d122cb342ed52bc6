import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../../src/config/gauntlet/load.ts";
import { absolutePath } from "../../../src/path.ts";
import type { GatesDefinition } from "../../../src/config/settings.ts";
import {
  keepDefinition,
  readConsent,
  readDefinition,
  writeConsent,
} from "../../../src/features/trust/gates-store.ts";
import { damagedCopies } from "../../rig/damaged-copies.ts";
import { tempDir } from "../../rig/temp-dir.ts";

const CONFIG = `
guards: { weakened-tests: block }
stop_hook: { when_gates_change: hold }
checks:
  test: { command: npm test, env: { A: b }, inputs: ["src/**"], needs: [lint] }
  lint: npx eslint .
`;

async function definitionIn(root: string): Promise<GatesDefinition> {
  await mkdir(join(root, ".gauntlet"));
  await writeFile(join(root, ".gauntlet/config.yml"), CONFIG);
  await writeFile(join(root, "package.json"), '{ "scripts": { "test": "exit 1" } }');
  const loaded = await loadSettings(absolutePath(root), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.trouble));
  const { root: _root, ...definition } = loaded.value.settings;
  return definition;
}

async function onlyFileBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const [file, ...more] = entries.filter((entry) => entry.isFile());
  expect(more).toEqual([]);
  return join(file?.parentPath ?? "", file?.name ?? "");
}

test("of gates as a session found them, nothing is believed once a single field was damaged", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: join(home.path, "state") };
  const definition = await definitionIn(home.path);
  const { definitionHash: hash } = definition;
  keepDefinition(home.path, definition, env);
  const file = await onlyFileBelow(env.XDG_STATE_HOME);
  expect(readDefinition({ root: home.path, hash }, env)).toEqual(definition);

  for (const { at, text } of damagedCopies(await readFile(file, "utf8"), "state")) {
    await writeFile(file, text);

    expect(readDefinition({ root: home.path, hash }, env), at).toBeUndefined();
  }
});

test("of gates that the user allowed, neither; which they were is still known", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: join(home.path, "state") };
  const definition = await definitionIn(home.path);
  const consent = { root: home.path, decision: "allowed", at: 1, hash: "hash" } as const;
  writeConsent({ ...consent, definition }, env);
  const file = await onlyFileBelow(env.XDG_STATE_HOME);
  expect(readConsent(home.path, env)).toEqual({ ...consent, definition });

  const copies = [...damagedCopies(await readFile(file, "utf8"), "state")];
  for (const { at, text } of copies.filter((one) => one.at.startsWith("state.definition"))) {
    await writeFile(file, text);

    expect(readConsent(home.path, env), at).toEqual(consent);
  }
});
