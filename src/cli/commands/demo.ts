import { runProcess } from "../../machine/process/run-process.ts";
import { createScratchRepository, type ScratchRepository } from "../../machine/files/scratch.ts";
import { findOnPath } from "../../machine/process/executables.ts";

import { isNative, ownArgv } from "../../machine/process/this-program.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";

/** A small project, and the edit that breaks it. */
interface Scene {
  readonly config: string;
  readonly file: string;
  readonly working: string;
  readonly broken: string;
  readonly others: Readonly<Record<string, string>>;
}

const IN_JAVASCRIPT: Scene = {
  config: "checks:\n  test: node --test\n",
  file: "add.mjs",
  working: "export const add = (a, b) => a + b;\n",
  broken: "export const add = (a, b) => a - b;\n",
  others: {
    "add.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "./add.mjs";

test("adds", () => assert.equal(add(2, 3), 5));
`,
    "package.json": '{ "type": "module" }\n',
  },
};

/** For machines that have the native program and no Node. */
const IN_SHELL: Scene = {
  config: "checks:\n  test: sh add.test.sh\n",
  file: "add.sh",
  working: 'add() { echo "$(($1 + $2))"; }\n',
  broken: 'add() { echo "$(($1 - $2))"; }\n',
  others: {
    "add.test.sh": `. ./add.sh
[ "$(add 2 3)" = 5 ] || { echo "add.test.sh:2: error: add 2 3 gives $(add 2 3), not 5"; exit 1; }
`,
  },
};

/** Plays a whole stop in a scratch repository, with the real hook: blocked, fixed, allowed. */
export async function demoCommand(terminal: Terminal): Promise<number> {
  const { stdout, colours } = terminal;
  const say = (line = ""): void => printLine(stdout, line);
  const { config, file, working, broken, others } =
    findOnPath("node", terminal.env).length > 0 ? IN_JAVASCRIPT : IN_SHELL;
  await using repository = await createScratchRepository({
    ".gauntlet/config.yml": config,
    [file]: working,
    ...others,
  });
  say(colours.bold("A project with one gate, in a scratch git repository (.gauntlet/config.yml):"));
  say(indent(config, "  "));
  say(colours.bold(`An agent edits ${file} and wants to stop. Its host asks the stop hook:`));
  await repository.write(file, broken);
  say(colours.red(`  + ${broken.trim()}`));
  const blocked = await playStop(repository, terminal);
  if (blocked === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`⛔ ${blocked.decision}`)} — and this is what the agent reads:\n`);
  say(indent(blocked.reason ?? "", colours.red("  │ ")));

  say(`\n${colours.bold("So the agent goes on, fixes the file, and stops again:")}`);
  await repository.write(file, working);
  say(colours.green(`  + ${working.trim()}`));
  const allowed = await playStop(repository, terminal);
  if (allowed === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`✅ ${allowed.decision}`)} — ${allowed.message}`);
  const init = isNative() ? "agent-gauntlet init" : "npx agent-gauntlet init";
  say(`\nReal hook, real gate, nothing left behind. In a project of yours: ${colours.bold(init)}`);
  return blocked.decision === "block" && allowed.decision === "approve" ? EXIT.ok : EXIT.notOk;
}

interface Answer {
  readonly decision: string;
  readonly message: string;
  readonly reason?: string;
}

/** Feeds Claude Code's stop event to this very program, as the host would. */
async function playStop({ path }: ScratchRepository, { env, stderr }: Terminal): Promise<Answer | undefined> {
  const event = { session_id: "demo", cwd: path, hook_event_name: "Stop", stop_hook_active: false };
  const output: Buffer[] = [];
  await runProcess({
    argv: [...ownArgv(), "stop-hook"],
    cwd: path,
    env: withoutOurs({
      ...env,
      XDG_STATE_HOME: `${path}/.git/state`,
      XDG_CONFIG_HOME: `${path}/.git/config-home`,
      XDG_CACHE_HOME: `${path}/.git/cache`,
    }),
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

/** Neither a gauntlet, a build server nor a test runner around the demo may change what it shows. */
function withoutOurs(env: Terminal["env"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(?:GAUNTLET_|GITHUB_|CI$|NODE_TEST_CONTEXT$|CLAUDE)/.test(name),
    ),
  );
}

function indent(text: string, margin: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `${margin}${line}`)
    .join("\n");
}
