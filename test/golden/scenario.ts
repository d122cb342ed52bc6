import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Files, Play } from "./play.ts";

const RECORDED = join(import.meta.dirname, "recorded");

/** A configuration, and other files. Work is done on a branch off `main`. */
export function configured(settings: string, more: Files = {}): Files {
  return { ".gauntlet/config.yml": `base_branch: main\n${settings}`, ...more };
}

/** A check that is green while `a.txt` says so. */
export const CHECK = "checks:\n  test: \"grep -q good a.txt || { echo 'a.txt:1:1: error: bad'; exit 1; }\"\n";
export const GOOD = { "a.txt": "good\n" };
export const BAD = { "a.txt": "bad\n" };

type Act = (play: Play) => Promise<void>;

/**
 * The scenarios of one family. Each is played with the built program in a repository of its own, in which `files` are committed, and
 * all that the program answers is compared with the file recorded for it. `npm run golden` records.
 */
export function scenariosOf(family: string) {
  const directory = join(RECORDED, family);
  const files = new Set<string>();
  test("every recording belongs to a scenario", () => {
    const recorded = existsSync(directory) ? readdirSync(directory) : [];

    expect(recorded.filter((file) => !files.has(file))).toEqual([]);
  });
  return function scenario(name: string, committed: Files, act: Act): void {
    const file = `${name.replaceAll(/[^a-zA-Z0-9]+/g, "-")}.txt`;
    files.add(file);
    test.concurrent(name, async ({ expect }) => {
      await using play = await Play.begin(committed);
      await act(play);

      await expect(play.transcript.text).toMatchFileSnapshot(join(directory, file));
    });
  };
}
