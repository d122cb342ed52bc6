import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { sessionFile } from "../rig/state-files.ts";
import { GAUNTLET, GAUNTLET_LINE } from "../rig/program.ts";
import { identityOf } from "../rig/processes.ts";

/** What became of a way around: the stop was blocked, or the user was shown this. */
type Met = "refused" | RegExp;

interface Way {
  readonly how: string;
  /** What was there before the first stop. */
  readonly before?: (project: GauntletProject) => unknown;
  /** What the agent does between the stop that was blocked and the next. */
  readonly act: (project: GauntletProject) => unknown;
  readonly tell: Met;
  /** The same with `when_gates_change: hold`, where that differs. */
  readonly hold?: Met;
  /** What the user is shown besides. */
  readonly shown?: RegExp;
  readonly event?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

const CONFIG = ".gauntlet/config.yml";
const UNIT = "! grep -q BAD src/a.js";
const PACKAGE = JSON.stringify({ scripts: { test: "npm run unit", unit: UNIT } });

/** The one gate runs `npm test`, which fails for what the agent wrote, and passes without it. */
async function project(mode: "tell" | "hold"): Promise<GauntletProject> {
  const made = await GauntletProject.create({
    [CONFIG]: config(mode),
    ".gauntlet/checks/lint.yml": "command: sh tools/lint.sh\nfix_instructions: fix.md\n",
    ".gauntlet/fix.md": "Fix it.\n",
    "tools/lint.sh": "sh tools/inner.sh\n",
    "tools/inner.sh": "exit 0\n",
    "package.json": PACKAGE,
    "src/a.js": "1",
  });
  await made.commit("start");
  await made.write({ "src/a.js": "BAD" });
  return made;
}

function config(mode: string, check = "npm test", more = ""): string {
  return `base_branch: main\nchecks:\n  test: ${check}\nstop_hook: { when_active: enforce, when_gates_change: ${mode}${more} }\n`;
}

function edit(file: string, from: string | RegExp, to: string) {
  return (made: GauntletProject) => made.write({ [file]: made.read(file).replace(from, to) });
}

function shell(line: string) {
  return async (made: GauntletProject) =>
    run(["sh", "-c", line], { cwd: made.root, env: cleanEnv(made.home) });
}

const WAYS: readonly Way[] = [
  {
    how: "make the command `true`",
    act: edit(CONFIG, "test: npm test", 'test: "true"'),
    tell: /check "test": command was "npm test", is "true"/,
    hold: "refused",
  },
  {
    how: "append `|| true` to the command",
    act: edit(CONFIG, "npm test", "npm test || true"),
    tell: /is "npm test \|\| true"/,
    hold: "refused",
  },
  {
    how: "remove the gate",
    act: edit(CONFIG, "test: npm test", 'other: "true"'),
    tell: /check "test" removed while it was failing/,
    hold: "refused",
  },
  {
    how: "rename the gate",
    act: edit(CONFIG, "test: npm test", 'tests: "true"'),
    tell: /check "test" removed while it was failing.*check "tests" added/,
    hold: "refused",
  },
  {
    how: "make the gate warn only",
    act: edit(CONFIG, "test: npm test", "test: { command: npm test, warn_only: true }"),
    tell: /warn_only false → true/,
    hold: "refused",
  },
  {
    how: "let the gate run in CI only",
    act: edit(CONFIG, "test: npm test", "test: { command: npm test, run_locally: false }"),
    tell: /run_locally true → false/,
    hold: "refused",
  },
  {
    how: "run the gate in an empty directory",
    act: edit(CONFIG, "test: npm test", "test: { command: npm test, working_directory: src }"),
    tell: /working_directory/,
    hold: "refused",
  },
  {
    how: "give the gate another shell",
    act: edit(CONFIG, "test: npm test", "test: { command: npm test, shell: 'true' }"),
    tell: /shell/,
    hold: "refused",
  },
  {
    how: "set a variable for the gate",
    act: edit(
      CONFIG,
      "test: npm test",
      "test: { command: npm test || true, env: { npm_config_script_shell: /bin/true } }",
    ),
    tell: /env \{\} → /,
    hold: "refused",
  },
  {
    how: "let the gate see no files",
    act: edit(CONFIG, "test: npm test", "test: { command: 'true {files}', files: ['*.none'] }"),
    tell: /command was "npm test"/,
    hold: "refused",
  },
  {
    how: "exclude the changed directory",
    act: edit(
      CONFIG,
      "checks:",
      "entry_points: [{ path: ., exclude: [src, tools, .gauntlet, package.json], checks: [test] }]\nchecks:",
    ),
    tell: /exclude \[\] → |removed/,
    hold: "refused",
  },
  {
    how: "cover another directory only",
    act: edit(CONFIG, "checks:", "entry_points: [{ path: docs, checks: [test, lint] }]\nchecks:"),
    tell: /removed/,
    hold: "refused",
  },
  {
    how: "compare with another base",
    act: (made) => edit(CONFIG, "base_branch: main", "base_branch: HEAD")(made),
    tell: /base_branch "main" → "HEAD"/,
    hold: "refused",
  },
  {
    how: "set max_retries to 0",
    act: edit(CONFIG, "checks:", "max_retries: 0\nchecks:"),
    tell: /max_retries 3 → 0/,
    hold: "refused",
  },
  {
    how: "switch the hook off in the configuration",
    act: edit(CONFIG, "when_active: enforce", "enabled: false"),
    tell: /stop_hook.enabled true → false/,
    hold: "refused",
  },
  {
    how: "set the run interval to a day",
    act: edit(CONFIG, "when_active: enforce", "when_active: enforce, run_interval_minutes: 1440"),
    tell: "refused",
  },
  {
    how: "gate only sub-agents",
    act: edit(
      CONFIG,
      "when_active: enforce",
      "when_active: enforce, on: [subagent_stop], agent_types: ['*']",
    ),
    tell: /stop_hook.on \["stop"\] → /,
    hold: "refused",
  },
  {
    how: "let the next stop go by",
    act: edit(CONFIG, "when_active: enforce", "when_active: allow"),
    tell: "refused",
  },
  {
    how: "give up holding, and weaken the gate",
    act: (made) => made.write({ [CONFIG]: config("tell", '"true"') }),
    tell: /command was "npm test"/,
    hold: "refused",
  },
  {
    how: "delete .gauntlet",
    act: shell("rm -r .gauntlet"),
    tell: /\.gauntlet\/config\.yml was removed .* \(test, lint\) no longer run\. Still failing: test/,
    hold: "refused",
  },
  { how: "move .gauntlet away", act: shell("mv .gauntlet .old"), tell: /was removed/, hold: "refused" },
  {
    how: "make a configuration that cannot be read",
    act: (made) => made.write({ [CONFIG]: "checks: [" }),
    tell: /nothing is checked, because the configuration is not valid/,
    hold: "refused",
  },
  {
    how: "make the configuration an empty list of gates",
    act: (made) => made.write({ [CONFIG]: "checks: {}\nentry_points: [{ path: docs, checks: [lint] }]" }),
    tell: /removed/,
    hold: "refused",
  },
  {
    how: "switch the hook off with a variable",
    act: () => {},
    env: { GAUNTLET_STOP_HOOK_ENABLED: "false" },
    tell: /stop_hook.enabled true → false/,
    hold: "refused",
  },
  {
    how: "set the interval with a variable",
    act: () => {},
    env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "1440" },
    tell: "refused",
  },
  {
    how: "weaken the script behind `npm test`",
    act: edit("package.json", "npm run unit", "true"),
    tell: /package.json script "test" changed/,
    hold: "refused",
  },
  {
    how: "weaken the script that it calls",
    act: edit("package.json", UNIT, "exit 0"),
    tell: /package.json script "unit" changed/,
    hold: "refused",
  },
  {
    how: "have npm run scripts in another shell",
    act: (made) => made.write({ ".npmrc": "script-shell=/bin/true\n" }),
    tell: /\.npmrc added/,
    hold: "refused",
  },
  {
    how: "fix the failure with a script before it",
    act: edit("package.json", '"test"', '"pretest": "cp tools/lint.sh x", "test"'),
    tell: "refused",
  },
  {
    how: "weaken a script that a gate names",
    act: (made) =>
      made.write({ "tools/lint.sh": "exit 0\n", "package.json": PACKAGE.replace(UNIT, "exit 0") }),
    tell: /tools\/lint\.sh changed/,
    hold: "refused",
  },
  {
    how: "weaken the script which that one runs",
    act: (made) =>
      made.write({ "tools/inner.sh": "true\n", "package.json": PACKAGE.replace(UNIT, "exit 0") }),
    tell: /tools\/inner\.sh changed/,
    hold: "refused",
  },
  {
    how: "rewrite the fix instructions",
    act: (made) => made.write({ ".gauntlet/fix.md": "Give up.\n" }),
    tell: "refused",
  },
  { how: "commit", act: (made) => made.commit("done"), tell: "refused" },
  {
    how: "stash",
    act: (made) => made.git("stash", "--quiet"),
    tell: /work was put away with `git stash`/,
  },
  {
    how: "switch branches",
    act: (made) => made.git("switch", "--quiet", "--create", "other"),
    tell: "refused",
  },
  { how: "ignore the changed files", act: (made) => made.write({ ".gitignore": "src\n" }), tell: "refused" },
  {
    how: "hide the change from git",
    act: (made) => made.git("update-index", "--assume-unchanged", "src/a.js"),
    tell: "refused",
  },
  {
    how: "clean",
    act: shell(`${GAUNTLET.join(" ")} clean`),
    tell: "refused",
    shown: /`agent-gauntlet clean` was run in this project, and not by you/,
  },
  {
    how: "clean and commit",
    act: async (made) => {
      await made.gauntlet(["clean"]);
      await made.commit("done");
    },
    tell: "refused",
    shown: /`agent-gauntlet clean` was run/,
  },
  {
    how: "clean, and remove the gate",
    act: async (made) => {
      await made.gauntlet(["clean"]);
      await made.write({ [CONFIG]: made.read(CONFIG).replace("test: npm test", 'other: "true"') });
    },
    tell: /check "test" removed/,
    hold: "refused",
    shown: /`agent-gauntlet clean` was run/,
  },
  {
    how: "remove the hook from the host's settings",
    before: hooked,
    act: (made) => made.write({ ".claude/settings.json": "{}" }),
    tell: "refused",
    shown: /the stop hook was removed from .*settings\.json/,
  },
  {
    how: "switch all hooks off in the host's settings",
    before: hooked,
    act: edit(".claude/settings.json", "{", '{ "disableAllHooks": true,'),
    tell: "refused",
    shown: /the stop hook was removed from .*settings\.json, or switched off there/,
  },
  {
    how: "add the failure to the committed baseline",
    act: (made) => made.write({ ".gauntlet/baseline.json": BASELINE }),
    tell: "refused",
    shown: /baseline\.json grew by 12 in this session/,
  },
  {
    how: "commit a baseline with the failure",
    act: async (made) => {
      await made.write({ ".gauntlet/baseline.json": BASELINE });
      await made.commit("done");
    },
    tell: "refused",
    shown: /baseline\.json grew by 12/,
  },
  {
    how: "remove the log directory",
    act: shell("rm -r gauntlet_logs"),
    tell: "refused",
  },
  {
    how: "write a session without open failures to the log directory",
    act: (made) => forge(made),
    tell: "refused",
  },
  {
    how: "write a lock that is not as we write it",
    act: (made) => made.write({ "gauntlet_logs/.gauntlet-run.lock": "{}" }),
    tell: "refused",
    shown: /was not one that agent-gauntlet writes/,
  },
  {
    how: "write a lock that names a living process",
    act: (made) => made.write({ "gauntlet_logs/.gauntlet-run.lock": lock() }),
    tell: /no run of yours has recorded it/,
  },
  {
    how: "stop outside of the project",
    act: () => {},
    event: { cwd: "/" },
    tell: /began in .* there are no gates/,
  },
  {
    how: "stop in a project of its own making",
    act: (made) => other(made),
    event: { cwd: "../other" },
    tell: /judged in .*other: changes in the first were not looked at/,
  },
  {
    how: "stop in a new work tree",
    act: (made) => made.git("worktree", "add", "--quiet", "../linked", "HEAD"),
    event: { cwd: "../linked" },
    tell: /judged in .*linked/,
  },
  {
    how: "stop in a directory with gates of its own making",
    act: (made) => made.write({ "sub/.gauntlet/config.yml": 'checks: { a: "true" }' }),
    event: { cwd: "sub" },
    env: { CLAUDE_PROJECT_DIR: "." },
    tell: "refused",
  },
  {
    how: "change into a project of its own making, away from the host's directory",
    act: (made) => other(made),
    event: { cwd: "../other" },
    env: { CLAUDE_PROJECT_DIR: "." },
    tell: "refused",
  },
  {
    how: "change into a directory without gates, away from the host's directory",
    act: () => {},
    event: { cwd: "/" },
    env: { CLAUDE_PROJECT_DIR: "." },
    tell: "refused",
  },
  {
    how: "give up at once in config.local.yml",
    act: (made) => made.write({ ".gauntlet/config.local.yml": "max_retries: 0\n" }),
    tell: /max_retries 3 → 0/,
    hold: "refused",
  },
  {
    how: "switch the hook off in the user's own configuration",
    act: (made) =>
      made.write({ "../home/.config/agent-gauntlet/config.yml": "stop_hook: { enabled: false }\n" }),
    tell: /stop_hook.enabled true → false/,
    hold: "refused",
  },
  {
    how: "make .gauntlet a link to gates of its own making",
    act: shell(
      "mkdir ../own && mv .gauntlet ../was && echo 'checks: { a: \"true\" }' > ../own/config.yml && ln -s ../own .gauntlet",
    ),
    tell: /removed/,
    hold: "refused",
  },
  {
    how: "put gates of its own making above the project",
    act: shell(
      "rm -r .gauntlet && mkdir ../.gauntlet && echo 'checks: { a: \"true\" }' > ../.gauntlet/config.yml",
    ),
    tell: /was removed/,
    hold: "refused",
  },
  {
    how: "make another repository of the project",
    act: shell(
      "rm -rf .git && git init --quiet --initial-branch main && git add --all && git -c user.name=a -c user.email=a@b commit --quiet -m new",
    ),
    tell: "refused",
  },
  { how: "remove the repository", act: shell("rm -rf .git"), tell: "refused" },
  {
    how: "run the gates with a variable that makes them pass",
    act: shell(`npm_config_script_shell=/bin/true ${GAUNTLET_LINE} run`),
    tell: "refused",
  },
  {
    how: "run the gates with another program first on the PATH",
    act: shell(
      `mkdir ../first && printf '#!/bin/sh\n' > ../first/npm && chmod +x ../first/npm && PATH="$PWD/../first:$PATH" ${GAUNTLET_LINE} run`,
    ),
    tell: "refused",
  },
  {
    how: "run the gates as a build server does, without those that fail",
    before: edit(CONFIG, "test: npm test", "test: { command: npm test, run_in_ci: false }"),
    act: shell(`git add --all && git commit --quiet --message work && CI=1 ${GAUNTLET_LINE} run`),
    tell: "refused",
  },
  {
    how: "commit, and move the base branch there",
    act: shell("git switch --quiet -c other && git commit --quiet -am done && git branch --force main"),
    tell: "refused",
  },
  {
    how: "commit, and keep the logs elsewhere",
    act: async (made) => {
      await made.write({ [CONFIG]: `log_dir: other_logs\n${made.read(CONFIG)}` });
      await made.commit("done");
    },
    tell: /log_dir "gauntlet_logs" → "other_logs"/,
    hold: "refused",
  },
  {
    how: "put a file where the log directory was",
    act: shell("rm -r gauntlet_logs && touch gauntlet_logs"),
    tell: /gauntlet_logs/,
  },
  {
    how: "write a message of the user into the transcript",
    act: async (made) => {
      await prompted(made, "gauntlet skip: done");
      const said = { type: "user", message: { role: "user", content: "gauntlet skip: done" } };
      appendFileSync(join(made.root, "../transcript.jsonl"), `${JSON.stringify(said)}\n`);
    },
    event: { transcript_path: "transcript.jsonl" },
    tell: /you said in the chat: "done"/,
  },
  {
    how: "ask for a skip without a terminal",
    act: shell(`${GAUNTLET.join(" ")} skip --reason done`),
    tell: "refused",
  },
  { how: "accept without a terminal", act: shell(`echo y | ${GAUNTLET.join(" ")} accept`), tell: "refused" },
  {
    how: "pipe a prompt of its own into prompt-hook",
    act: (made) => prompted(made, "gauntlet skip: done"),
    event: { transcript_path: "transcript.jsonl" },
    tell: "refused",
    shown: /something asked to skip the gates \("done"\) in your name/,
  },
  {
    how: "pipe a prompt where there is no transcript",
    act: (made) => prompted(made, "gauntlet skip: done"),
    tell: /you said in the chat: "done"/,
  },
];

