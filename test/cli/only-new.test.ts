import { readdirSync, readFileSync, statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Answer, GauntletProject } from "../rig/gauntlet-project.ts";
import { withGrowingLimit } from "../rig/growing-limit.ts";
import { env, ONLY_NEW, placesIn, projectWith, stopIn } from "../rig/old-problems.ts";

let project: GauntletProject | undefined;

afterEach(async () => {
  await project?.[Symbol.asyncDispose]();
  project = undefined;
});

/** Every file below a directory, with what is in it. */
function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => `${name} ${readFileSync(join(directory, name), "base64")}`)
    .toSorted();
}

/** The answer to a stop in a fresh project with this configuration. */
async function answerWith(config: string): Promise<Answer> {
  await project?.[Symbol.asyncDispose]();
  project = await projectWith(`only_new: true\n${config}\n`);
  await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });
  return (await stopIn(project)).answer;
}

describe("a check with only_new", () => {
  test("lets the agent stop when only old problems are left, and tells the user once", async () => {
    project = await projectWith(ONLY_NEW);
    await project.write({ "home/../src/a.js": "a line more\none\nBAD old\n", "../home/tmp/.keep": "" });

    const first = await stopIn(project);

    expect(first.answer).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(first.answer.systemMessage).toMatch(
      /lint still fails, but only with existing problems.* 2 problems were there before \(main \(\w{7}\)\), and none is new\. The first: src\/a\.js:3:1 error no-bad: BAD old/,
    );
    await project.write({ "src/c.js": "fine\n" });
    expect((await stopIn(project)).answer.systemMessage).toBeUndefined();
    expect(placesIn(project)).toHaveLength(3); // here, on the earlier tree, and here: what it found there is remembered
    expect(readdirSync(join(project.home, "tmp"))).toEqual([".keep"]);
    expect(project.at(project.home).read("ran.status")).toBe(" M src/a.js\n M src/a.js\n"); // the earlier tree is clean
    const log = await project.gauntlet(["log", "--json"]);
    expect(log.stdout).toContain('"rests":["baseline"]');
  });

  test("proves nothing to others with a pass that rests on old problems", async () => {
    project = await projectWith(
      "only_new: true\nchecks: { lint: { command: sh lint.sh, inputs: ['src/**'] } }\n",
    );
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });
    await project.commit("done");
    await project.gauntlet(["run"], { env: env(project) });
    const ran = placesIn(project).length;

    const commits = await project.git("rev-parse", "HEAD", "main");
    expect(project.at(project.home).read("ran.head")).toBe(commits); // here, then on the earlier tree
    expect(await project.gauntlet(["attest"], { env: env(project) })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("it rests on a baseline, which proves nothing to others") as string,
    });
    const verified = await project.gauntlet(["verify"], { env: env(project) });
    expect(verified.stdout).toContain("resting on baseline");
    await project.gauntlet(["run"], { env: env(project) });
    expect(placesIn(project)).toHaveLength(ran + 1); // nor is it a pass of the check's inputs
  });

  test("is not excused for an old problem that keeps its other commands from running", async () => {
    const answer = await answerWith("checks: { both: sh lint.sh && node --test }");

    expect(answer).toMatchObject({ decision: "block", status: "failed" });
    expect(answer.reason).toContain("`node --test` may not have run");
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
    expect(all.stdout).toContain("✗ lint  src/b.js:3  no-bad: BAD new");
  });

  test("never counts as failing only with existing problems when its command cannot be run, and says so", async () => {
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

  test("says what to do where its program lies beside the project, and so not beside the earlier tree", async () => {
    project = await projectWith("only_new: true\nchecks: { lint: ../tool/fail }\n");
    await project.write({ "../tool/fail": "#!/bin/sh\nexit 1\n", "src/c.js": "", "../home/tmp/.keep": "" });
    await chmod(join(project.root, "../tool/fail"), 0o755);

    const { answer } = await stopIn(project);

    expect(answer.reason).toMatch(/it failed: exit code 127.*; name its program by a full path, or have/);
  });

  test("starts nothing more while nothing fails", async () => {
    const started = async (config: string): Promise<readonly string[]> => {
      project = await projectWith(config);
      await project.write({ "src/a.js": "fine\n", "src/b.js": "fine\n" });
      const traced = { ...env(project), AGENT_GAUNTLET_TRACE: "1" };
      const { answer, stderr } = await project.stop({}, { env: traced });
      expect(answer.status).toBe("passed");
      expect(placesIn(project)).toHaveLength(1);
      return [...stderr.matchAll(/git \S+ started/g)].map(([line]) => line).toSorted();
    };

    const without = await started("checks: { lint: sh lint.sh }\n");
    await project?.[Symbol.asyncDispose]();

    expect(without).not.toEqual([]);
    expect(await started(ONLY_NEW)).toEqual(without);
  });

  test.each([
    ["now", "sleep 300", /lint timed out after 1 s\.?$/],
    [
      "on the earlier tree",
      "[ -d ../tree ] && sleep 300; sh lint.sh",
      /before: there it timed out after \d+ s/,
    ],
  ])("is never excused by a check that runs out of time %s", async (_when, command, said) => {
    const { decision, message } = await withGrowingLimit(
      (seconds) => answerWith(`checks: { lint: { timeout: ${seconds}s, command: '${command}' } }`),
      (one) => said.test(one.message),
    );

    expect(decision).toBe("block");
    expect(message).toMatch(said);
    expect(readdirSync(join(project?.home ?? "", "tmp"))).toEqual([".keep"]);
  });

  test("is not excused either when the time of the stop ends on the earlier tree", async () => {
    const checks = `checks: { lint: "[ -d ../tree ] && sleep 300; sh lint.sh" }`;
    const { decision, message } = await withGrowingLimit(
      (seconds) => answerWith(`stop_hook: { timeout: ${2 * seconds}s }\n${checks}`),
      (one) => one.decision === "block",
      2,
    );

    expect(decision).toBe("block");
    expect(message).toMatch(
      /not compared with what was there before: .*(?:there it was cancelled|no time was left)/,
    );
  });

  test("is not fooled by a filter of git that puts the new problem into the old files", async () => {
    project = await projectWith(ONLY_NEW);
    await project.write({
      "src/c.js": "BAD new\n",
      "../home/tmp/.keep": "",
      ".git/info/attributes": "src/b.js filter=evil\n",
    });
    await project.git("config", "filter.evil.smudge", "sed 's/two/BAD new/'");
    await project.git("config", "filter.evil.clean", "sed 's/BAD new/two/'");
    await project.write({ "src/b.js": "BAD new\nBAD older\n" });

    const { answer } = await stopIn(project);

    expect(answer).toMatchObject({ decision: "block" });
    expect(answer.reason).toContain("src/b.js:1:1 error no-bad: BAD new");
  });

  test("removes the earlier tree that a killed run has left", async () => {
    project = await projectWith(
      "only_new: true\nchecks: { lint: '[ -d ../tree ] && [ ! -e $RAN.killed ] && touch $RAN.killed && kill -9 $PPID; sh lint.sh' }\n",
    );
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });

    const killed = await project.gauntlet(["run"], { env: env(project) });
    const left = readdirSync(join(project.home, "tmp"));
    const again = await project.gauntlet(["run"], { env: env(project) });

    expect(killed.signal).toBe("SIGKILL");
    expect(left).toContainEqual(expect.stringMatching(/^gauntlet-baseline-/));
    expect(again.exitCode).toBe(0);
    expect(readdirSync(join(project.home, "tmp"))).toEqual([".keep"]);
  });

  test("is what `run --only-new` makes of every check, without that being a pass of the project; detect and explain show it", async () => {
    project = await projectWith("checks: { lint: sh lint.sh }\n");
    await project.write({ "src/c.js": "fine\n", "../home/tmp/.keep": "" });

    const once = await project.gauntlet(["run", "--only-new"], { env: env(project) });
    const blocked = await stopIn(project);
    await project.write({ ".gauntlet/config.yml": `base_branch: main\n${ONLY_NEW}` });
    const detected = await project.gauntlet(["detect", "--why"]);
    await project.stop({ session_id: "session-2" }, { env: env(project) });
    const explained = await project.gauntlet(["explain"]);

    expect(once.exitCode).toBe(0);
    expect(blocked.answer).toMatchObject({ decision: "block" });
    expect(detected.stdout).toMatch(
      /only new problems block, compared with main \(\w{7}\) or the start of the session/,
    );
    expect(explained.stdout).toMatch(/lint passed with a warning: .* 2 problems were there before \(main/);
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
