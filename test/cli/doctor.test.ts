import { chmod, mkdir, rm, writeFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

import { outputSchema } from "../schema/json-schema.ts";
import { BARE_PATH } from "../rig/bare-path.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly text: string;
}

interface Told {
  readonly host: string;
  readonly registered: boolean;
  readonly findings: readonly Finding[];
}

async function doctor(
  project: GauntletProject,
): Promise<{ exitCode: number | null; hosts: readonly Told[] }> {
  const done = await project.gauntlet(["doctor", "--json"], { env: { PATH: BARE_PATH } });
  const { hosts } = outputSchema().parse(JSON.parse(done.stdout)) as { hosts: readonly Told[] }; // the schema has said so
  return { exitCode: done.exitCode, hosts };
}

function finding(hosts: readonly Told[], host: string, check: string): Finding | undefined {
  return hosts.find((one) => one.host === host)?.findings.find((one) => one.check === check);
}

test("fails where no agent has the hook", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });

  const done = await project.gauntlet(["doctor"], { env: { PATH: BARE_PATH } });

  expect(done.exitCode).toBe(1);
  expect(done.stdout).toContain("\n✗ No agent has the stop hook.");
});

test("is not content with a hook that gates nothing", async () => {
  await using project = await GauntletProject.create({ ".gauntlet/config.yml": "check: { a: b }\n" });
  await project.gauntlet(["install", "--host", "codex"], { env: { PATH: BARE_PATH } });

  const done = await project.gauntlet(["doctor"], { env: { PATH: BARE_PATH } });

  expect(done.exitCode).toBe(1);
  expect(done.stdout).toContain("✗ .gauntlet/config.yml: no gate can ever run, so nothing is checked");
});

test("counts the gates of a configuration that has some", async () => {
  await using project = await GauntletProject.withChecks({ lint: "true", test: "true" });

  const done = await project.gauntlet(["doctor"], { env: { PATH: BARE_PATH } });

  expect(done.stdout).toContain("✓ .gauntlet/config.yml has 2 gates");
});

test("finds a sound registration, and that it has not fired yet", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "codex"], { env: { PATH: BARE_PATH } });

  const { exitCode, hosts } = await doctor(project);

  expect(exitCode).toBe(0);
  expect(hosts.map(({ host }) => host)).toEqual(["codex"]);
  expect(finding(hosts, "codex", "registered")).toMatchObject({ level: "ok" });
  expect(finding(hosts, "codex", "command")).toMatchObject({ level: "ok" });
  expect(finding(hosts, "codex", "timeout")?.text).toContain("waits 300 s");
  expect(finding(hosts, "codex", "round-trip")).toMatchObject({ level: "ok" });
  expect(finding(hosts, "codex", "fired")).toMatchObject({
    level: "warning",
    text: expect.stringContaining("/hooks"),
  });
});

test("sees when the hook fired, and the version of the host where it tells", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "copilot"], { env: { PATH: BARE_PATH } });
  await project.write({ "a.js": "" });
  const payload = { session_id: "s", cwd: project.root, timestamp: "t", stop_reason: "end_turn" };
  await project.gauntlet(["stop-hook"], {
    stdin: JSON.stringify(payload),
    env: { COPILOT_CLI_BINARY_VERSION: "1.0.102" },
  });

  const { hosts } = await doctor(project);

  expect(finding(hosts, "copilot", "fired")).toMatchObject({
    level: "ok",
    text: expect.stringMatching(/^last fired just now \(Copilot CLI 1\.0\.102\): passed$/),
  });
});

test("does not take a stop in another project for one here", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await using other = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "claude-code"], { env: { PATH: BARE_PATH } });
  await project.stop({ cwd: other.root });

  const { hosts } = await doctor(project);

  expect(finding(hosts, "claude-code", "fired")).toMatchObject({
    level: "warning",
    text: "never fired here. Let Claude Code finish an answer, then look again",
  });
});

test("finds a command that is not there", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const hook = { type: "command", command: "/nowhere/agent-gauntlet stop-hook", timeout: 300 };
  await project.write({ ".codex/hooks.json": JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }) });

  const { exitCode, hosts } = await doctor(project);

  expect(exitCode).toBe(1);
  expect(finding(hosts, "codex", "command")).toMatchObject({ level: "problem" });
});

test("finds a command that is on the PATH only while a package manager runs", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  const hook = { type: "command", command: "agent-gauntlet stop-hook", timeout: 300 };
  await project.write({ ".codex/hooks.json": JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }) });
  await project.write({ "node_modules/.bin/agent-gauntlet": "#!/bin/sh\necho '{}'\n" });
  await chmod(join(project.root, "node_modules/.bin/agent-gauntlet"), 0o755);

  const done = await project.gauntlet(["doctor"], { env: { PATH: `./node_modules/.bin:${BARE_PATH}` } });

  expect(done.exitCode).toBe(1);
  expect(done.stdout).toContain("✗ its command does not work: agent-gauntlet stop-hook");
});