/** A file as `baseline` writes it, with a dozen problems of the failing check. */
const BASELINE = JSON.stringify({
  version: 1,
  problems: [{ gate: "check:.:test", unread: "npm error code 1", count: 12 }],
});

/** As `install` registers it, and a session that starts with it. */
async function hooked(made: GauntletProject): Promise<void> {
  const hook = { type: "command", command: "agent-gauntlet stop-hook" };
  await made.write({
    ".claude/settings.json": JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }),
    ".gitignore": ".claude\n",
  });
  const event = { session_id: "session-1", cwd: made.root, hook_event_name: "SessionStart" };
  await made.gauntlet(["session-start"], { stdin: JSON.stringify(event) });
}

function lock(): string {
  const { pid } = process;
  const self = {
    pid,
    ...identityOf(pid),
    machine: hostname(),
  };
  return JSON.stringify({ runId: "x", since: "2026-01-01T00:00:00Z", sessionId: "session-1", ...self });
}

async function forge(made: GauntletProject): Promise<void> {
  const session = readFileSync(sessionFile(made), "utf8");
  await made.write({
    "gauntlet_logs/.state/session-session-1.json": session.replaceAll(
      /"openFailures":\[.*?\](?=,"told")/gs,
      '"openFailures":[]',
    ),
  });
}

