import { CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("sdk");
const BREAK = { write: "a.txt", text: "bad\n" };
const FIX = { write: "a.txt", text: "good again\n" };

scenario("the project's gates: blocked, fixed, allowed", configured(CHECK, GOOD), async (play) => {
  await play.sdk({ validator: "gauntlet", steps: [BREAK, "stop", FIX, "stop", "stop"] });
});

scenario(
  "blocked as often as the context says",
  configured(`max_retries: 9\n${CHECK}`, GOOD),
  async (play) => {
    await play.sdk({
      validator: "gauntlet",
      maxStopRetries: 2,
      steps: [BREAK, "stop", "stop", "stop", "stop"],
    });
  },
);

scenario("nothing could be checked", { "a.txt": "1\n" }, async (play) => {
  await play.sdk({ validator: "gauntlet", steps: ["stop"] });
  await play.write({ ".gauntlet/config.yml": "checks: [" });
  await play.sdk({ validator: "gauntlet", steps: ["stop"] });
});

scenario("validators of other kinds", configured(CHECK, GOOD), async (play) => {
  await play.sdk({ steps: ["stop"] });
  await play.sdk({ validator: "both", steps: ["stop", { write: "done.txt", text: "" }, "stop"] });
  await play.sdk({ validator: "command", steps: ["stop"] });
});

scenario("a validator that is broken", {}, async (play) => {
  await play.sdk({ validator: "throwing", steps: ["stop"] });
  await play.sdk({ validator: "malformed", steps: ["stop"] });
});
