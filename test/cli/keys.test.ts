import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

test("a key is created once, is readable by its owner alone, and shows only its public half", async () => {
  await using project = await GauntletProject.create({});
  const none = await project.gauntlet(["keys", "show"]);
  const created = await project.gauntlet(["keys", "create"]);
  const again = await project.gauntlet(["keys", "create"]);
  const pem = await project.gauntlet(["keys", "show", "--public"]);
  await project.write({
    ".gauntlet/ci.pub": pem.stdout,
    ".gauntlet/config.yml":
      "checks: { a: 'true' }\nremote: { cache: { url: http://127.0.0.1:1, trust: [.gauntlet/ci.pub] } }\n",
  });
  const shown = await project.json(["keys", "show", "default"]);
  const odd = await project.gauntlet(["keys", "create", "../evil"]);
  const file = join(project.home, ".local/state/agent-gauntlet/keys/default.pem");

  expect([none.exitCode, created.exitCode, again.exitCode, odd.exitCode]).toEqual([1, 0, 1, 1]);
  expect(none.stderr).toContain("agent-gauntlet keys create");
  expect(again.stderr).toContain("there is a key of this name already");
  expect(pem.stdout).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(shown).toMatchObject({
    command: "keys",
    source: file,
    trustedBy: ".gauntlet/ci.pub",
    publicKey: pem.stdout,
  });
  expect([created, again, pem].map(({ stdout }) => stdout).join("")).not.toContain("PRIVATE");
  expect(statSync(file).mode & 0o077).toBe(0);
});
