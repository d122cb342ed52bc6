import { spawnSync } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examplesIn, PAGES, readPage } from "../rig/docs.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { HAS_PYTHON, LiveTerminal } from "../rig/live-terminal.ts";
import { BREPL, GAUNTLET } from "../rig/program.ts";

/** What an example needs that a test must not or cannot have. */
const NOT_RUN: readonly (readonly [line: RegExp, reason: string])[] = [
  [/\bnpm install\b/, "downloads from the registry"],
  [/\bcurl\b|^PREFIX=/, "downloads a release; test/install/install-script.test.ts runs the script"],
  [/^clj /, "needs Clojure; test/brepl/real-nrepl.test.ts evaluates in real servers"],
  [/^(?:claude|codex) mcp add/, "needs the agent; test/e2e/mcp.test.ts registers the server"],
  [/completion fish \| source/, "is fish; test/cli/completion.test.ts reads its script"],
  [/^agent-gauntlet workers?\b/, "needs a queue; test/e2e/workers.test.ts runs both commands"],
  [/^agent-gauntlet acp /, "needs the agent and its client; test/e2e/acp.test.ts runs real ones"],
  [
    /^agent-gauntlet install --host zed/,
    "needs an agent on the PATH; test/install/files/zed-settings.test.ts has settings with one",
  ],
  [/^agent-gauntlet audit \.claude/, "needs a hook of the project's own; test/cli/audit.test.ts has some"],
  [/^cd /, "the examples are run in the project"],
];

/** Asks a user at a terminal; the answer is yes. */
const ASKS = /^agent-gauntlet (?:allow|deny|accept|skip|baseline)(?! --(?:list|print|prune|help))/;

/** Goes on until it is ended. */
const ENDLESS: readonly (readonly [line: RegExp, sign: string, key: string])[] = [
  [/^agent-gauntlet run --watch/, "q: quit", "q"],
  [/^agent-gauntlet dashboard/, "http://127.0.0.1:", "\u0003"],
];

/** What does not exit with 0 in a project where all is well, and why. */
const EXITS: readonly (readonly [line: RegExp, exitCode: number, reason: string])[] = [
  [/^git add .gauntlet\/baseline.json/, 128, "there is no problem to live with, so nothing was written"],
  [/^agent-gauntlet doctor$/, 1, "the examples before it have taken the hooks out again"],
];

const USER = join(import.meta.dirname, "../rig/user-at-terminal.py");
const HAS_TOOLS = ["jq", "ssh-keygen"].every((tool) => spawnSync("which", [tool]).status === 0);

