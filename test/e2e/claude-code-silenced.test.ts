import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeCodeRequest, installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const claude = await installClaudeCode();

interface Silencer {
  readonly how: string;
  readonly files?: (project: GauntletProject) => Promise<void>;
  readonly args?: (project: GauntletProject) => readonly string[];
  readonly env?: (project: GauntletProject) => Readonly<Record<string, string>>;
  readonly named: RegExp;
}

const QUIET = "export const register = on => { on('classic.Stop', async ($, e, next) => ({})) }";

const SILENCERS: readonly Silencer[] = [
  {
    how: "a mod of --plugin-dir",
    files: (project) => writeMod(join(project.home, "quiet")),
    args: ({ home }) => ["--plugin-dir", join(home, "quiet")],
    named: /the plugin quiet \(\S+\/quiet\) answers stops in place of hooks.*without --plugin-dir/,
  },
  {
    how: "a mod of CLAUDE_CODE_PLUGIN_DIRS",
    files: (project) => writeMod(join(project.home, "quiet")),
    env: ({ home }) => ({ CLAUDE_CODE_PLUGIN_DIRS: join(home, "quiet") }),
    named: /the plugin quiet .*Unset CLAUDE_CODE_PLUGIN_DIRS/,
  },
  {
    how: "a mod among the user's skills",
    files: (project) => writeMod(join(project.home, ".claude/skills/quiet")),
    named: /the plugin quiet .*`rm -r \S+\/skills\/quiet`/,
  },
];

test.for(SILENCERS)(
  "the next prompt names what was not checked because of $how",
  async (silencer, { skip }) => {
    if (!claude.ok) return skip(claude.reason);
    await using project = await GauntletProject.withChecks({ state: "! grep broken state.txt" });
    await project.gauntlet(["install", "--host", "claude-code"]);
    await silencer.files?.(project);
    await project.write({ "state.txt": "broken\n" });
    const shared: Omit<ClaudeCodeRequest, "turns" | "args"> = {
      bin: claude.bin,
      project: project.root,
      home: project.home,
      env: silencer.env?.(project) ?? {},
    };
    const args = silencer.args?.(project) ?? [];

    const first = await runClaudeCode({ ...shared, args, turns: ["Done."] });
    const second = await runClaudeCode({
      ...shared,
      args: [...args, "--resume", first.sessionId ?? ""],
      turns: ["Done."],
    });

    expect([...first.hooks, ...second.hooks].filter(({ event }) => event === "Stop")).toEqual([]);
    expect(second.notices).toEqual([
      expect.stringMatching(/^Gauntlet: your last prompt ended without a check: /),
    ]);
    expect(second.notices[0]).toMatch(silencer.named);
  },
);

interface SwitchedOff {
  readonly how: string;
  /** A command of the agent in the project. */
  readonly act: string;
  readonly named: RegExp;
}

const SETTINGS = ".claude/settings.local.json";
const OFF = `'{"disableAllHooks":true}'`;

const SWITCHED_OFF: readonly SwitchedOff[] = [
  {
    how: "disableAllHooks in a file of the project",
    act: `printf ${OFF} > .claude/settings.json`,
    named: /`disableAllHooks` is set in \S+\/settings\.json/,
  },
  {
    how: "disableAllHooks in the user's file",
    act: `printf ${OFF} > ~/.claude/settings.json`,
    named: /`disableAllHooks` is set in \S+\/\.claude\/settings\.json/,
  },
  { how: "hooks that are removed", act: `echo '{}' > ${SETTINGS}`, named: /the stop hook was removed from/ },
  { how: "a file that is not JSON", act: `printf } >> ${SETTINGS}`, named: /is not valid JSON/ },
  { how: "a file that is deleted", act: `rm ${SETTINGS}`, named: /the stop hook was removed from/ },
];

async function playSwitchingOff(mode: "tell" | "hold", { act }: SwitchedOff, bin: string) {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": `checks: { state: "! grep broken state.txt" }\nstop_hook: { when_gates_change: ${mode} }\n`,
  });
  await project.commit("start");
  await project.gauntlet(["install", "--host", "claude-code"]);
  await project.write({ "state.txt": "broken\n" });
  const command = `${act}; sleep 3`; // Claude Code's watcher takes a second
  const run = await runClaudeCode({
    bin,
    project: project.root,
    home: project.home,
    turns: [{ toolUse: { name: "Bash", input: { command, description: "off" } } }, "Done.", "Done."],
  });
  return { project, stops: run.hooks.filter(({ event }) => event === "Stop") };
}

test.for(SWITCHED_OFF)("a session is kept from $how with hold", async (way, { skip }) => {
  if (!claude.ok) return skip(claude.reason);
  const { project, stops } = await playSwitchingOff("hold", way, claude.bin);
  await using _project = project;
  const [first] = stops.map(({ stdout }) => JSON.parse(stdout) as { systemMessage?: string });

  expect(first).toMatchObject({ decision: "block", systemMessage: expect.stringMatching(way.named) });
});

test.for(SWITCHED_OFF)(
  "status names the prompt that ended without a check after $how",
  async (way, { skip }) => {
    if (!claude.ok) return skip(claude.reason);
    const { project, stops } = await playSwitchingOff("tell", way, claude.bin);
    await using _project = project;
    await leaveTranscripts(project);
    const { stdout } = await project.gauntlet(["status"]);

    expect(stops).toEqual([]);
    expect(stdout).toMatch(new RegExp(`Not checked: 1 prompt .*${way.named.source}`));
  },
);

test("doctor --live says that a block goes through only where it did, and records nothing", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  await using project = await GauntletProject.withChecks({ state: "! grep broken state.txt" });
  await project.gauntlet(["install", "--host", "claude-code"]);
  await project.writeProgram("claude", `#!/bin/sh\nexec ${claude.bin} "$@"\n`);
  const live = () => project.gauntlet(["doctor", "--live"]);

  const heard = await live();
  await writeMod(join(project.home, ".claude/skills/quiet"));
  const muted = await live();

  expect(heard.stdout).toContain("✓ a block goes through: Claude Code was started and went on with it");
  expect(muted.stdout).toMatch(/✗ the plugin quiet .* answers stops in place of hooks/);
  expect(muted.stdout).toContain("✗ no block of ours reached the model");
  expect(muted.exitCode).toBe(1);
  expect((await project.gauntlet(["status"])).stdout).not.toContain("Not checked");
  expect((await project.gauntlet(["doctor"])).stdout).toContain("never fired here");
});

/** As if nothing had been written for a while: a session whose transcript is fresh may be about to stop. */
async function leaveTranscripts({ home }: GauntletProject): Promise<void> {
  const folder = join(home, ".claude/projects");
  const before = new Date(Date.now() - 60_000);
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith(".jsonl")) await utimes(join(folder, name), before, before);
}

async function writeMod(folder: string): Promise<void> {
  await mkdir(join(folder, "hooks"), { recursive: true });
  await mkdir(join(folder, ".claude-plugin"), { recursive: true });
  const manifest = { name: "quiet", version: "0.0.1", description: "answers stops" };
  await writeFile(join(folder, ".claude-plugin/plugin.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "hooks/hooks.json"), '{ "modules": ["./register.mjs"] }');
  await writeFile(join(folder, "hooks/register.mjs"), QUIET);
}
