import { runProcess } from "../../machine/process/run-process.ts";
import { createScratchRepository, type ScratchRepository } from "../../machine/files/scratch.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";

const CONFIG = "checks:\n  test: node --test\n";
const WORKING = "export const add = (a, b) => a + b;\n";
const BROKEN = "export const add = (a, b) => a - b;\n";
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "./add.mjs";

test("adds", () => assert.equal(add(2, 3), 5));
`;

/** Plays a whole stop in a scratch repository, with the real hook: blocked, fixed, allowed. */
export async function demoCommand(terminal: Terminal): Promise<number> {
  const { stdout, colours } = terminal;
  const say = (line = ""): void => printLine(stdout, line);
  await using repository = await createScratchRepository({
    ".gauntlet/config.yml": CONFIG,
    "add.mjs": WORKING,
    "add.test.mjs": TEST,
    "package.json": '{ "type": "module" }\n',
  });
  say(colours.bold("A project with one gate, in a scratch git repository (.gauntlet/config.yml):"));
  say(indent(CONFIG, "  "));
  say(colours.bold("An agent edits add.mjs and wants to stop. Its host asks the stop hook:"));
  await repository.write("add.mjs", BROKEN);
  say(colours.red(`  + ${BROKEN.trim()}`));
  const blocked = await playStop(repository, terminal);
  if (blocked === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`⛔ ${blocked.decision}`)} — and this is what the agent reads:\n`);
  say(indent(blocked.reason ?? "", colours.red("  │ ")));

  say(`\n${colours.bold("So the agent goes on, fixes the file, and stops again:")}`);
  await repository.write("add.mjs", WORKING);
  say(colours.green(`  + ${WORKING.trim()}`));
  const allowed = await playStop(repository, terminal);
  if (allowed === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`✅ ${allowed.decision}`)} — ${allowed.message}`);
  say(
    `\nReal hook, real gate, nothing left behind. In a project of yours: ${colours.bold("npx agent-gauntlet init")}`,
  );
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
    argv: [process.execPath, process.argv[1] ?? "", "stop-hook"],
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
