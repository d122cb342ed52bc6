import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { USER } from "../rig/as-user.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { passFile } from "../rig/state-files.ts";
import { GAUNTLET } from "../rig/program.ts";

/** Red, unless something tells it to skip. */
const SKIPPABLE = 'test -n "$SKIP_TESTS"';
const SKIP = { SKIP_TESTS: "1" };

async function redProject(command = SKIPPABLE, more = ""): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n  unit: { command: ${JSON.stringify(command)}${more} }\n`,
    "a.txt": "1\n",
  });
  await project.commit("start");
  await project.write({ "a.txt": "2\n" });
  return project;
}

/** A directory of its own with a program in it, and a PATH that begins there. */
async function shim(project: GauntletProject, name: string, script = "exit 0"): Promise<string> {
  const bin = join(project.home, "shims");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, name), 0o755);
  return [bin, process.env["PATH"]].join(delimiter);
}

/** What the host runs when a session starts. */
function begin(project: GauntletProject, env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return project.gauntlet(["session-start"], {
    env,
    stdin: JSON.stringify({ session_id: "session-1", cwd: project.root }),
  });
}

/** Gates that leave a line outside of the project when they run, and how often they did. */
const COUNTED = "echo ran >> ../runs";
const runsOf = (project: GauntletProject): number =>
  project.has("../runs") ? project.read("../runs").trim().split("\n").length : 0;

function said({ stdout, stderr }: Finished): string {
  return stdout + stderr;
}

const BLOCKED = { decision: "block", status: "failed" };

/** On a branch, with a gate that fails and does not run in CI. */
async function partlyGated(): Promise<GauntletProject> {
  const config =
    "base_branch: main\nchecks:\n  lint: 'true'\n  unit: { command: 'false', run_in_ci: false }\n";
  const repo = await GauntletProject.create({ ".gauntlet/config.yml": config, "a.txt": "1\n" });
  await repo.commit("start");
  await repo.git("switch", "--quiet", "--create", "work");
  await repo.write({ "a.txt": "2\n" });
  await repo.commit("work");
  return repo;
}

describe("a pass of the gates that run in CI", () => {
  test("answers no stop", async () => {
    await using repo = await partlyGated();

    const inCi = await repo.gauntlet(["run"], { env: { CI: "1" } });
    const { answer } = await repo.stop();

    expect(inCi.exitCode).toBe(0);
    expect(answer).toMatchObject(BLOCKED);
  });

  test("is proven where it was made, and nowhere else", async () => {
    await using repo = await partlyGated();
    await repo.gauntlet(["run"], { env: { CI: "1" } });

    const here = await repo.gauntlet(["verify", "HEAD"]);
    const attested = await repo.gauntlet(["attest", "HEAD"]);
    const inCi = await repo.gauntlet(["verify", "HEAD"], { env: { CI: "1" } });

    expect(said(here)).toContain("these files were judged, but by other gates");
    expect(said(attested)).toContain("these files were judged, but by other gates");
    expect([here.exitCode, attested.exitCode, inCi.exitCode]).toEqual([1, 1, 0]);
  });
});

describe("a pass made in another environment", () => {
  test("answers no stop, also when it was committed since, and closes no failure", async () => {
    await using project = await redProject();
    const before = await project.stop();

    const skipped = await project.gauntlet(["run"], { env: SKIP });
    const after = await project.stop();
    await project.gauntlet(["run"], { env: SKIP });
    await project.commit("done");
    const committed = await project.stop();

    expect(skipped.exitCode).toBe(0);
    expect([before, after, committed].map(({ answer }) => answer)).toMatchObject([BLOCKED, BLOCKED, BLOCKED]);
  });

  test("is no tree that a later session is compared with", async () => {
    await using project = await redProject();
    await project.gauntlet(["run"], { env: SKIP });
    await project.commit("done");

    const { answer } = await project.stop({ session_id: "later" });

    expect(answer.systemMessage).toContain("Committed work was not looked at");
  });

  test("is not reused by a check that names its inputs", async () => {
    await using project = await redProject(SKIPPABLE, ', inputs: ["a.txt"]');
    await project.gauntlet(["run"], { env: SKIP });
    await project.write({ "b.txt": "" });

    const why = await project.gauntlet(["detect", "--why"]);
    const { answer } = await project.stop();

    expect(why.stdout).toContain("or its environment, or a program of its command");
    expect(answer).toMatchObject(BLOCKED);
  });

  test("says nothing about what was red before", async () => {
    const check =
      'if [ -n "$OLD" ] || grep -q broken a.txt; then echo "a.txt:1:1: error: broken"; exit 1; fi';
    await using project = await redProject(check, ", only_new: true");
    await project.commit("good");
    await begin(project);
    await project.write({ "a.txt": "broken\n" });
    const old = await project.gauntlet(["run"], { env: { OLD: "1" } });
    await project.write({ "b.txt": "" });

    const { answer } = await project.stop();

    expect(old.exitCode).toBe(0);
    expect(answer).toMatchObject(BLOCKED);
  });

  test("is used by stops in that environment", async () => {
    await using project = await redProject(`${COUNTED}; ${SKIPPABLE}`);

    const first = await project.stop({}, { env: SKIP });
    const second = await project.stop({}, { env: SKIP });

    expect(first.answer.status).toBe("passed");
    expect(second.answer.message).toContain("nothing changed since run 1");
    expect(runsOf(project)).toBe(1);
  });

  test("leaves none of its values anywhere", async () => {
    await using project = await redProject("true");
    const env = { SECRET_OF_MINE: "hunter2-hunter2" };

    await begin(project, env);
    await project.stop({}, { env });
    await project.gauntlet(["run"], { env });

    const files = readdirSync(join(project.home, ".."), { recursive: true, encoding: "utf8" })
      .map((name) => join(project.home, "..", name))
      .filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => readFileSync(path, "latin1").includes(env.SECRET_OF_MINE))).toEqual([]);
  });
});

describe("a pass of another program", () => {
  test("that a changed PATH put first answers no stop", async () => {
    await using project = await redProject("false-or-not");
    const PATH = await shim(project, "false-or-not");

    const faked = await project.gauntlet(["run"], { env: { PATH } });
    const { answer } = await project.stop();

    expect(faked.exitCode).toBe(0);
    expect(answer).toMatchObject({ decision: "block" });
  });

  test.each(["", ', inputs: ["a.txt"]'])(
    "that lay first on the same PATH answers no stop%s",
    async (more) => {
      await using project = await redProject("tool", more);
      const real = await shim(project, "tool", "exit 1");
      const bin = join(project.home, "first");
      await mkdir(bin);
      const PATH = [bin, real].join(delimiter);
      await writeFile(join(bin, "tool"), "#!/bin/sh\n");
      await chmod(join(bin, "tool"), 0o755);

      const faked = await project.gauntlet(["run"], { env: { PATH } });
      await rm(join(bin, "tool"));
      if (more !== "") await project.write({ "b.txt": "" });
      const { answer } = await project.stop({}, { env: { PATH } });

      expect(faked.exitCode).toBe(0);
      expect(answer).toMatchObject(BLOCKED);
    },
  );

  test("that removed itself answers no stop", async () => {
    await using project = await redProject("tool");
    await shim(project, "tool", "exit 1");
    const bin = join(project.home, "first");
    await mkdir(bin);
    const PATH = [bin, join(project.home, "shims"), process.env["PATH"]].join(delimiter);
    await writeFile(join(bin, "tool"), '#!/bin/sh\nrm "$0"\n');
    await chmod(join(bin, "tool"), 0o755);

    const faked = await project.gauntlet(["run"], { env: { PATH } });
    const { answer } = await project.stop({}, { env: { PATH } });

    expect(faked.exitCode).toBe(0);
    expect(answer).toMatchObject(BLOCKED);
  });

  test("that the gate builds in the project is another matter", async () => {
    await using project = await redProject(
      `${COUNTED}; mkdir -p out; printf '#!/bin/sh\\n' > out/tool; chmod +x out/tool; ./out/tool`,
    );
    await project.write({ ".gitignore": "out\n" });

    await project.gauntlet(["run"]);
    const { answer } = await project.stop();

    expect(answer.message).toContain("nothing changed since run 1");
    expect(runsOf(project)).toBe(1);
  });
});

test("a pass closes no failure of a gate that it did not call for", async () => {
  const config =
    "base_branch: main\nentry_points:\n  - { path: app, checks: [app] }\n  - { path: lib, checks: [lib] }\nchecks:\n  app: 'false'\n  lib: 'true'\n";
  await using project = await GauntletProject.create({
    ".gauntlet/config.yml": config,
    "app/a": "1",
    "lib/a": "1",
  });
  await project.commit("start");
  await project.git("switch", "--quiet", "--create", "work");
  await project.write({ "app/a": "2" });
  const before = await project.stop();
  await project.write({ "app/a": "1", "lib/a": "2" });

  const other = await project.gauntlet(["run"]);
  const { answer } = await project.stop();

  expect(before.answer).toMatchObject(BLOCKED);
  expect(other.exitCode).toBe(0);
  expect(answer).toMatchObject(BLOCKED);
});

describe("two ordinary runs of one user share their passes", () => {
  const PAGE = readFileSync(resolve(import.meta.dirname, "../../docs/trust.md"), "utf8");
  const [, SECTION = ""] = /### Variables that do not count\n(.*?)\n#/s.exec(PAGE) ?? [];
  const ROWS = SECTION.matchAll(/^- [^:]+: (.+)$/gm);
  const LISTED = [...ROWS].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+\*?)`/g)].map(([, name = ""]) => name),
  );

  test("whatever the variables are that the docs list", async () => {
    await using project = await redProject(COUNTED);
    const env = Object.fromEntries(LISTED.map((name) => [name.replace("*", "X"), join(project.home, "..")]));

    await project.stop();
    const { answer } = await project.stop({}, { env });

    expect(LISTED.length).toBeGreaterThan(90);
    expect(answer.message).toContain("nothing changed since run 1");
    expect(runsOf(project)).toBe(1);
  });

  test("also where a shell has put its directories in front of the PATH once more", async () => {
    await using project = await redProject(COUNTED);
    const { PATH = "" } = project.env();
    const [first = ""] = PATH.split(delimiter);

    await project.gauntlet(["run"], { env: { PATH: [first, PATH, first].join(delimiter) } });
    const { answer } = await project.stop();

    expect(answer.message).toContain("nothing changed since run 1");
  });

  test("but not where a variable steers a tool", async () => {
    await using project = await redProject(COUNTED);

    await project.stop();
    await project.stop({}, { env: { npm_config_script_shell: "/bin/true" } });

    expect(runsOf(project)).toBe(2);
  });
});

