import { expect, test } from "vitest";
import { endingGitWith, git } from "../../src/machine/git.ts";
import { tempDir } from "../rig/temp-dir.ts";

const WAIT = ["-c", "alias.wait=!sleep 1", "wait"];

test.each([
  ["first", [128, 0]],
  ["second", [0, 128]],
])("the %s of two works ends its own git alone", async (which, exitCodes) => {
  await using dir = await tempDir();
  const [first, second] = [new AbortController(), new AbortController()];
  const wait = async (): Promise<number | undefined> => {
    const answer = await git(dir.path, WAIT);
    return answer.ok ? answer.value.exitCode : undefined;
  };

  const works = [endingGitWith(first.signal, wait), endingGitWith(second.signal, wait)];
  (which === "first" ? first : second).abort();

  expect(await Promise.all(works)).toEqual(exitCodes);
});

test("a git outside of any work is ended by none", async () => {
  await using dir = await tempDir();
  const over = new AbortController();
  await endingGitWith(over.signal, async () => git(dir.path, ["--version"]));
  over.abort();

  expect(await git(dir.path, ["--version"])).toMatchObject({ ok: true, value: { exitCode: 0 } });
});
