import { configured, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("guards");

const TESTS = `const { test } = require("node:test");
const assert = require("node:assert");
test("adds", () => {
  assert.equal(1 + 2, 3);
});
test("subtracts", () => {
  assert.equal(3 - 2, 1);
});
`;
const SKIPPED = TESTS.replace('test("subtracts"', 'test.skip("subtracts"');

function guarded(guards: string, check = "'true'"): Readonly<Record<string, string>> {
  const settings = `checks: { test: ${check} }\nguards: ${guards}\nstop_hook: { when_active: enforce }\n`;
  return configured(settings, { "test/sum.test.js": TESTS, "out.txt": "# tests 3\n# pass 3\n# fail 0\n" });
}

scenario("tell, once in a session", guarded("{ weakened-tests: tell, suppressions: tell }"), async (play) => {
  await play.write({ "test/sum.test.js": SKIPPED, "src/a.py": "x = 1  # type: ignore\n" });
  await play.stop();
  await play.write({ "src/b.py": "y = 2\n" });
  await play.stop();
});

scenario("block, until it is undone", guarded("{ weakened-tests: block }"), async (play) => {
  await play.write({ "test/sum.test.js": SKIPPED });
  await play.stop();
  await play.write({ "test/sum.test.js": TESTS, "b.txt": "1\n" });
  await play.stop({ stop_hook_active: true });
});

scenario(
  "block, until the agent gives a reason",
  guarded("{ weakened-tests: block, suppressions: tell }"),
  async (play) => {
    const sheet = "gauntlet_logs/guard_._weakened-tests.slot-1.json";
    await play.write({ "test/sum.test.js": SKIPPED });
    await play.stop();
    play.show(sheet);
    await play.answer(sheet, "skipped", "the user asked for it");
    await play.stop({ stop_hook_active: true });
    await play.gauntlet(["log"]);
  },
);

scenario(
  "fewer tests than at the last pass",
  guarded("{ fewer-tests: tell }", "cat out.txt"),
  async (play) => {
    await play.write({ "a.txt": "1\n" });
    await play.stop();
    await play.write({ "out.txt": "# tests 1\n# pass 1\n# fail 0\n" });
    await play.stop();
  },
);

scenario(
  "what a run and the lists say of guards",
  guarded("{ weakened-tests: block, suppressions: tell }"),
  async (play) => {
    await play.write({ "test/sum.test.js": SKIPPED, "src/a.py": "x = 1  # type: ignore\n" });
    await play.gauntlet(["run"]);
    await play.gauntlet(["run", "--json"]);
    await play.gauntlet(["detect"]);
  },
);
