import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { HAS_PYTHON, LiveTerminal } from "../rig/live-terminal.ts";

const CONFIG = ".gauntlet/config.yml";
const CLAUDE = ".claude/settings.local.json";
const CODEX = ".codex/hooks.json";
const CHECKS = "Which must pass before the agent may stop?";
const AGENTS = "Which agents may stop only when these checks pass?";
const LAST = "● Yes\n│  ○ Show them first";
const [ENTER, SPACE, DOWN, ESCAPE] = ["\r", " ", "j", "\u001B"]; // an arrow is three bytes, which may arrive apart
const passing = { Makefile: "lint:\n\ttrue\ntest:\n\ttrue\n" };
const failing = { Makefile: "lint:\n\techo a.c:1:1: error: bad style; exit 1\ntest:\n\ttrue\n" };

/** Types each answer when its question is shown. */
async function init(
  project: GauntletProject,
  answers: readonly (readonly [question: string, keys: string])[],
  flags: readonly string[] = [],
) {
  await using screen = new LiveTerminal(project, ["init", ...flags]);
  const shown = (): string => stripVTControlCharacters(screen.shown);
  const wrote: boolean[] = [];
  for (const [question, keys] of answers) {
    await expect.poll(shown).toContain(question);
    wrote.push([CONFIG, CLAUDE, CODEX, ".gitignore"].some((file) => project.has(file)));
    screen.type(keys);
  }
  const exitCode = await screen.exitCode();
  return { exitCode, shown: shown(), raw: screen.shown, wrote };
}

async function projectWith(files: Readonly<Record<string, string>>): Promise<GauntletProject> {
  const project = await GauntletProject.create(files);
  await mkdir(join(project.home, ".codex")); // Codex is on this machine, Claude Code is offered anyway
  await mkdir(join(project.home, ".claude"));
  return project;
}

describe.runIf(HAS_PYTHON)("init on a terminal", () => {
  test("Enter means yes: what is found is tried and chosen, and nothing is written before the last yes", async () => {
    await using project = await projectWith(passing);

    const { exitCode, shown, raw, wrote } = await init(project, [
      [CHECKS, ENTER],
      [AGENTS, ENTER],
      [LAST, ENTER],
    ]);

    expect(exitCode).toBe(0);
    expect(wrote).toEqual([false, false, false]);
    expect(shown).toContain("◼ lint (make -k lint · Makefile)");
    expect(shown).toMatch(/✓ lint passes \(.*\)\n.*✓ test passes \(/);
    expect(shown).toContain("◼ Codex (found on this machine)");
    expect(shown).toContain("Commit .gauntlet/config.yml, so that every checkout has the gates.");
    expect(shown).toMatch(/└ {2}Next: `.*agent-gauntlet run --all` runs the checks\.\s*$/);
    expect(shown).not.toContain("base_branch");
    expect(raw).not.toMatch(/\u001B\[[\d;]*m/); // NO_COLOR
    expect(project.read(CONFIG)).toContain(
      "  lint: make -k lint # Makefile\n  test: make -k test # Makefile\n",
    );
    expect(project.read(CLAUDE)).toContain("stop-hook");
    expect(project.read(CODEX)).toContain("stop-hook --host codex");
    expect(project.read(".gitignore")).toBe(`${CLAUDE}\n`);
  });

  test("what is taken out is not written; without an agent the configuration still is", async () => {
    await using project = await projectWith(passing);

    const { exitCode, shown } = await init(project, [
      [CHECKS, SPACE + ENTER],
      [AGENTS, SPACE + DOWN + SPACE + ENTER],
      [LAST, ENTER],
    ]);

    expect(exitCode).toBe(0);
    expect(shown).toContain("No stop hook is installed.");
    expect(project.read(CONFIG)).toContain("checks:\n  test: make -k test # Makefile\n");
    expect(project.read(CONFIG)).not.toContain("lint: make");
    expect([project.has(CLAUDE), project.has(CODEX)]).toEqual([false, false]);
  });

  test.each([
    ["Esc at the checks", [[CHECKS, ESCAPE]]],
    [
      "Ctrl-C at the agents",
      [
        [CHECKS, ENTER],
        [AGENTS, "\u0003"],
      ],
    ],
    [
      "Ctrl-D at the last question",
      [
        [CHECKS, ENTER],
        [AGENTS, ENTER],
        [LAST, "\u0004"],
      ],
    ],
    [
      "No as the last answer",
      [
        [CHECKS, ENTER],
        [AGENTS, ENTER],
        [LAST, DOWN + DOWN + ENTER],
      ],
    ],
  ] as const)("%s changes nothing", async (_, answers) => {
    await using project = await projectWith(passing);

    const { exitCode, shown } = await init(project, answers);

    expect(exitCode).toBe(1);
    expect(shown).toMatch(/└ {2}Cancelled\. Nothing was changed\.\s*$/);
    expect([CONFIG, CLAUDE, CODEX, ".gitignore"].filter((file) => project.has(file))).toEqual([]);
  });

  test("the files are shown on demand, and asked for again", async () => {
    await using project = await projectWith(passing);

    const { exitCode, shown } = await init(project, [
      [CHECKS, ENTER],
      [AGENTS, ENTER],
      [LAST, DOWN + ENTER],
      ["base_branch: main", ENTER],
    ]);

    expect(exitCode).toBe(0);
    expect(shown).toContain('"command":');
    expect(project.has(CONFIG)).toBe(true);
  });

  test("what fails already is asked about, and does not block as it is", async () => {
    await using project = await projectWith(failing);

    const { shown } = await init(project, [
      [CHECKS, ENTER],
      ["lint fails already. And then?", DOWN + ENTER],
      [AGENTS, ENTER],
      [LAST, ENTER],
    ]);

    expect(shown).toMatch(
      /✗ lint fails with exit code 2 \(.*\): make -k lint\n│ {6}a\.c:1:1 error: bad style/,
    );
    expect(project.read(CONFIG)).toContain(
      "  # lint: make -k lint # Makefile; fails with exit code 2 already\n",
    );
  });

  test("beside a configuration only the agents are asked for", async () => {
    await using project = await projectWith({ [CONFIG]: "checks: { mine: 'true' }\n" });

    const { exitCode, shown } = await init(project, [
      [AGENTS, ENTER],
      [LAST, ENTER],
    ]);

    expect(exitCode).toBe(0);
    expect(shown).toContain(`${CONFIG} exists and is left as it is.`);
    expect(project.read(CONFIG)).toBe("checks: { mine: 'true' }\n");
    expect(project.read(CLAUDE)).toContain("stop-hook");
  });
});