/** The lines of a page that a shell is to run; `$` marks them where output stands beside them. */
function commandsIn(page: string): readonly string[] {
  const fenced = examplesIn(page).flatMap(({ language, text }) => {
    if (language === "sh") return text.split("\n");
    if (language !== "console") return [];
    return text.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  });
  const indented = readPage(page).matchAll(/^ {4}((?:agent-gauntlet|brepl|curl|PREFIX=)\b.*)$/gm);
  return [...fenced, ...[...indented].map(([, line = ""]) => line)]
    .map((line) =>
      line
        .replace(/\s+#\s.*$/, "")
        .replace(/ \[.*\]$/, "")
        .trim(),
    )
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function ask(...args: readonly string[]): string {
  return spawnSync(GAUNTLET[0], [...GAUNTLET.slice(1), ...args], { encoding: "utf8" }).stdout;
}

function examplesOfHelp(): readonly string[] {
  const names = [...ask("--help").matchAll(/^ {2}([\w-]+)[ |]/gm)].map(([, name = ""]) => name);
  const examples = names.flatMap((name) => [...ask(name, "--help").matchAll(/^ {2}\$ (.*)$/gm)]);
  return examples.map(([, line = ""]) => line).filter((line) => /^\w/.test(line)); // one is a line of JSON
}

const CONFIG = `
base_branch: origin/main
checks:
  lint: { command: "true", parser: eslint }
  test: "true"
  e2e: "true"
entry_points:
  - { path: ., checks: [lint, test, e2e], reviews: [security] }
  - { path: "packages/*", checks: [test] }
reviews:
  security:
    prompt: Look.
    cli_preference: ['command:cat "$HOME/answer.json"']
`;

/** A project in which every example can succeed. */
async function prepare(): Promise<{ project: GauntletProject; env: Record<string, string> }> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": CONFIG,
    ".gitignore": "node_modules\n*.log\n*.html\n*.sarif\n*.jsonl\n/out\n/reports\n/plan.json\n",
    "payload.json": '{ "hook_event_name": "Stop", "session_id": "played", "stop_hook_active": false }',
    "package.json": '{ "name": "scratch", "scripts": { "test": "cat build.log", "lint": "true" } }\n',
    "build.log": "src/a.c:3:5: error: expected ';' before '}' token\n",
    "lint.log": "/src/a.js\n  1:1  error  Unexpected var  no-var\n\n✖ 1 problem (1 error, 0 warnings)\n",
    "packages/a/a.js": "1\n",
    ".gauntlet/keys/.keep": "",
    "../home/answer.json": '{ "findings": [] }',
  });
  const bin = join(project.home, "bin");
  await mkdir(bin, { recursive: true });
  await mkdir(join(project.root, "node_modules/.bin"), { recursive: true });
  for (const [name, argv] of Object.entries({ "agent-gauntlet": GAUNTLET, brepl: BREPL })) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${argv.map((word) => `'${word}'`).join(" ")} "$@"\n`);
    await chmod(join(bin, name), 0o755);
    await symlink(join(bin, name), join(project.root, "node_modules/.bin", name));
  }
  const env = { ...cleanEnv(project.home), PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const script = `
    mkdir -p ~/.ssh ~/.codex && ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
    git config user.signingkey ~/.ssh/id_ed25519.pub && git config user.email test@example.com
    echo "test@example.com $(cat ~/.ssh/id_ed25519.pub)" > .gauntlet/allowed-signers
    git init -q --bare ../origin.git && git remote add origin ../origin.git
    git add -A && git commit -qm start && git push -q origin main main:release
    echo 2 >> packages/a/a.js && echo 2 > new.js && git add -A && git commit -qm work && git tag v1.2.0
    for run in 1 2 3; do agent-gauntlet run; done
    agent-gauntlet attest && git push -q origin main refs/notes/gauntlet && git fetch -q
    git reset -q --soft origin/release && git commit -qm work && agent-gauntlet attest && git push -q origin refs/notes/gauntlet
  `;
  const prepared = await run(["bash", "-ec", script], { cwd: project.root, env });
  if (prepared.exitCode !== 0) throw new Error(`${prepared.stdout}\n${prepared.stderr}`);
  await project.stop({ session_id: "the-one-before" });
  await project.stop({ session_id: "0b1c2d3e-0000-4000-8000-000000000000" });
  return { project, env };
}

async function follow(
  line: string,
  { project, env }: Awaited<ReturnType<typeof prepare>>,
): Promise<Finished> {
  const endless = ENDLESS.find(([pattern]) => pattern.test(line));
  if (endless !== undefined) {
    await using screen = new LiveTerminal(project, line.split(" ").slice(1));
    await expect.poll(() => screen.shown).toContain(endless[1]);
    screen.type(endless[2]);
    return { exitCode: await screen.exitCode(), signal: null, stdout: screen.shown, stderr: "" };
  }
  const shell = ["bash", "-c", line.replaceAll(/\bID\b/g, "check:.:lint")];
  const argv = ASKS.test(line) ? ["python3", USER, "y", ...shell] : shell;
  return run(argv, { cwd: project.root, env });
}

/** Each line once, in the place where it comes first. */
const SOURCES = [
  ...PAGES.map((page) => [page, commandsIn(page)] as const),
  ["--help", examplesOfHelp()] as const,
].reduce<readonly (readonly [page: string, lines: readonly string[]])[]>((before, [page, lines]) => {
  const known = new Set(before.flatMap(([, of]) => of));
  const fresh = [...new Set(lines)].filter((line) => !known.has(line));
  return fresh.length === 0 ? before : [...before, [page, fresh]];
}, []);

describe.runIf(HAS_PYTHON && HAS_TOOLS).each(SOURCES)("%s", (_page, lines) => {
  let prepared: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    prepared = await prepare();
  });
  afterAll(() => prepared.project[Symbol.asyncDispose]());

  test.for(lines)("%s", async (line, { skip }) => {
    const reason = NOT_RUN.find(([pattern]) => pattern.test(line))?.[1];
    if (reason !== undefined) skip(reason);

    const { exitCode, stdout, stderr } = await follow(line, prepared);

    const expected = EXITS.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
    expect(exitCode, `${stdout}\n${stderr}`).toBe(expected);
  });
});

test("every reason not to run an example is still needed", () => {
  const lines = SOURCES.flatMap(([, of]) => of);

  const unused = [...NOT_RUN, ...EXITS].filter(([pattern]) => !lines.some((line) => pattern.test(line)));

  expect(unused.map(([pattern]) => String(pattern))).toEqual([]);
});

test("what the brepl page says `hook install` prints is what it prints", async () => {
  await using project = await GauntletProject.create();
  const shown = examplesIn("docs/brepl.md").find(({ text }) => text.includes("brepl hook install"));
  const expected = (shown?.text ?? "").split("$ brepl hook install\n")[1];

  const { stdout } = await run([...BREPL, "hook", "install"], {
    cwd: project.root,
    env: cleanEnv(project.home),
  });

  expect(stdout).toContain(expected);
});
