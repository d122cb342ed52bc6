import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { GAUNTLET } from "../rig/program.ts";

let project: GauntletProject | undefined;

afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

/** A linter for lines that say BAD. It also says where it ran, how often, and what git makes of that place. */
const LINT = `
printf '%s\\n' "$PWD" >> "$RAN"
GIT_OPTIONAL_LOCKS=0 git status --porcelain --untracked-files=no >> "$RAN.status"
found=0
for file in src/*.js; do
  grep -n BAD "$file" > found.txt || continue
  found=1
  while IFS=: read -r line text; do echo "$PWD/$file:$line:1: error: $text [no-bad]"; done < found.txt
done
exit $found
`;

const OLD = {
  "lint.sh": LINT,
  ".gitignore": "found.txt\nnode_modules/\n",
  "src/a.js": "one\nBAD old\n",
  "src/b.js": "two\nBAD older\n",
};

/** On a branch off `main`, where two problems are old. */
async function projectWith(
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const made = await GauntletProject.create({
    ...OLD,
    ...files,
    ".gauntlet/config.yml": `base_branch: main\n${config}`,
  });
  await made.commit("start");
  await made.git("checkout", "--quiet", "-b", "work");
  return made;
}

const ONLY_NEW = "only_new: true\nchecks: { lint: sh lint.sh }\n";

function env({ home }: GauntletProject): Record<string, string> {
  return { RAN: join(home, "ran"), TMPDIR: join(home, "tmp") };
}

async function stopIn(made: GauntletProject) {
  return made.stop({}, { env: env(made) });
}

function placesIn({ home }: GauntletProject): readonly string[] {
  return existsSync(join(home, "ran")) ? (project?.at(home).read("ran").trim().split("\n") ?? []) : [];
}

/** Every file below a directory, with what is in it. */
function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => `${name} ${readFileSync(join(directory, name), "base64")}`)
    .toSorted();
}

describe("a check with only_new", () => {
  test("lets the agent stop when only old problems are left, and tells the user once", async () => {
    project = await projectWith(ONLY_NEW);
    await project.write({ "home/../src/a.js": "a line more\none\nBAD old\n", "../home/tmp/.keep": "" });

    const first = await stopIn(project);

    expect(first.answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(first.answer.systemMessage).toMatch(
      /lint is red for older reasons .* 2 problems were there before \(main \(\w{7}\)\), and none is new\. The first: src\/a\.js:3:1 error no-bad: BAD old/,
    );
    await project.write({ "src/c.js": "fine\n" });
    expect((await stopIn(project)).answer.systemMessage).toBeUndefined();
    expect(placesIn(project)).toHaveLength(3); // here, on the earlier tree, and here: what it found there is remembered
    expect(readdirSync(join(project.home, "tmp"))).toEqual([".keep"]);
    expect(project.at(project.home).read("ran.status")).toContain(" M src/a.js\n");
    const log = await project.gauntlet(["log", "--json"]);
    expect(log.stdout).toContain('"rests":["baseline"]');
  });

  test("blocks for what is new, and names only that", async () => {
    project = await projectWith(ONLY_NEW);
    await project.write({ "src/b.js": "two\nBAD older\nBAD new\n", "../home/tmp/.keep": "" });

    const { answer } = await stopIn(project);

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.reason).toContain("src/b.js:3:1 error no-bad: BAD new");
    expect(answer.reason).toContain("2 more problems were there before your change: leave them alone.");
    expect(answer.reason).not.toMatch(/BAD old/);
    const report = await project.json(["run"], { env: env(project) });
    expect(report["outcomes"]).toMatchObject([
      {
        baseline: { comparedWith: expect.stringMatching(/^main/) as string, old: 2, gone: 0 },
        problems: [{ isNew: true, file: "src/b.js" }, { isNew: false }, { isNew: false }],
      },
    ]);
    const sarif = await project.gauntlet(["report", "--format", "sarif"]);
    const states = [...sarif.stdout.matchAll(/"baselineState":"(\w+)"/g)].map(([, state]) => state);
    expect(states).toEqual(["new", "unchanged", "unchanged"]);
    const all = await project.gauntlet(["run", "--all-problems"], { env: env(project) });
    expect(all.stdout).toContain("3 errors in 2 files");
  });

  test("never counts as red for older reasons when its command cannot be run, and says so", async () => {
    project = await projectWith("only_new: true\nchecks: { lint: sh missing.sh }\n", {
      "missing.sh": "no-such-linter src\n",
    });
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });

    const { answer } = await stopIn(project);
    const baseline = await project.json(["baseline"], { env: env(project) });

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.message).toContain(
      "exit code 127 (command not found); not compared with what was there before: the command itself could not be run",
    );
    expect(baseline).toMatchObject({
      problems: 0,
      undecided: ["lint failed: exit code 127 (command not found)"],
    });
  });

  test("starts nothing more while nothing fails", async () => {
    project = await projectWith(ONLY_NEW);
    await project.write({ "src/a.js": "fine\n", "src/b.js": "fine\n" });

    const { answer } = await stopIn(project);

    expect(answer.status).toBe("passed");
    expect(placesIn(project)).toHaveLength(1);
  });

  test("cannot reach the project's dependencies from the earlier tree", async () => {
    project = await projectWith(
      "checks: { lint: { only_new: true, command: 'cat node_modules/dep/index.js; basename $PWD > node_modules/dep/index.js; sh lint.sh' } }\n",
      { "package-lock.json": "1" },
    );
    const dep = "node_modules/dep/index.js";
    await project.write({ [dep]: "dependency\n", "src/c.js": "fine\n", "../home/tmp/.keep": "" });
    const before = filesOf(join(project.root, ".git"));

    const { answer } = await stopIn(project);

    expect(answer.status).toBe("passed_with_warnings");
    expect(project.read("gauntlet_logs/baseline_._lint.1.log")).toMatch(/^project\n/); // a copy
    expect(project.read(dep)).toBe("project\n"); // there it wrote another name
    expect(filesOf(join(project.root, ".git"))).toEqual(before);
    await project.write({ "package-lock.json": "2" });
    const moved = await project.gauntlet(["run"], {
      env: { ...env(project), XDG_CACHE_HOME: join(project.home, "fresh") },
    });
    expect(moved.stdout).toContain(
      "not compared with what was there before: package-lock.json has changed since, so other dependencies are installed now",
    );
  });
});

