import { runProcess } from "../../system/process/run-process.ts";
import { createScratchRepository, type ScratchRepository } from "../../system/files/scratch.ts";
import { findOnPath } from "../../system/process/executables.ts";

import { ownArgv } from "../../system/process/runtime.ts";
import { join } from "node:path";
import { CONFIG_FILE } from "../../system/files/find-project.ts";

import { EXIT } from "../../report/exit-code.ts";
import { nameToType } from "../installation.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { planConfig } from "../plan-config.ts";

interface Scene {
  readonly file: string;
  readonly working: string;
  readonly broken: string;
  readonly others: Readonly<Record<string, string>>;
}

const IN_JAVASCRIPT: Scene = {
  file: "add.mjs",
  working: "export const add = (a, b) => a + b;\n",
  broken: "export const add = (a, b) => a - b;\n",
  others: {
    "add.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "./add.mjs";

test("adds", () => assert.equal(add(2, 3), 5));
`,
    "package.json": '{ "private": true, "scripts": { "test": "node --test" } }\n',
  },
};

const IN_SHELL: Scene = {
  file: "add.sh",
  working: 'add() { echo "$(($1 + $2))"; }\n',
  broken: 'add() { echo "$(($1 - $2))"; }\n',
  others: {
    "add.test.sh": `. ./add.sh
[ "$(add 2 3)" = 5 ] || { echo "add.test.sh:2: error: add 2 3 gives $(add 2 3), not 5"; exit 1; }
`,
  },
};
const SHELL_CONFIG = `stop_hook:
  when_active: enforce
  when_busy: wait
checks:
  test: sh add.test.sh
`;

/** Plays a whole stop in a scratch repository, with the real hook and what `init` writes: blocked, fixed, allowed. */
export async function demoCommand(terminal: Terminal): Promise<number> {
  const hasNode = findOnPath("node", terminal.env).length > 0;
  const scene = hasNode ? IN_JAVASCRIPT : IN_SHELL;
  await using repository = await createScratchRepository({ [scene.file]: scene.working, ...scene.others });
  const config = hasNode ? await configOf(terminal, repository) : SHELL_CONFIG;
  if (config === undefined) return EXIT.notOk;
  await repository.write(CONFIG_FILE, config);
  return await playBoth(terminal, repository, { ...scene, config: withoutComments(config) });
}

async function configOf(terminal: Terminal, { path }: ScratchRepository): Promise<string | undefined> {
  const planned = await planConfig({ ...terminal, cwd: path });
  return planned.kind === "new" ? planned.text : undefined;
}

async function playBoth(
  terminal: Terminal,
  repository: ScratchRepository,
  { config, file, working, broken }: Scene & { readonly config: string },
): Promise<number> {
  const { stdout, colours } = terminal;
  const say = (line = ""): void => printLine(stdout, line);
  say(colours.bold("In a scratch git repository, `agent-gauntlet init` has written .gauntlet/config.yml:"));
  say(indent(config, "  "));
  say(`\n${colours.bold(`An agent edits ${file} and wants to stop. Claude Code asks the stop hook:`)}`);
  await repository.write(file, broken);
  say(colours.red(`  + ${broken.trim()}`));
  const blocked = await playStop(terminal, repository, { isAfterBlock: false });
  if (blocked === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`⛔ ${blocked.decision}`)}, and this is what the agent reads:\n`);
  say(indent(blocked.reason ?? "", colours.red("  │ ")));

  say(`\n${colours.bold("So the agent continues, fixes the file, and stops again:")}`);
  await repository.write(file, working);
  say(colours.green(`  + ${working.trim()}`));
  const allowed = await playStop(terminal, repository, { isAfterBlock: true });
  if (allowed === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`✅ ${allowed.decision}`)}: ${allowed.message}`);
  const init = `${nameToType(terminal)} init`;
  say(`\nReal hook, real gate, nothing left behind. In your own project: ${colours.bold(init)}`);
  return blocked.decision === "block" && allowed.decision === "approve" ? EXIT.ok : EXIT.notOk;
}

interface Answer {
  readonly decision: string;
  readonly message: string;
  readonly reason?: string;
}

/** Shows the event Claude Code sends, with the fields that matter here, and feeds it to this very program. */
async function playStop(
  { env, stdout, stderr, colours }: Terminal,
  { path }: ScratchRepository,
  { isAfterBlock }: { readonly isAfterBlock: boolean },
): Promise<Answer | undefined> {
  const event = {
    session_id: "demo",
    cwd: path,
    hook_event_name: "Stop",
    stop_hook_active: isAfterBlock,
  };
  printLine(stdout, colours.dim(`  ← ${JSON.stringify({ ...event, cwd: "…" })}`));
  const output: Buffer[] = [];
  await runProcess({
    argv: [...ownArgv(), "stop-hook"],
    cwd: path,
    env: { ...withoutOurs(env), ...homesIn(join(path, ".git")) },
    stdin: `${JSON.stringify(event)}\n`,
    onOutput: (chunk, stream) => {
      if (stream === "stdout") output.push(chunk);
    },
  });
  const text = Buffer.concat(output).toString();
  if (text.startsWith("{")) return JSON.parse(text) as Answer; // our own hook's answer
  printLine(stderr, `The stop hook gave no answer: ${text || "nothing was printed"}`);
  return undefined;
}

/** Nothing of the demo outlives it, and no settings of the user's change it. */
function homesIn(directory: string): Record<string, string> {
  return {
    XDG_STATE_HOME: join(directory, "state"),
    XDG_CONFIG_HOME: join(directory, "config-home"),
    XDG_CACHE_HOME: join(directory, "cache"),
    npm_config_cache: join(directory, "npm"),
  };
}

/** Neither a gauntlet, a build server nor a test runner around the demo may change what it shows. */
function withoutOurs(env: Terminal["env"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(?:GAUNTLET_|GITHUB_|CI$|NODE_TEST_CONTEXT$|CLAUDE|npm_)/.test(name),
    ),
  );
}

function withoutComments(config: string): string {
  return config
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .map((line) => line.replace(/ # .*/, ""))
    .join("\n");
}

function indent(text: string, margin: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `${margin}${line}`)
    .join("\n");
}
