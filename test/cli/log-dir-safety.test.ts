import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** A project with a directory of other files outside it, which `clean` has no business with. */
async function projectWithTreasure(files: Readonly<Record<string, string>> = {}) {
  const project = await GauntletProject.withChecks({ ok: "true" }, files);
  const treasure = join(project.home, "treasure");
  mkdirSync(join(treasure, "console.1.log.d"), { recursive: true });
  for (const name of ["thesis.txt", "session-1.json", "console.1.log"])
    writeFileSync(join(treasure, name), "mine");
  const names = readdirSync(treasure);
  return { project, treasure, isWhole: () => expect(readdirSync(treasure)).toEqual(names) };
}

describe("a link in the place of a directory of ours is an error with its path, and nothing behind it is touched", () => {
  test.each([
    "gauntlet_logs",
    "gauntlet_logs/.state",
    "gauntlet_logs/previous",
    "gauntlet_logs/.state/reviews",
  ])("%s", async (place) => {
    const { project, treasure, isWhole } = await projectWithTreasure();
    await using _project = project;
    mkdirSync(join(project.root, place, ".."), { recursive: true });
    symlinkSync(treasure, join(project.root, place));
    await project.write({ "a.txt": "new" });

    const clean = await project.gauntlet(["clean"]);
    const validate = await project.gauntlet(["validate"]);
    const { answer } = await project.stop();

    expect(clean).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(join(project.root, place)) });
    expect(validate).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is a symbolic link") });
    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.message).toContain(join(project.root, place));
    isWhole();
    expect(readFileSync(join(treasure, "thesis.txt"), "utf8")).toBe("mine");
  });
});

test("a link in the place of a log is not written through", async () => {
  const { project, treasure, isWhole } = await projectWithTreasure();
  await using _project = project;
  await project.write({ ".gauntlet/config.yml": "debug_log: true\nchecks: { ok: echo hello }\n" });
  mkdirSync(join(project.root, "gauntlet_logs"));
  writeFileSync(join(project.root, "gauntlet_logs/.gitignore"), "*\n");
  for (const name of ["console.1.log", ".debug.log", "check_._ok.1.log"])
    symlinkSync(join(treasure, "thesis.txt"), join(project.root, "gauntlet_logs", name));
  linkSync(join(treasure, "session-1.json"), join(project.root, "gauntlet_logs/console.2.log"));

  await project.gauntlet(["run"]);
  await project.gauntlet(["run"]);
  await project.gauntlet(["clean"]);

  isWhole();
  for (const name of ["thesis.txt", "session-1.json"])
    expect(readFileSync(join(treasure, name), "utf8")).toBe("mine");
});

test("the automatic clean after a change of branch leaves the files of others in the log directory", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.write({ "a.txt": "new" });
  await project.gauntlet(["run"]);
  mkdirSync(join(project.root, "gauntlet_logs/previous"));
  for (const name of ["app.1.log", "metrics.3.json", "previous/app.0.log"])
    writeFileSync(join(project.root, "gauntlet_logs", name), "mine");

  await project.git("checkout", "--quiet", "-b", "other");
  await project.gauntlet(["run"]);

  expect(project.has("gauntlet_logs/previous/console.1.log")).toBe(true);
  for (const name of ["app.1.log", "metrics.3.json", "previous/app.0.log"])
    expect(project.read(`gauntlet_logs/${name}`)).toBe("mine");
});

describe("a log directory that holds files of the project is an error of validate and of a run", () => {
  test("tracked ones", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "log_dir: src\nchecks: { red: grep -q fine src/a.js }\n",
      "src/a.js": "fine",
    });
    await project.commit("start");
    await project.write({ "src/a.js": "broken" });

    const validate = await project.gauntlet(["validate"]);
    const run = await project.gauntlet(["run"]);
    const clean = await project.gauntlet(["clean"]);

    for (const done of [validate, run, clean])
      expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("src/a.js") });
    expect(readdirSync(join(project.root, "src"))).toEqual(["a.js"]);
  });

  test("new ones that git would track", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "log_dir: src\nchecks: { red: grep -q fine src/a.js }\n",
      "src/a.js": "broken",
    });

    const run = await project.gauntlet(["run"]);

    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("src/a.js") });
    expect(readdirSync(join(project.root, "src"))).toEqual(["a.js"]);
  });

  test.each([
    ["entry_points: [{ path: src, checks: [a] }]\nchecks: { a: 'true' }", "src"],
    ["entry_points: [{ path: 'src/*', checks: [a] }]\nchecks: { a: 'true' }", "src/*"],
    ["checks: { a: { command: 'true', inputs: ['src/**/*.ts'] } }", "src/**/*.ts"],
  ])("those that gates look after: %s", async (gates, path) => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": `log_dir: src\n${gates}\n`,
    });

    const validate = await project.gauntlet(["validate"]);

    expect(validate).toMatchObject({ exitCode: 1 });
    expect(validate.stderr).toContain(
      `.gauntlet/config.yml:1:1: error: \`log_dir\` (src) holds files that a gate covers: ${path}`,
    );
  });

  test("but not a file that keeps the directory, nor what git ignores", async () => {
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "log_dir: logs\nchecks: { ok: 'true' }\n",
      ".gitignore": "app.log\n",
      "logs/.gitkeep": "",
      "logs/app.log": "",
    });
    await project.commit("start");
    await project.write({ "a.txt": "new" });

    expect(await project.gauntlet(["validate"])).toMatchObject({ exitCode: 0 });
    expect(await project.gauntlet(["run"])).toMatchObject({ exitCode: 0 });
  });
});
