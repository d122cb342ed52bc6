import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const PAIRS = 200;

/** A linter for lines that begin with BAD, which names file, line and words. */
const LINT = String.raw`grep -n '^BAD' src/*.js | sed -E 's/^([^:]+):([0-9]+):(.*)$/\1:\2:1: error: \3 [no-bad]/'; ! grep -q '^BAD' src/*.js`;

let project: GauntletProject;

beforeAll(async () => {
  project = await GauntletProject.create({
    ".gauntlet/config.yml": `base_branch: main\nmax_retries: 1000\nonly_new: true\nchecks: { lint: ${JSON.stringify(LINT)} }\n`,
    ".gitignore": "gauntlet_logs\n",
    "src/a.js": "",
  });
});

afterAll(async () => project[Symbol.asyncDispose]());

/** The same numbers for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Tree = Readonly<Record<string, string>>;

function randomTree(next: (below: number) => number): Tree {
  const line = (): string => ["fine", "BAD one", "BAD two", "BAD three"][next(4)] ?? "";
  const text = (): string => Array.from({ length: next(5) }, () => `${line()}\n`).join("");
  return { "src/a.js": text(), "src/b.js": text(), "src/c.js": text() };
}

/** What is wrong, by file and words, as often as it is there. */
function problemsOf(tree: Tree): readonly string[] {
  return Object.entries(tree).flatMap(([file, text]) =>
    text.split("\n").flatMap((line) => (line.startsWith("BAD") ? [`${file} ${line}`] : [])),
  );
}

function beyond(now: readonly string[], before: readonly string[]): readonly string[] {
  const left = [...before];
  return now.filter((one) => {
    const at = left.indexOf(one);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

test(
  `of ${PAIRS} random pairs of trees, never is an old problem blocked for, and never a new one let through`,
  { timeout: 1_200_000 },
  async () => {
    for (let seed = 1; seed <= PAIRS; seed += 1) {
      const next = numbersFrom(seed);
      const [before, now] = [randomTree(next), randomTree(next)];
      await project.git("checkout", "--quiet", "--force", "-B", "main");
      await project.write(before);
      await project.commit(`tree ${seed}`);
      await project.git("checkout", "--quiet", "-B", "work");
      await project.write({ ...now, "src/changed.js": `fine ${seed}\n` });

      const { status, outcomes } = await project.json(["run"], { env: { TMPDIR: join(project.home) } });

      const news = beyond(problemsOf(now), problemsOf(before));
      const expected =
        news.length > 0 ? "failed" : problemsOf(now).length > 0 ? "passed_with_warnings" : "passed";
      expect(status, `seed ${seed}`).toBe(expected);
      const [{ problems }] = outcomes as [{ problems: { file: string; message: string; isNew: boolean }[] }];
      const told = problems.filter(({ isNew }) => isNew).map(({ file, message }) => `${file} ${message}`);
      expect(told.toSorted(), `seed ${seed}`).toEqual([...news].toSorted());
    }
  },
);