describe("what others rely on", () => {
  test("is a pass in the environment that the session began in", async () => {
    await using project = await redProject();
    await project.stop();
    await project.write({ "b.txt": "" });
    await project.gauntlet(["run"], { env: SKIP });
    await project.commit("done");

    const verified = await project.gauntlet(["verify", "HEAD"]);
    const alike = await project.gauntlet(["verify", "HEAD"], { env: SKIP });
    const attested = await project.gauntlet(["attest", "HEAD"], { env: SKIP });

    expect([verified.exitCode, alike.exitCode, attested.exitCode]).toEqual([1, 1, 1]);
    for (const refused of [verified, alike, attested])
      expect(said(refused)).toContain("these files passed, but in another environment");
  });

  test("is a pass in the session's environment, whoever made it there", async () => {
    await using project = await redProject("test -e ready");
    await begin(project);
    await project.write({ ready: "" });
    await project.gauntlet(["run"], { env: { CLAUDECODE: "1", SHLVL: "3" } });

    const verified = await project.gauntlet(["verify"], { env: SKIP });

    expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("passed at") });
  });

  test("is a pass that a person made at a terminal", async () => {
    await using project = await redProject();
    await project.stop();
    const env = { ...cleanEnv(project.home), ...SKIP };
    const command = ["python3", USER, "", ...GAUNTLET, "run"];
    const byAgent = await run(command, { cwd: project.root, env: { ...env, CLAUDECODE: "1" } });
    const before = await project.gauntlet(["verify"]);

    const byUser = await run(command, { cwd: project.root, env });
    const after = await project.gauntlet(["verify"]);

    expect([byAgent.exitCode, before.exitCode, byUser.exitCode, after.exitCode]).toEqual([0, 1, 0, 0]);
  });

  test("is a pass in the environment of who asks, where there was never a session", async () => {
    await using project = await redProject();
    await project.gauntlet(["run"], { env: SKIP });

    const alike = await project.gauntlet(["verify"], { env: SKIP });
    const other = await project.gauntlet(["verify"]);

    expect(alike.exitCode).toBe(0);
    expect(said(other)).toContain("these files passed, but in another environment");
  });

  test("is a pass that a session in another work tree of the repository made", async () => {
    await using project = await redProject("true");
    await project.git("worktree", "add", "--quiet", "../linked", "-b", "work");
    const linked = project.at("../linked");
    await linked.write({ "b.txt": "" });
    await linked.stop();
    await linked.commit("done");

    const verified = await project.gauntlet(["verify", "work"], { env: SKIP });

    expect(verified.exitCode).toBe(0);
  });
});

