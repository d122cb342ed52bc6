import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { whyNoProgram } from "../rig/servers.ts";
import { tempDir } from "../rig/temp-dir.ts";

type Files = Readonly<Record<string, string>>;

/** A session that starts in a project with these files, everything committed. */
async function sessionIn(files: Files, ready?: (project: GauntletProject) => void): Promise<GauntletProject> {
  const project = await GauntletProject.create(files);
  ready?.(project);
  await project.commit("start");
  mkdirSync(join(project.home, "tmp"));
  const event = { session_id: "session-1", cwd: project.root, hook_event_name: "SessionStart" };
  await project.gauntlet(["session-start"], { stdin: JSON.stringify(event) });
  return project;
}

async function stop(project: GauntletProject, env: Files = {}) {
  const { answer } = await project.stop({}, { env: { TMPDIR: join(project.home, "tmp"), ...env } });
  expect(
    readdirSync(env["TMPDIR"] ?? join(project.home, "tmp")).filter((name) =>
      name.startsWith("gauntlet-baseline-"),
    ),
  ).toEqual([]);
  return answer;
}

/** A file system of our own; a sentence saying why that is not possible. */
async function mountOf(
  kind: "btrfs" | "xfs",
): Promise<(AsyncDisposable & { readonly path: string }) | string> {
  if (process.platform !== "linux") return "file systems are mounted on Linux only";
  if (process.getuid?.() !== 0) return "only root can mount a file system";
  const missing = await whyNoProgram(`mkfs.${kind}`, kind === "btrfs" ? "btrfs-progs" : "xfsprogs");
  if (missing !== undefined) return missing;
  const dir = await tempDir("gauntlet-mount-");
  const path = join(dir.path, "at");
  mkdirSync(path);
  const image = join(dir.path, "image");
  const made = spawnSync("sh", [
    "-c",
    `truncate -s 400M "$0" && mkfs.${kind} -q "$0" && mount -o loop "$0" "$1"`,
    image,
    path,
  ]);
  const dispose = async () => {
    spawnSync("umount", ["--lazy", path]);
    await dir[Symbol.asyncDispose]();
  };
  if (made.status === 0) return { path, [Symbol.asyncDispose]: dispose };
  await dispose();
  return `no ${kind} can be mounted here: ${made.stderr.toString().trim()}`;
}

const LINT = "sh node_modules/linter/lint.sh";

/** A linter among the dependencies that writes into them, as tools with a cache do. */
const LINTER =
  'basename "$PWD" > node_modules/linter/last-run\ngrep -nH BAD src/*.js\n! grep -q BAD src/*.js\n';

describe.each(["btrfs", "xfs"] as const)("dependencies on %s", (kind) => {
  test("are cloned, where a copy would not fit, and stay as they are", async ({ skip }) => {
    const mount = await mountOf(kind);
    if (typeof mount === "string") return skip(mount);
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = mount.path; // where the rig makes the project
    onTestFinished(async () => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      await mount[Symbol.asyncDispose]();
    });
    await using project = await sessionIn({
      ".gauntlet/config.yml": `only_new: true\nchecks: { lint: ${LINT} }\n`,
      ".gitignore": "node_modules/\n",
      "src/a.js": "BAD old\n",
      "node_modules/linter/lint.sh": LINTER,
    });
    const large = Buffer.alloc(1024 * 1024, "x");
    for (let count = 0; count < 160; count += 1)
      writeFileSync(join(project.root, `node_modules/large-${count}`), large);
    await project.write({ "src/b.js": "fine\n" });
    const env = { TMPDIR: join(project.home, "tmp") };

    const unrelated = await stop(project, env);
    await project.write({ "src/b.js": "BAD new\n" });
    const broken = await stop(project, env);

    expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(unrelated.systemMessage).toContain("1 problem was there before (the start of this session)");
    expect(project.read("node_modules/linter/last-run")).toBe("project\n"); // on the earlier tree it wrote another name
    expect(broken).toMatchObject({ decision: "block" });
    expect(broken.reason).toContain("BAD new");
    expect(broken.reason).not.toContain("BAD old");
  });
});