test("says that git is missing, and verify says so instead of guessing", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.write({ "bin/.keep": "" });
  await symlink(process.execPath, join(project.root, "bin/node"));
  const env = { PATH: join(project.root, "bin") };

  const doctor = await project.gauntlet(["doctor"], { env });
  const verify = await project.gauntlet(["verify"], { env });

  expect(doctor.stdout).toContain("has 1 gate, but git cannot be started: every file counts as changed");
  expect(verify.stderr).toMatch(/`git.*` failed: git cannot be started \(/);
});

test("finds a timeout in the wrong unit: seconds where Gemini counts milliseconds", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "gemini"], { env: { PATH: BARE_PATH } });
  await project.write({
    ".gemini/settings.json": project.read(".gemini/settings.json").replace("300000", "300"),
  });

  const { exitCode, hosts } = await doctor(project);

  expect(exitCode).toBe(1);
  expect(finding(hosts, "gemini", "timeout")).toMatchObject({
    level: "problem",
    text: expect.stringContaining("waits 0.3 s"),
  });
});

test("finds a host's default that is too short where the file names no timeout", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "droid"], { env: { PATH: BARE_PATH } });
  await project.write({
    ".factory/settings.json": project.read(".factory/settings.json").replace(/,\s*"timeout": 300/, ""),
  });

  const { hosts } = await doctor(project);

  expect(finding(hosts, "droid", "timeout")).toMatchObject({
    level: "problem",
    text: expect.stringContaining("Factory Droid's default"),
  });
});

test("sees a hook that is registered twice: settings and plugin", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "claude-code"], { env: { PATH: BARE_PATH } });
  await mkdir(join(project.home, ".claude"), { recursive: true });
  const settings = join(project.home, ".claude/settings.json");
  await writeFile(settings, JSON.stringify({ enabledPlugins: { "gauntlet@agent-gauntlet": true } }));

  const twice = await doctor(project);
  await rm(settings);
  const once = await doctor(project);

  expect(finding(twice.hosts, "claude-code", "registered")).toMatchObject({
    level: "warning",
    text: expect.stringContaining("the plugin gauntlet@agent-gauntlet"),
  });
  expect(finding(once.hosts, "claude-code", "registered")).toMatchObject({ level: "ok" });
});

test("sees that a host will run the hook from another host's settings as well", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "copilot"], { env: { PATH: BARE_PATH } });
  await project.gauntlet(["install", "--host", "claude-code"], { env: { PATH: BARE_PATH } });

  const { hosts } = await doctor(project);

  expect(finding(hosts, "copilot", "registered")).toMatchObject({
    level: "warning",
    text: expect.stringContaining("registered 2 times"),
  });
});

test("finds a file that its host skips because of a comment", async () => {
  await using project = await GauntletProject.withChecks(
    { ok: "true" },
    { ".codex/hooks.json": "{ // mine\n}\n" },
  );

  const installed = await project.gauntlet(["install", "--host", "codex"], { env: { PATH: BARE_PATH } });
  const done = await project.gauntlet(["doctor"], { env: { PATH: BARE_PATH } });

  const message = "Codex silently skips a file with comments or trailing commas.";
  expect(installed.stdout).toContain(message);
  expect(done).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`✗ ${message}`) });
});

test("finds a plugin that install wrote, tries its command, and says when another version wrote it", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "opencode"], { env: { PATH: BARE_PATH } });
  const file = ".opencode/plugins/agent-gauntlet.js";

  const fresh = await doctor(project);
  await project.write({ [file]: project.read(file).replace(/version \d+/, "version 0") });
  const outdated = await doctor(project);

  expect(fresh.exitCode).toBe(0);
  expect(fresh.hosts.map(({ host }) => host)).toEqual(["opencode"]);
  expect(finding(fresh.hosts, "opencode", "registered")).toMatchObject({ level: "ok" });
  expect(finding(fresh.hosts, "opencode", "command")).toMatchObject({ level: "ok" });
  expect(outdated.hosts[0]?.findings).toContainEqual({
    check: "registered",
    level: "warning",
    text: `${file} was written by another version. \`agent-gauntlet install --host opencode\` rewrites it`,
  });
});

test("says when a hook in the home directory would run a project that nobody allowed", async () => {
  await using project = await GauntletProject.withChecks({ test: "true" });
  const file = join(project.home, ".claude/settings.json");
  const register = async (command: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } }));
  };
  const said = async (): Promise<string> => JSON.stringify((await doctor(project)).hosts);

  await register("agent-gauntlet stop-hook");
  const old = await said();
  await register("agent-gauntlet stop-hook --only-allowed");
  const marked = await said();

  expect(old).toContain(
    "~/.claude/settings.json serves every project and runs the gates of those you never allowed",
  );
  expect(old).toContain("`agent-gauntlet install --host claude-code --user` rewrites it");
  expect(marked).not.toContain("never allowed");
});

test("finds Kimi Code's table in the home directory", async () => {
  await using project = await GauntletProject.withChecks({ ok: "true" });
  await project.gauntlet(["install", "--host", "kimi", "--user"], { env: { PATH: BARE_PATH } });

  const { exitCode, hosts } = await doctor(project);

  expect(exitCode).toBe(0);
  expect(finding(hosts, "kimi", "registered")?.text).toBe("registered in ~/.kimi-code/config.toml");
  expect(finding(hosts, "kimi", "timeout")?.text).toContain("waits 300 s");
});
