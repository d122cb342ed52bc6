import { expect, test } from "vitest";
import { Git } from "../../../src/machine/git/git.ts";
import { tempDir } from "../../rig/temp-dir.ts";

test("a signal ends the git it was given to, wherever that looks, and no other", async () => {
  await using dir = await tempDir();
  const cancelling = new AbortController();
  const wait = ["-c", "alias.wait=!sleep 0.1", "wait"];
  const [cancelled, other] = [new Git("/", cancelling.signal).at(dir.path), new Git(dir.path)];

  const asked = Promise.all([cancelled.ask(wait), other.ask(wait)]);
  cancelling.abort();

  expect(await asked).toMatchObject([
    { ok: true, value: { exitCode: 128, wasEnded: true } },
    { ok: true, value: { exitCode: 0, wasEnded: false } },
  ]);
});