/** Packs a linter with these words as an npm package. */
function packLinter(project: GauntletProject, version: string, words: readonly string[]): void {
  const source = join(project.home, `linter-${version}`);
  mkdirSync(source, { recursive: true });
  const script = `${words.map((word) => `grep -nH ${word} src/*.js`).join("\n")}\n! grep -qE '${words.join("|")}' src/*.js\n`;
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "linter", version }));
  writeFileSync(join(source, "lint.sh"), script);
  npm(project, ["pack", "--silent", source]);
}

function npm({ root, home }: GauntletProject, args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: home, npm_config_update_notifier: "false" };
  const done = spawnSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd: root, env });
  if (done.status !== 0) throw new Error(`npm ${args.join(" ")}: ${done.stderr.toString()}`);
}

function withLinter(version: string): string {
  return JSON.stringify({
    name: "app",
    version: "1.0.0",
    dependencies: { linter: `file:linter-${version}.tgz` },
  });
}

/** A project whose linter the agent updates; the new version finds more. */
async function updatedProject(setup: string): Promise<GauntletProject> {
  const project = await sessionIn(
    {
      ".gauntlet/config.yml": `only_new: true\n${setup}checks: { lint: ${LINT} }\n`,
      ".gitignore": "node_modules/\n",
      "package.json": withLinter("1.0.0"),
      "src/a.js": "BAD old\nUGLY\n",
    },
    (made) => {
      packLinter(made, "1.0.0", ["BAD"]);
      npm(made, ["install"]);
    },
  );
  packLinter(project, "2.0.0", ["BAD", "UGLY"]);
  await project.write({ "package.json": withLinter("2.0.0") });
  npm(project, ["install"]);
  return project;
}

describe("dependencies that were updated by the change", () => {
  test("are installed for the earlier tree by baseline.setup, so that what the update finds is new", async () => {
    await using project = await updatedProject(
      "baseline: { setup: npm ci --offline --no-audit --no-fund }\n",
    );

    const answer = await stop(project);

    expect(answer).toMatchObject({ decision: "block" });
    expect(answer.reason).toContain("UGLY");
    expect(answer.reason).toContain("1 more problem was there before your change: leave it alone.");
    expect(project.read("gauntlet_logs/baseline_._setup.1.log")).toContain("added 1 package");
    expect(project.read("node_modules/linter/package.json")).toContain("2.0.0");
    await project.write({ "src/a.js": "BAD old\n" });
    expect(await stop(project)).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  });

  test.each([
    ["", "package-lock.json has changed since, so other dependencies are installed now"],
    ["baseline: { setup: npm ci --offline --prefix missing }\n", "failed: exit code"],
  ])("are not compared with %j, and the check says why", async (setup, why) => {
    await using project = await updatedProject(setup);

    const { decision, message } = await stop(project);

    expect(decision).toBe("block");
    expect(message).toContain("not compared with what was there before");
    expect(message).toContain(why);
  });
});

const GO_TEST = `package price

import "testing"

func TestOld(t *testing.T) {
	if Total(1) != 2 {
		t.Errorf("old total is %d", Total(1))
	}
}
`;

test("a Go module: an old failure is left alone, one more is named", async ({ skip }) => {
  const missing = await whyNoProgram("go", "golang-go");
  if (missing !== undefined) return skip(missing);
  await using project = await sessionIn({
    ".gauntlet/config.yml": "only_new: true\nchecks: { test: go test ./..., vet: go vet ./... }\n",
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "price/price.go": "package price\n\nfunc Total(n int) int { return n }\n",
    "price/price_test.go": GO_TEST,
    "stock/stock.go": 'package stock\n\nimport "fmt"\n\nfunc Old() { fmt.Printf("%d\\n", "one") }\n',
  });
  const env = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" };
  await project.write({ "order/order.go": "package order\n\nfunc Count() int { return 1 }\n" });

  const unrelated = await stop(project, env);
  const fresh = '\nfunc TestFresh(t *testing.T) {\n\tt.Error("fresh failure")\n}\n';
  await project.write({ "price/price_test.go": `${GO_TEST}${fresh}` });
  const broken = await stop(project, env);

  expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(unrelated.systemMessage).toMatch(
    /test still fails, but only with existing problems.* 2 problems were there before/,
  );
  expect(unrelated.systemMessage).toMatch(/vet still fails, but only with existing problems.*stock\.go/);
  expect(broken).toMatchObject({ decision: "block" });
  expect(broken.reason).toContain("TestFresh");
  expect(broken.reason).not.toContain("TestOld");
});

function packageFiles(name: string, uses: string): Files {
  const scripts = { test: "node --test" };
  return {
    [`packages/${name}/package.json`]: JSON.stringify({
      name,
      version: "1.0.0",
      type: "module",
      main: "index.js",
      scripts,
    }),
    [`packages/${name}/index.js`]: `export const ${name} = 1;\n`,
    [`packages/${name}/index.test.js`]: `import { test } from "node:test";
import assert from "node:assert/strict";
import { ${uses} } from "${uses}";
test("old ${name}", () => assert.equal(${uses}, 2));
test("${name} fits ${uses}", () => assert.equal(${uses}, 1));
`,
  };
}

test("a monorepo: each package is compared with its own past, through links between the packages", async () => {
  await using project = await sessionIn(
    {
      ".gauntlet/config.yml":
        "only_new: true\nentry_points: [{ path: packages/*, checks: [test] }]\nchecks: { test: npm test }\n",
      ".gitignore": "node_modules\n",
      "package.json": JSON.stringify({ name: "all", private: true, workspaces: ["packages/*"] }),
      ...packageFiles("left", "right"),
      ...packageFiles("right", "left"),
    },
    ({ root }) => {
      mkdirSync(join(root, "node_modules"));
      for (const name of ["left", "right"])
        symlinkSync(`../packages/${name}`, join(root, "node_modules", name));
      mkdirSync(join(root, "packages/left/node_modules/deep"), { recursive: true });
      writeFileSync(join(root, "packages/left/node_modules/deep/index.js"), "");
    },
  );
  await project.write({ "packages/left/README.md": "more\n" });

  const unrelated = await stop(project);
  await project.write({ "packages/right/index.js": "export const right = 3;\n" });
  const broken = await stop(project);

  expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(unrelated.systemMessage).toMatch(/test still fails, but only with existing problems.*old left/);
  const [log = ""] = readdirSync(join(project.root, "gauntlet_logs")).filter((name) =>
    /^baseline_.*left/.test(name),
  );
  expect(project.read(`gauntlet_logs/${log}`)).not.toContain(project.root);
  expect(broken).toMatchObject({ decision: "block" });
  expect(broken.reason).toContain("left fits right");
  expect(broken.reason).not.toMatch(/old left|old right/);
});

const RUST_TEST = (name: string) => `#[test]\nfn ${name}() { assert_eq!(1, 2, "${name} failed"); }\n`;

test("a Rust crate: a failing test target hides the others, unless cargo goes on", async ({ skip }) => {
  const missing = await whyNoProgram("cargo", "cargo");
  if (missing !== undefined) return skip(missing);
  await using project = await sessionIn({
    ".gauntlet/config.yml": "only_new: true\nchecks: { test: cargo test --offline }\n",
    ".gitignore": "target\nCargo.lock\n",
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "",
    "tests/a.rs": RUST_TEST("old"),
  });
  const env = rustHome();
  await project.write({ "tests/b.rs": RUST_TEST("fresh") });

  const ended = await stop(project, env);
  await project.write({
    ".gauntlet/config.yml": "only_new: true\nchecks: { test: cargo test --offline --no-fail-fast }\n",
  });
  const broken = await stop(project, env);
  await project.write({ "tests/b.rs": "" });
  const unrelated = await stop(project, env);
  await project.write({ "tests/b.rs": "not Rust\n" });
  const unbuilt = await stop(project, env);

  expect(ended.message).toContain("`cargo test` ends at its first failure (without `--no-fail-fast`)");
  expect(broken).toMatchObject({ decision: "block" });
  expect(broken.reason).toContain("fresh failed");
  expect(broken.reason).not.toContain("old failed");
  expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(unbuilt.message).toContain("`cargo test` says of no test that it ran");
});

/** Its programs may be kept in the home of the user who runs the tests. */
function rustHome(): Files {
  const home = process.env["HOME"] ?? "";
  return {
    CARGO_HOME: process.env["CARGO_HOME"] ?? join(home, ".cargo"),
    RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(home, ".rustup"),
  };
}

test("pytest: an old failure, or a file that cannot be imported, hides what comes after it", async ({
  skip,
}) => {
  const missing = await whyNoProgram("pytest", "python3-pytest");
  if (missing !== undefined) return skip(missing);
  await using project = await sessionIn({
    ".gauntlet/config.yml": "only_new: true\nchecks: { test: pytest }\n",
    ".gitignore": "__pycache__\n.pytest_cache\n",
    "pytest.ini": "[pytest]\naddopts = -x\n",
    "test_a.py": "def test_old():\n    assert 0, 'old failure'\n",
  });
  await project.write({ "test_b.py": "def test_fresh():\n    assert 0, 'fresh failure'\n" });

  const ended = await stop(project);
  await project.write({ ".gauntlet/config.yml": "only_new: true\nchecks: { test: pytest --maxfail=0 }\n" });
  const broken = await stop(project);
  await project.write({ "test_b.py": "" });
  const unrelated = await stop(project);
  await project.write({ "test_b.py": "import nothing_of_that_name\n" });
  const interrupted = await stop(project);

  expect(ended.message).toMatch(/its output says that it ended early: `!+ stopping after 1 failures !+`/);
  expect(broken).toMatchObject({ decision: "block" });
  expect(broken.reason).toContain("fresh failure");
  expect(broken.reason).not.toContain("old failure");
  expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
  expect(interrupted.message).toMatch(/its output says that it ended early: `!+ Interrupted: 1 error/);
});

function failingTest(name: string): string {
  return `import { expect, test } from "vitest";\ntest("${name}", () => { expect("${name}").toBe("right"); });\n`;
}

test("Vitest: bail hides what comes after an old failure", async () => {
  const modules = join(import.meta.dirname, "../../node_modules");
  await using project = await sessionIn(
    {
      ".gauntlet/config.yml": "only_new: true\nchecks: { test: npx vitest run --no-file-parallelism }\n",
      ".gitignore": "node_modules\n",
      "package.json": '{"name":"app","private":true,"type":"module"}',
      "vitest.config.js": "export default { test: { bail: 1 } };\n",
      "a.test.js": failingTest("old"),
    },
    ({ root }) => symlinkSync(modules, join(root, "node_modules")),
  );
  await project.write({ "b.test.js": failingTest("fresh") });

  const ended = await stop(project);
  await project.write({
    ".gauntlet/config.yml":
      "only_new: true\nchecks: { test: npx vitest run --no-file-parallelism --bail=0 }\n",
  });
  const broken = await stop(project);
  await project.write({ "b.test.js": failingTest("right") });
  const unrelated = await stop(project);

  expect(ended.message).toContain("`vitest` ends at its first failure (`bail` in vitest.config.js)");
  expect(broken).toMatchObject({ decision: "block" });
  expect(broken.message).toContain("1 problem was there before (the start of this session)");
  expect(unrelated).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
});
