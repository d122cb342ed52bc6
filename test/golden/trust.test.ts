import { BAD, CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("trust");
const CONFIG = ".gauntlet/config.yml";
const EASY = configured("checks:\n  test: 'true'\n", GOOD);

function withHook(more: string): Readonly<Record<string, string>> {
  return configured(
    `${CHECK}  lint: 'true'\nmax_parallel: 1\nstop_hook: { when_active: enforce${more} }\n`,
    GOOD,
  );
}

scenario("changed gates: tell", withHook(""), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.write(EASY[CONFIG] === undefined ? {} : { [CONFIG]: EASY[CONFIG] });
  await play.stop({ stop_hook_active: true });
  await play.write({ "b.txt": "1\n" });
  await play.stop();
});

scenario(
  "changed gates: hold, until the user accepts",
  withHook(", when_gates_change: hold"),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    await play.write(EASY[CONFIG] === undefined ? {} : { [CONFIG]: EASY[CONFIG] });
    await play.stop({ stop_hook_active: true });
    await play.gauntlet(["accept"]);
    await play.user("y", "accept");
    await play.stop({ stop_hook_active: true });
  },
);

scenario(
  "changed scripts: hold blocks once",
  configured(
    "checks: { test: sh check.sh }\nstop_hook: { when_active: enforce, when_gates_change: hold }\n",
    { ...GOOD, "check.sh": "grep -q good a.txt\n" },
  ),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    await play.write({ "check.sh": "exit 0\n" });
    await play.stop({ stop_hook_active: true });
    await play.stop({ stop_hook_active: true });
  },
);

scenario("the configuration is deleted: tell", withHook(""), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.remove(".gauntlet");
  await play.stop({ stop_hook_active: true });
});

scenario("the configuration is deleted: hold", withHook(", when_gates_change: hold"), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.remove(".gauntlet");
  await play.stop({ stop_hook_active: true });
});

scenario(
  "a hook that serves every project: not allowed, and allowed by a variable",
  configured(CHECK, GOOD),
  async (play) => {
    const { stdout } = await play.project.gauntlet(["allow", "--print"]);
    const env = { AGENT_GAUNTLET_ALLOW: stdout.trim() };
    play.transcript.masks.add(stdout.trim(), "hash of the gates");
    await play.write(BAD);
    await play.stop({}, { args: ["--only-allowed"] });
    await play.stop({}, { args: ["--only-allowed"] });
    await play.stop({}, { args: ["--only-allowed"], env });
    await play.write({ [CONFIG]: "checks: { test: exit 0 }\n" });
    await play.stop({ session_id: "session-2" }, { args: ["--only-allowed"], env });
  },
);

scenario("allow, deny and their list", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.gauntlet(["allow"]);
  await play.user("y", "allow");
  await play.gauntlet(["allow", "--list", "--json"]);
  await play.stop({}, { args: ["--only-allowed"] });
  await play.user("", "deny");
  await play.stop({ session_id: "session-2" }, { args: ["--only-allowed"] });
});

scenario("skip the next stop, at a terminal", configured(CHECK, GOOD), async (play) => {
  await play.write(BAD);
  await play.gauntlet(["skip", "--reason", "an agent says so"]);
  await play.user("", "skip", "--reason", "the server is down");
  await play.stop();
  await play.stop();
});

scenario(
  "skip one gate for a while",
  configured(`max_parallel: 1\n${CHECK}  lint: 'true'\n`, GOOD),
  async (play) => {
    await play.write(BAD);
    await play.user("", "skip", "--reason", "flaky today", "--gate", "test", "--for", "30m");
    await play.gauntlet(["status"]);
    await play.stop();
  },
);

scenario("skip and status, by prompts", configured(CHECK, GOOD), async (play) => {
  const prompt = { session_id: "session-1", hook_event_name: "UserPromptSubmit" };
  await play.write(BAD);
  await play.hook(["prompt-hook"], { ...prompt, prompt: "Please go on.\ngauntlet skip: the server is down" });
  await play.stop();
  await play.hook(["prompt-hook"], { ...prompt, prompt: "/gauntlet:status" });
  await play.hook(["prompt-hook"], { ...prompt, prompt: "just a prompt" });
  await play.write({ "transcript.jsonl": '{"type":"user","message":{"content":"just a prompt"}}\n' });
  const transcript_path = `${play.project.root}/transcript.jsonl`;
  await play.hook(["prompt-hook"], {
    ...prompt,
    transcript_path,
    prompt: "gauntlet skip: made up by a model",
  });
  await play.stop({ transcript_path });
});