/** The index that was kept with the last pass, as `git add` would make it of the files that are there now. */
async function rewriteIndex(project: GauntletProject): Promise<void> {
  const directory = join(passFile(project), "..");
  const name = readdirSync(directory).find((one) => one.endsWith(".index")) ?? "none";
  const before = readFileSync(join(directory, name));
  await run(["git", "add", "--all"], {
    cwd: project.root,
    env: { ...cleanEnv(project.home), GIT_INDEX_FILE: join(directory, name) },
  });
  const after = readFileSync(join(directory, name));
  expect(after.equals(before)).toBe(false);
  writeFileSync(join(directory, name), Buffer.concat([after.subarray(0, -20), before.subarray(-20)])); // git does not check the sum
}

describe("the kept index of a pass", () => {
  test("that was written again says nothing: the gates run", async () => {
    await using project = await redProject("! grep -q broken a.txt");
    await project.stop();
    await project.write({ "a.txt": "broken\n" });
    await rewriteIndex(project);

    const { answer } = await project.stop();

    expect(answer).toMatchObject(BLOCKED);
  });

  test("nor is it what commits are compared with", async () => {
    await using project = await redProject("! grep -q broken a.txt");
    await project.gauntlet(["run"]);
    await project.write({ "a.txt": "broken\n" });
    await project.commit("work");
    await rewriteIndex(project);

    const { answer } = await project.stop();

    expect(answer.systemMessage).toContain("Committed work was not looked at");
  });
});