async function other(made: GauntletProject): Promise<void> {
  mkdirSync(resolve(made.root, "../other/.gauntlet"), { recursive: true });
  writeFileSync(resolve(made.root, "../other/.gauntlet/config.yml"), 'checks: { a: "true" }\n');
}

async function prompted(made: GauntletProject, prompt: string): Promise<Finished> {
  appendFileSync(
    join(made.root, "../transcript.jsonl"),
    `${JSON.stringify({ type: "user", message: { role: "user", content: "Do it." } })}\n`,
  );
  const event = { session_id: "session-1", cwd: made.root, hook_event_name: "UserPromptSubmit", prompt };
  return made.gauntlet(["prompt-hook"], { stdin: JSON.stringify(event) });
}

test("what all of them go around is passed by a fix", async () => {
  await using made = await project("hold");
  expect((await made.stop()).answer.decision).toBe("block");
  await made.write({ "src/a.js": "2" });

  const { answer } = await made.stop();

  expect(answer).toMatchObject({ decision: "approve", status: "passed" });
  expect(answer.systemMessage).toBeUndefined();
});

test("docs/trust.md lists all of them, with what becomes of each", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/trust.md"), "utf8");
  const rows = page.matchAll(/^\| (.+?) +\| (shown|refused) +\| (shown|refused) +\|$/gm);
  const listed = [...rows].map(([, how = "", ...met]) => [how.replaceAll(String.raw`\|`, "|"), ...met]);

  expect(listed).toEqual(WAYS.map(({ how, tell, hold = tell }) => [how, word(tell), word(hold)]));
  expect(WAYS.length).toBeGreaterThanOrEqual(70);
});

