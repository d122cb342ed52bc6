import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mainBranch } from "../../src/install/starter-config.ts";
import { tempDir } from "../rig/temp-dir.ts";

test.for<[what: string, commands: readonly string[], branch: string]>([
  [
    "the default branch of the remote",
    ["clone -q remote here", "-C here checkout -q -b topic"],
    "origin/trunk",
  ],
  [
    "the remote's main line where it does not say",
    ["init -q here", "-C here remote add origin ../remote", "-C here fetch -q"],
    "origin/master",
  ],
  [
    "the local main line without a remote",
    ["init -q -b main here", commit(), "-C here checkout -q -b topic"],
    "main",
  ],
  [
    "master where that is the name",
    ["init -q -b master here", commit(), "-C here checkout -q -b topic"],
    "master",
  ],
  ["the branch it is on where no name is known", ["init -q -b develop here", commit()], "develop"],
  ["the branch to be where there is no commit yet", ["init -q -b main here"], "main"],
])("changes are compared with %s", async ([, commands, branch]) => {
  await using directory = await tempDir();
  const git = (line: string) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...line.split(" ")], {
      cwd: directory.path,
      stdio: "pipe",
    });
  git("init -q -b trunk remote");
  git(commit("remote"));
  git("-C remote branch master");

  for (const command of commands) git(command);

  expect(await mainBranch(join(directory.path, "here"))).toBe(branch);
});

test("outside git it is undefined", async () => {
  await using directory = await tempDir();

  expect(await mainBranch(directory.path)).toBeUndefined();
});

function commit(where = "here"): string {
  return `-C ${where} commit -q --allow-empty -m start`;
}
