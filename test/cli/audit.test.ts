import { describe, expect, test } from "vitest";
import { outputSchema } from "../schema/json-schema.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

interface Verdict {
  readonly name: string;
  readonly detail: string | null;
  readonly line: number | null;
  readonly text: string | null;
}

interface AuditedHook {
  readonly holds: boolean;
  readonly verdicts: readonly Verdict[];
}

const STOP = ".claude/hooks/stop.sh";
const COMMAND = `"$CLAUDE_PROJECT_DIR"/${STOP}`;

/** A project whose agent has this stop hook. */
async function projectWith(script: string, command = COMMAND, event = "Stop"): Promise<GauntletProject> {
  const settings = { hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } };
  const project = await GauntletProject.create({
    ".claude/settings.json": JSON.stringify(settings),
    [STOP]: `#!/bin/bash\n${script}`,
    "package.json": JSON.stringify({ scripts: { test: "vitest run" } }),
    "src/app.ts": "export const total = 3;\n",
    "app.py": "total = 3\n",
  });
  await project.git("update-index", "--add", "--chmod=+x", STOP);
  await project.git("add", "--all");
  await project.git("update-index", "--chmod=+x", STOP);
  await project.git("commit", "--quiet", "--message", "start");
  await project.git("checkout", "--quiet", "--", ".");
  return project;
}

async function audited(
  project: GauntletProject,
): Promise<AuditedHook & { readonly exitCode: number | null }> {
  const done = await project.gauntlet(["audit", "--yes", "--json"]);
  const value: unknown = JSON.parse(done.stdout);
  expect(outputSchema().safeParse(value).error?.issues ?? []).toEqual([]);
  const { hooks } = value as { readonly hooks: readonly AuditedHook[] }; // as the schema says
  const [hook] = hooks;
  if (hook === undefined) throw new Error(`no hook was found: ${done.stderr}`);
  return { ...hook, exitCode: done.exitCode };
}

/** Blocks three stops of a session at most, whatever `check` says. */
const HOLDS = `input=$(cat)
session=$(printf '%s' "$input" | sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')
count="$(git -C "$CLAUDE_PROJECT_DIR" rev-parse --git-dir)/blocks-$session"
cd "$CLAUDE_PROJECT_DIR"
if ! output=$(npm test 2>&1); then
  echo x >> "$count"
  [ "$(wc -l < "$count")" -gt 3 ] && exit 0
  printf '%s\\n' "$output" | tail -20 >&2
  exit 2
fi
`;

interface Row {
  readonly says: string;
  readonly script: string;
  readonly why?: string;
  readonly line?: string;
}

/** The hooks that people write, each with what is wrong with it. */
const HOOKS: readonly Row[] = [
  { says: "holds", script: HOLDS, why: "3 blocks, then it lets go" },
  {
    says: "never blocks",
    script: "npm test >&2 || exit 1\n",
    why: "it exits with 1, and only 2 blocks",
    line: "npm test >&2 || exit 1",
  },
  {
    says: "never blocks",
    script: `input=$(cat)
if echo "$input" | grep -q stop_hook_active; then
  exit 0
fi
npm test >&2 || exit 2
`,
    why: "it looks for the name `stop_hook_active`, which every stop has, not for its value",
    line: 'if echo "$input" | grep -q stop_hook_active; then',
  },
  {
    says: "never blocks",
    script: `npm test || echo '{"decision": "block", "reason": "tests fail"}'\n`,
    why: "output before the JSON makes the answer plain text",
  },
  {
    says: "never blocks",
    script: `output=$(npm test 2>&1) && exit 0
cat <<END
{"decision": "block", "reason": "$output"}
END
`,
    why: "raw line breaks in its JSON make the answer plain text",
  },
  {
    says: "never blocks",
    script: `npm test >/dev/null 2>&1 || echo '{"continue": false, "decision": "block", "stopReason": "tests fail"}'\n`,
    why: "`continue: false` ends the turn, even with a block beside it",
  },
  {
    says: "never blocks",
    script: `npm test 2>&1 | tail -5\necho "tests done"\nexit 0\n`,
    why: "it exits with 0, and what it prints is only text",
    line: "exit 0",
  },
  {
    says: "lets go after one",
    script: `input=$(cat)
active=$(printf '%s' "$input" | grep -c '"stop_hook_active":true')
if [ "$active" != 0 ]; then
  exit 0
fi
npm test >&2 || exit 2
`,
    line: 'if [ "$active" != 0 ]; then',
  },
  { says: "never ends", script: "npm test >&2 || exit 2\n", why: "it blocked 12 stops in a row" },
  {
    says: "never ends · misses new files · misses committed work",
    script: `git diff --quiet HEAD && exit 0\nnpm test >&2 || exit 2\n`,
  },
  { says: "never ends · floods", script: "npm test --verbose >&2 || exit 2\n" },
  {
    says: "never ends · breaks on quotes, backslashes and line breaks",
    script: `output=$(npm test 2>&1 | tail -4 | tr '\\n' ' ')
printf '{"decision": "block", "reason": "%s"}' "$output"
`,
  },
  {
    says: "never ends · breaks on a missing tool",
    script: "command -v npm >/dev/null || exit 0\nnpm test >&2 || exit 2\n",
  },
  { says: "never ends · says nothing · blocks when green", script: "npm test 2>&1 | tail -1\nexit 2\n" },
  {
    says: "never ends · edits the tree",
    script: "npx prettier --write . >/dev/null\nnpm test >&2 || exit 2\n",
  },
  { says: "no gate", script: "echo done > /dev/null\n" },
];