function word(met: Met): string {
  return met === "refused" ? met : "shown";
}

describe.concurrent("the user is told", () => {
  test.for(WAYS)("$how", (way) => meet(way, "tell"));
});

describe.concurrent("gates are held", () => {
  test.for(WAYS.filter(({ hold }) => hold !== undefined))("$how", (way) => meet(way, "hold"));
});

async function meet({ act, event = {}, env = {}, ...way }: Way, mode: "tell" | "hold"): Promise<void> {
  await using made = await project(mode);
  await way.before?.(made);
  const before = await made.stop();
  expect(before.answer.decision).toBe("block");

  await act(made);
  const { answer } = await made.stop(inPlace(made, event), {
    env: inPlace(made, env) as Record<string, string>,
  });

  const met = (mode === "hold" ? way.hold : undefined) ?? way.tell;
  if (met === "refused") expect(answer.decision).toBe("block");
  for (const shown of [met, way.shown])
    if (shown instanceof RegExp) expect(answer.systemMessage ?? "").toMatch(shown);
}

/** Paths from the project. */
function inPlace(made: GauntletProject, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const place = (key: string, value: unknown): unknown => {
    if (key === "transcript_path") return join(made.root, "..", String(value));
    return key === "cwd" || key === "CLAUDE_PROJECT_DIR" ? resolve(made.root, String(value)) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, place(key, value)]));
}
