import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";
import type { Play } from "./play.ts";

const scenario = scenariosOf("hosts");
const HOSTS = join(import.meta.dirname, "../fixtures/hosts");
/** The one with the warning comes after a single block. */
const ENFORCE = configured(`max_retries: 1\n${CHECK}stop_hook: { when_active: enforce }\n`, GOOD);

interface Asked {
  readonly what: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** What an agent sent us, recorded from the real one, and the variables that it gave our hook. */
function recorded(host: string, file: string): Asked {
  return JSON.parse(readFileSync(join(HOSTS, host, `${file}.json`), "utf8")) as Asked;
}

/** A block, the stop after it, which is let through with a warning, and one that is let through without. */
async function threeStops(play: Play, first: Asked, next: Asked): Promise<void> {
  await play.write({ "a.txt": "bad\n" });
  await ask(play, first);
  await ask(play, next);
  await play.write({ "a.txt": "good again\n" });
  await ask(play, next);
}

async function ask(play: Play, asked: Asked): Promise<void> {
  const moved = JSON.stringify(asked).replaceAll("/tmp/project", play.project.root);
  const { what, payload, env = {} } = JSON.parse(moved) as Asked;
  await play.hook(["stop-hook"], payload, { env, told: [`(${what})`] });
}

const RECORDED = [
  ["claude-code", "stop", "stop-after-block"],
  ["codex", "stop", "stop-after-block"],
  ["gemini", "stop", "stop-after-block"],
  ["qwen", "stop", "stop-after-block"],
  ["copilot", "agent-stop", "agent-stop-after-block"],
  ["droid", "stop", "stop-after-block"],
  ["grok", "stop", "stop-after-block"],
  ["kimi", "stop", "stop"],
  ["opencode", "stop", "stop-after-block"],
  ["kilo", "stop", "stop"],
  ["pi", "stop", "stop-after-block"],
] as const;

for (const [host, first, next] of RECORDED)
  scenario(host, ENFORCE, (play) => threeStops(play, recorded(host, first), recorded(host, next)));

const CURSOR = {
  conversation_id: "c",
  hook_event_name: "stop",
  status: "completed",
  workspace_roots: ["/tmp/project"],
};

scenario("cursor, by its documentation", ENFORCE, (play) =>
  threeStops(
    play,
    { what: "the first stop", payload: { ...CURSOR, generation_id: "g1", loop_count: 0 } },
    { what: "the stop after a block", payload: { ...CURSOR, generation_id: "g2", loop_count: 1 } },
  ),
);

const VSCODE = { sessionId: "s", hookEventName: "Stop", timestamp: "2026-11-15T00:00:00.000Z" };

scenario("vscode, by its documentation", ENFORCE, (play) =>
  threeStops(
    play,
    { what: "the first stop", payload: { ...VSCODE, stop_hook_active: false } },
    { what: "the stop after a block", payload: { ...VSCODE, stop_hook_active: true } },
  ),
);

scenario("an unknown agent", ENFORCE, (play) => {
  const stop = { what: "a stop", payload: { event: "done", session: "s" } };
  return threeStops(play, stop, stop);
});