describe.concurrent("audit", () => {
  test.each(HOOKS)("says of a hook: $says ($why)", async ({ says, script, why, line }) => {
    await using project = await projectWith(script);

    const { verdicts, exitCode } = await audited(project);

    const shown = verdicts.map(({ name, detail }) =>
      name === "breaks" ? `${name} ${detail?.split(":")[0]}` : name,
    );
    expect(shown).toEqual(expect.arrayContaining(says.split(" · ")));
    expect(exitCode).toBe(/^(?:holds|no gate)/.test(says) ? 0 : 1);
    if (why !== undefined) expect(verdicts[0]?.detail).toBe(why);
    if (line !== undefined) expect(verdicts[0]?.text).toBe(line);
  });

  test("shows the script, and runs nothing before the user says yes", async () => {
    await using project = await projectWith(`touch "$CLAUDE_PROJECT_DIR/ran"\nnpm test >&2 || exit 2\n`);

    const done = await project.gauntlet(["audit"]);

    expect(done.stdout).toContain("npm test >&2 || exit 2");
    expect(done.stderr).toBe("Nothing was run: `--yes` runs these hooks in scratch copies of the project.\n");
    expect(done.exitCode).toBe(1);
  });

  test("leaves the work tree as it is, and the network alone", async () => {
    await using project = await projectWith(
      `echo changed >> "$CLAUDE_PROJECT_DIR/app.py"; cd "$CLAUDE_PROJECT_DIR" && git add -A && git commit -qm mine\nnpm test >&2 || exit 2\n`,
    );
    const before = await project.git("rev-parse", "HEAD");

    const { verdicts } = await audited(project);

    expect(verdicts.find(({ name }) => name === "edits the tree")?.detail).toBe("it commits");
    expect(await project.git("rev-parse", "HEAD")).toBe(before);
    expect(await project.git("status", "--porcelain")).toBe("");
    expect(project.read("app.py")).toBe("total = 3\n");
  });

  test("finds a hook in a subdirectory's way and names where it breaks", async () => {
    await using project = await projectWith("npm test >&2 || exit 2\n", STOP);

    const { verdicts } = await audited(project);

    expect(verdicts.map(({ detail }) => detail)).toContain(
      "in a subdirectory: it exits with 127, and only 2 blocks",
    );
  });

  test("tries a script that is registered nowhere when it is named", async () => {
    await using project = await GauntletProject.create({ "scripts/gate.sh": "npm test >&2 || exit 2\n" });
    await project.commit("start");

    const done = await project.gauntlet(["audit", "scripts/gate.sh", "--yes"]);

    expect(done.stdout).toContain("✗ scripts/gate.sh: never ends");
    expect(done.exitCode).toBe(1);
  });

  test("has nothing to say in a project without hooks", async () => {
    await using project = await GauntletProject.create({ a: "1" });

    const done = await project.gauntlet(["audit", "--yes"]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "This project has no stop hook of its own: nothing to audit.\n",
    });
  });
});