const PTY = join(import.meta.dirname, "../rig/terminal.py");
const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;

/** `baseline` at a terminal, where the user says yes. */
function baselineByUser(made: GauntletProject) {
  return run(["python3", PTY, "24", "80", ...GAUNTLET, "baseline"], {
    cwd: made.root,
    env: { ...cleanEnv(made.home), ...env(made), TERM: "xterm", TYPED: "y\r" },
  });
}

function entry(file: string, message: string): object {
  return { gate: "check:.:lint", file, code: "no-bad", message, count: 1 };
}

describe.skipIf(!HAS_PYTHON)("the committed baseline (needs python3 for a terminal)", () => {
  const FILE = ".gauntlet/baseline.json";

  test("is written by a user, holds for stops without running anything twice, and shrinks", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });

    expect((await baselineByUser(project)).stdout).toContain(`Wrote ${FILE}. Commit it.`);
    const before = placesIn(project).length;
    const { answer } = await stopIn(project);

    expect(answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(placesIn(project)).toHaveLength(before + 1);
    await project.write({ "src/b.js": "two\n" });
    const fixed = await project.gauntlet(["run"], { env: env(project) });
    expect(fixed.stdout + fixed.stderr).toContain(
      `1 problem of ${FILE} is fixed: \`agent-gauntlet baseline --prune\` removes it.`,
    );
    expect((await project.gauntlet(["baseline", "--prune"], { env: env(project) })).exitCode).toBe(0);
    expect(project.read(FILE)).not.toContain("src/b.js");
    expect(project.read(FILE)).toContain("src/a.js");
  });

  test("cannot be made, or made to grow, by an agent: neither by the command nor by hand", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "BAD new\n", "../home/tmp/.keep": "" });

    const asked = await project.gauntlet(["baseline"], { env: env(project) });

    expect(asked).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("can only shrink") as string,
    });
    expect(project.has(FILE)).toBe(false);
    const problems = [
      entry("src/a.js", "BAD old"),
      entry("src/b.js", "BAD older"),
      entry("src/c.js", "BAD new"),
    ];
    await project.write({ [FILE]: JSON.stringify({ version: 1, problems }) });
    await project.commit("accept everything");
    expect((await stopIn(project)).answer).toMatchObject({ decision: "block" });
    const asCi = { env: { ...env(project), CI: "true" } };
    expect((await project.gauntlet(["run"], asCi)).exitCode).toBe(0); // there, people have read the file
    expect((await stopIn(project)).answer).toMatchObject({ decision: "block" }); // and a stop does not rest on that
  });

  test("that cannot be read excuses nothing, and says why", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "fine\n", [FILE]: "<<<<<<< ours\n", "../home/tmp/.keep": "" });

    const { answer } = await stopIn(project);

    expect(answer.decision).toBe("block");
    expect(answer.reason).toContain("it is not JSON: resolve the merge conflict");
  });
});
