import { configured, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("baselines");

/** Finds lines that say BAD. */
const LINT = `status=0
for file in src/*.js; do
  grep -n BAD "$file" | sed "s|^\\([0-9]*\\):\\(.*\\)|$file:\\1:1: error: \\2 [no-bad]|"
  grep -q BAD "$file" && status=1
done
exit $status
`;
const OLD = { "lint.sh": LINT, "src/a.js": "one\nBAD old\n", "src/b.js": "two\nBAD older\n" };
const ONLY_NEW = configured("only_new: true\nchecks: { lint: sh lint.sh }\n", OLD);
const COMMITTED = ".gauntlet/baseline.json";

scenario("only_new: old problems, said once", ONLY_NEW, async (play) => {
  await play.write({ "src/c.js": "fine\n" });
  await play.stop();
  await play.write({ "src/c.js": "still fine\n" });
  await play.stop();
  await play.gauntlet(["verify", "--json"]);
});

scenario("only_new: a new problem among old ones", ONLY_NEW, async (play) => {
  await play.write({ "src/a.js": "moved\none\nBAD old\nBAD new\n" });
  await play.stop();
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--all-problems", "--json"]);
});

scenario(
  "only_new: a check whose output says no problem",
  configured(
    "only_new: true\nmax_parallel: 1\nchecks:\n  same: echo it is broken; exit 1\n  new: test ! -e new.txt\n",
  ),
  async (play) => {
    await play.write({ "new.txt": "1\n" });
    await play.stop();
  },
);

scenario(
  "only_new: a flaky check",
  configured("only_new: true\nchecks: { lint: { command: sh lint.sh, reruns: 1 } }\n", {
    ...OLD,
    "lint.sh": `${LINT.replace("exit $status", "")}test -e ../again || { touch ../again; echo "src/c.js:9:1: error: flaky [now-and-then]"; }\nexit $status\n`,
  }),
  async (play) => {
    await play.write({ "src/c.js": "fine\n" });
    await play.stop();
  },
);

scenario("only_new: what is old is what the session began with", ONLY_NEW, async (play) => {
  await play.write({ "src/c.js": "BAD and not committed\n" });
  await play.hook(["session-start"], {
    session_id: "session-1",
    hook_event_name: "SessionStart",
    source: "startup",
  });
  await play.write({ "src/d.js": "fine\n" });
  await play.stop();
  await play.write({ "src/d.js": "BAD of the session\n" });
  await play.stop();
});

function entries(...files: readonly (readonly [file: string, message: string])[]): string {
  const lines = files.map(([file, message]) =>
    JSON.stringify({ gate: "check:.:lint", file, code: "no-bad", message, count: 1 }),
  );
  return `{\n  "version": 1,\n  "problems": [\n${lines.map((line) => `    ${line}`).join(",\n")}\n  ]\n}\n`;
}

const WITH_BASELINE = configured("checks: { lint: sh lint.sh }\n", {
  ...OLD,
  [COMMITTED]: entries(["src/a.js", "BAD old"], ["src/b.js", "BAD older"]),
});

scenario("a committed baseline, and pruning it", WITH_BASELINE, async (play) => {
  await play.write({ "src/c.js": "fine\n" });
  await play.stop();
  await play.write({ "src/b.js": "two\n" });
  await play.gauntlet(["run"]);
  await play.gauntlet(["baseline", "--prune"]);
  play.show(COMMITTED);
});

scenario("a committed baseline that the agent adds to", WITH_BASELINE, async (play) => {
  await play.write({ "src/c.js": "fine\n" });
  await play.stop();
  await play.write({
    "src/c.js": "BAD new\n",
    [COMMITTED]: entries(["src/a.js", "BAD old"], ["src/b.js", "BAD older"], ["src/c.js", "BAD new"]),
  });
  await play.stop();
  await play.gauntlet(["baseline", "--json"]);
});
