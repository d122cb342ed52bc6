import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { type RunningServer, startNbb } from "../rig/nrepl-servers.ts";
import type { Play } from "./play.ts";
import { scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("brepl");
const HOOKS = ".brepl/hooks.edn";

let nrepl: RunningServer;

beforeAll(async () => {
  nrepl = await startNbb();
});

afterAll(() => nrepl[Symbol.asyncDispose]());

/** Plays `brepl hook …` in one session; shows the counts of its retries after each. */
function sessionOf(play: Play) {
  const session = `golden-${randomUUID()}`;
  const counts = `/tmp/brepl-stop-hook-${session}.edn`;
  play.transcript.masks.add(session, "session");
  const hook = async (name: string, ...args: readonly string[]): Promise<void> => {
    const event = { session_id: session, transcript_path: "/nowhere.jsonl", hook_event_name: "Stop" };
    await play.brepl(["hook", name, ...args], `${JSON.stringify(event)}\n`);
    play.transcript.say(`counts: ${existsSync(counts) ? readFileSync(counts, "utf8").trim() : "none"}`);
  };
  return { hook, [Symbol.dispose]: () => rmSync(counts, { force: true }) };
}

function hooks(...each: readonly string[]): Readonly<Record<string, string>> {
  return { [HOOKS]: `{:stop [${each.join("\n        ")}]}\n` };
}

const FAILS = '{:type :bash :name "lint" :command "echo a.clj:1:1: error: bad; exit 1"';

scenario("all hooks pass", hooks('{:type :bash :name "lint" :command "true"}'), async (play) => {
  using session = sessionOf(play);
  await session.hook("stop");
});

scenario("no configuration", {}, async (play) => {
  using session = sessionOf(play);
  await session.hook("stop");
});

scenario(
  "a hook that retries sends the agent back, until its limit",
  hooks(`${FAILS} :retry-on-failure? true :max-retries 2}`),
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
    await session.hook("stop");
    await session.hook("stop");
  },
);

scenario(
  "a count is reset by a pass and by the end of the session",
  hooks('{:type :bash :name "lint" :command "test -e ok" :retry-on-failure? true}'),
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
    await play.write({ ok: "" });
    await session.hook("stop");
    await play.remove("ok");
    await session.hook("stop");
    await session.hook("session-end");
  },
);

scenario(
  "hooks that are reported, skipped or required",
  hooks(
    `${FAILS}}`,
    '{:type :bash :name "elsewhere" :command "true" :cwd "gone" :required? true}',
    '{:type :bash :name "optional" :command "true" :cwd "gone"}',
    '{:type :bash :name "last" :command "exit 3"}',
  ),
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
  },
);

scenario(
  "an nREPL server: values, an exception, and red tests",
  hooks(
    '{:type :repl :name "fine" :code "(+ 1 2)"}',
    '{:type :repl :name "throws" :code "(throw (ex-info \\"no\\" {}))"}',
    '{:type :repl :name "tests" :code "{:test 3, :pass 2, :fail 1, :error 0, :type :summary}" :retry-on-failure? true}',
  ),
  async (play) => {
    using session = sessionOf(play);
    play.transcript.masks.add(String(nrepl.port), "port");
    await session.hook("stop", "--port", String(nrepl.port));
  },
);

scenario(
  "no nREPL server",
  hooks(
    '{:type :repl :name "optional" :code "1"}',
    '{:type :repl :name "required" :code "1" :required? true}',
  ),
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
  },
);

scenario(
  "broken configuration and broken input",
  { [HOOKS]: '{:stop [{:type :bash :name "lint" :cmd "clj-kondo"} {:type :shell}]}\n' },
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
    await play.brepl(["hook", "stop"], "no JSON\n");
    await play.brepl(["hook", "nonsense"], "");
  },
);

scenario(
  "a namesake, a typo and a time limit",
  hooks(
    '{:type :bash :name "slow" :command "sleep 60" :timeout 1 :retry-on-failure true}',
    '{:type :bash :name "slow" :command "true"}',
  ),
  async (play) => {
    using session = sessionOf(play);
    await session.hook("stop");
  },
);
