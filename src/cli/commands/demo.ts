import { join } from "node:path";
import { CONFIG_FILE } from "../../machine/find-project.ts";
import { runProcess } from "../../machine/process.ts";
import { createScratchRepository, type ScratchRepository } from "../../machine/scratch-repository.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";
import { planConfig } from "./init-config.ts";

const WORKING = "export const add = (a, b) => a + b;\n";
const BROKEN = "export const add = (a, b) => a - b;\n";
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "./add.mjs";

test("adds", () => assert.equal(add(2, 3), 5));
`;
const PACKAGE = '{ "private": true, "scripts": { "test": "node --test" } }\n';

/** Plays a whole stop in a scratch repository, with the real hook and what `init` writes: blocked, fixed, allowed. */
export async function demoCommand(terminal: Terminal): Promise<number> {
  await using repository = await createScratchRepository({
    "add.mjs": WORKING,
    "add.test.mjs": TEST,
    "package.json": PACKAGE,
  });
  const config = await planConfig({ ...terminal, cwd: repository.path });
  if (config.kind !== "new") return EXIT.notOk;
  await repository.write(CONFIG_FILE, config.text);
  return await playBoth(terminal, repository, withoutComments(config.text));
}

async function playBoth(terminal: Terminal, repository: ScratchRepository, config: string): Promise<number> {
  const { stdout, colours } = terminal;
  const say = (line = ""): void => printLine(stdout, line);
  say(colours.bold("In a scratch git repository, `agent-gauntlet init` has written .gauntlet/config.yml:"));
  say(indent(config, "  "));
  say(`\n${colours.bold("An agent edits add.mjs and wants to stop. Claude Code asks the stop hook:")}`);
  await repository.write("add.mjs", BROKEN);
  say(colours.red(`  + ${BROKEN.trim()}`));
  const blocked = await playStop(terminal, repository, { isAfterBlock: false });
  if (blocked === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`⛔ ${blocked.decision}`)}, and this is what the agent reads:\n`);
  say(indent(blocked.reason ?? "", colours.red("  │ ")));

  say(`\n${colours.bold("So the agent goes on, fixes the file, and stops again:")}`);
  await repository.write("add.mjs", WORKING);
  say(colours.green(`  + ${WORKING.trim()}`));
  const allowed = await playStop(terminal, repository, { isAfterBlock: true });
  if (allowed === undefined) return EXIT.notOk;
  say(`\n${colours.bold(`✅ ${allowed.decision}`)}: ${allowed.message}`);
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
    argv: [process.execPath, process.argv[1] ?? "", "stop-hook"],
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
