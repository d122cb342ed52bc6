import { BAD, CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("retries");
const ENFORCE = "stop_hook: { when_active: enforce }\n";

scenario("failed three times, then given up", configured(CHECK + ENFORCE, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.write({ "a.txt": "still bad\n" });
  await play.stop({ stop_hook_active: true });
  await play.stop({ stop_hook_active: true });
  await play.stop({ stop_hook_active: true });
  await play.stop({ stop_hook_active: true });
  await play.write({ "a.txt": "bad again\n" });
  await play.stop();
});

scenario("max_retries: 0 never blocks", configured(`max_retries: 0\n${CHECK}`, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop();
});

scenario(
  "each prompt has its own attempts",
  configured(`max_retries: 1\n${CHECK}${ENFORCE}`, GOOD),
  async (play) => {
    await play.write(BAD);
    await play.stop({ prompt_id: "one" });
    await play.stop({ prompt_id: "two" });
    await play.stop({ prompt_id: "two", stop_hook_active: true });
  },
);

scenario("blocked, fixed, allowed", configured(CHECK + ENFORCE, GOOD), async (play) => {
  await play.write(BAD);
  await play.stop();
  await play.write({ "a.txt": "good again\n" });
  await play.stop({ stop_hook_active: true });
});

scenario(
  "a failure stays open when the work is committed",
  configured(CHECK + ENFORCE, GOOD),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    await play.commit("bad work");
    await play.git("checkout", "--quiet", "-B", "main");
    await play.stop({ stop_hook_active: true });
    await play.gauntlet(["status", "--json"]);
  },
);

scenario(
  "when_stuck: stop",
  configured(`max_retries: 9\nretry: { when_stuck: stop }\n${CHECK}${ENFORCE}`, GOOD),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    await play.stop({ stop_hook_active: true });
    await play.stop({ stop_hook_active: true });
  },
);

scenario(
  "extend_on_progress",
  configured(
    `max_retries: 1\nmax_parallel: 1\nretry: { extend_on_progress: true }\nchecks:\n  one: test -e one\n  two: test -e two\n${ENFORCE}`,
  ),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    await play.write({ one: "" });
    await play.stop({ stop_hook_active: true });
    await play.stop({ stop_hook_active: true });
  },
);

scenario(
  "on_give_up",
  configured(
    `max_retries: 0\non_give_up: 'echo "$GAUNTLET_FAILED | $GAUNTLET_HOST | $GAUNTLET_SESSION | $GAUNTLET_MESSAGE" > ../gave-up'\n${CHECK}`,
    GOOD,
  ),
  async (play) => {
    await play.write(BAD);
    await play.stop();
    play.show("../gave-up");
  },
);

scenario(
  "events other than the agent's own stop",
  configured(
    `${CHECK}stop_hook: { on: [stop, subagent_stop, task_completed], agent_types: [coder] }\n`,
    GOOD,
  ),
  async (play) => {
    await play.write(BAD);
    await play.stop({ hook_event_name: "SubagentStop", agent_id: "a1", agent_type: "coder" });
    await play.stop({ hook_event_name: "SubagentStop", agent_id: "a2", agent_type: "reader" });
    await play.stop({ hook_event_name: "TaskCompleted", task_id: "1", task_subject: "Write it" });
  },
);
