import { IS_NATIVE } from "../rig/program.ts";
import { BAD, CHECK, configured, GOOD, scenariosOf } from "./scenario.ts";

const scenario = scenariosOf("commands");
const TWO = configured(`max_parallel: 1\n${CHECK}  lint: 'true'\n`, GOOD);
const PACKAGES = {
  ".gauntlet/config.yml":
    "base_branch: main\nmax_parallel: 1\nmax_retries: 2\nchecks:\n  test: { command: 'true', timeout: 2m, env: { CI: 1 } }\n  docs: { command: 'true', warn_only: true }\nentry_points:\n  - { path: packages/*, checks: [test] }\n  - { path: '**/*.md', exclude: [old], checks: [docs] }\n",
  "packages/one/a.ts": "1\n",
  "packages/two/b.ts": "1\n",
  "old/x.md": "1\n",
};

scenario("run: green, quiet, verbose", TWO, async (play) => {
  await play.write({ "b.txt": "1\n" });
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--quiet"]);
  await play.gauntlet(["run", "--verbose"]);
});

scenario("run: red, with some gates only", TWO, async (play) => {
  await play.write(BAD);
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "--skip", "test", "--all"]);
  await play.gauntlet(["run", "--failed", "--json"]);
  await play.gauntlet(["run", "-g", "tset"]);
});

scenario("run: reports", TWO, async (play) => {
  await play.write(BAD);
  await play.gauntlet([
    "run",
    "--report",
    "junit=../out/junit.xml,sarif=../out/result.sarif,json=../out/run.json,github",
  ]);
  play.show("../out/junit.xml");
  play.show("../out/result.sarif");
  play.show("../out/run.json");
});

scenario("check, and changes of other kinds", TWO, async (play) => {
  await play.write(BAD);
  await play.git("add", "a.txt");
  await play.write({ "c.txt": "1\n" });
  await play.gauntlet(["check", "--staged"]);
  await play.commit("bad");
  await play.gauntlet(["check", "--commit", "HEAD", "--json"]);
  await play.gauntlet(["check", "--uncommitted"]);
  await play.gauntlet(["check", "--base", "no-such-branch"]);
});

scenario("list, detect, config", PACKAGES, async (play) => {
  await play.write({ "packages/one/a.ts": "2\n", "README.md": "1\n", "old/x.md": "2\n" });
  await play.gauntlet(["list"]);
  await play.gauntlet(["list", "--json"]);
  await play.gauntlet(["detect", "--why"]);
  await play.gauntlet(["detect", "--json"]);
  await play.gauntlet(["config", "--json"]);
});

const LAYERS = {
  ".gauntlet/config.yml": "base_branch: main\nextends: shared/gauntlet.yml\nchecks: { test: npm test }\n",
  ".gauntlet/config.local.yml": "max_parallel: 2\nchecks: { mine: 'true' }\n",
  ".gauntlet/checks/lint.yml": "command: npm run lint\nwarn_only: true\n",
  "shared/gauntlet.yml":
    "max_retries: 5\nchecks: { test: npm run all, types: npx tsc }\nstop_hook: { when_active: enforce }\n",
};

scenario("config from several files", LAYERS, async (play) => {
  await play.project
    .at(play.project.home)
    .write({ ".config/agent-gauntlet/config.yml": "debug_log: true\n" });
  await play.gauntlet(["config"], { env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "5" } });
});

const WORKSPACES = {
  ".gauntlet/config.yml":
    "base_branch: main\nmax_parallel: 1\nentry_points: auto\nchecks: { test: 'true' }\n",
  "package.json": '{ "name": "root", "private": true, "workspaces": ["packages/*"] }\n',
  "packages/core/package.json": '{ "name": "core", "version": "1.0.0" }\n',
  "packages/app/package.json": '{ "name": "app", "version": "1.0.0", "dependencies": { "core": "*" } }\n',
  "packages/other/package.json": '{ "name": "other", "version": "1.0.0" }\n',
};

scenario("a monorepo: what changed, and what depends on it", WORKSPACES, async (play) => {
  await play.write({ "packages/core/a.ts": "1\n" });
  await play.gauntlet(["run", "--verbose"]);
});

scenario("run: a gate for each package", PACKAGES, async (play) => {
  await play.write({ "packages/one/a.ts": "2\n", "packages/two/b.ts": "2\n", "README.md": "1\n" });
  await play.gauntlet(["run"]);
  await play.gauntlet(["run", "-g", "packages/two", "--json"]);
});

scenario("validate", configured(`${CHECK}stop_hok: {}\n`), async (play) => {
  await play.gauntlet(["validate"]);
  await play.write({
    ".gauntlet/config.yml":
      "max_retries: many\nchecks:\n  test: { comand: npm test }\n  build: { command: make, needs: [tset] }\nentry_points: [{ path: ../x, checks: [tests] }]\n",
    ".gauntlet/checks/test.yml": "command: npm test\ntimeout: soon\n",
  });
  await play.gauntlet(["validate"]);
  await play.gauntlet(["validate", "--json"]);
});

scenario("status, log, explain and report after a block", TWO, async (play) => {
  await play.gauntlet(["status"]);
  await play.write(BAD);
  await play.stop();
  await play.gauntlet(["status"]);
  await play.gauntlet(["log"]);
  await play.gauntlet(["explain"]);
  await play.gauntlet(["explain", "--json"]);
  await play.gauntlet(["report"]);
});

scenario("status, log and verify after a pass", TWO, async (play) => {
  await play.gauntlet(["verify"]);
  await play.write({ "b.txt": "1\n" });
  await play.stop();
  await play.gauntlet(["status", "--json"]);
  await play.gauntlet(["log", "--json"]);
  await play.gauntlet(["log", "--gate", "test"]);
  await play.gauntlet(["verify", "HEAD"]);
  await play.commit("what passed");
  await play.gauntlet(["verify", "HEAD", "--json"]);
});

scenario("explain an answer without a run", TWO, async (play) => {
  await play.stop({ permission_mode: "plan" });
  await play.gauntlet(["explain"]);
  await play.gauntlet(["explain", "--last", "2"]);
});

scenario("clean", TWO, async (play) => {
  await play.write(BAD);
  await play.gauntlet(["run", "--quiet"]);
  await play.gauntlet(["clean", "--json"]);
  await play.gauntlet(["status", "--json"]);
});

scenario("statusline", TWO, async (play) => {
  const session = { session_id: "session-1" };
  await play.hook(["statusline"], session);
  await play.write(BAD);
  await play.stop();
  await play.hook(["statusline"], session);
  await play.write({ "a.txt": "good again\n" });
  await play.stop();
  await play.hook(["statusline"], session);
});

scenario("parse", {}, async (play) => {
  const log =
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nFound 1 error.\n";
  await play.gauntlet(["parse", "--parser", "tsc"], { stdin: log });
  await play.gauntlet(["parse", "--parser", "tcs"], { stdin: log });
});

scenario("what cannot be understood", TWO, async (play) => {
  await play.gauntlet(["rnu"]);
  await play.gauntlet(["run", "--all", "--failed"]);
});

scenario("help", {}, async (play) => {
  await play.gauntlet(["--help"]);
  await play.gauntlet(["run", "--help"]);
});

const MANIFEST = '{ "scripts": { "test": "node --test", "lint": "eslint ." } }\n';

scenario("init and install", { "package.json": MANIFEST }, async (play) => {
  const env = { PATH: "/usr/bin:/bin" }; // without the agents of whoever runs this
  play.transcript.masks.add(IS_NATIVE ? "`agent-gauntlet" : "`npx agent-gauntlet", "how it is started"); // the package needs npx
  await play.gauntlet(["init", "--yes"], { env });
  play.show(".gauntlet/config.yml");
  await play.gauntlet(["install", "--host", "claude-code", "--dry-run"], { env });
});

scenario("ci plan", PACKAGES, async (play) => {
  await play.write({ "packages/one/a.ts": "2\n" });
  await play.commit("work");
  await play.gauntlet(["ci", "plan", "--json"]);
});

scenario("mcp, before a tool is called", configured(CHECK, GOOD), async (play) => {
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "golden", version: "1" },
  };
  const messages = [
    { id: 1, method: "initialize", params: client },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
  const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  await play.gauntlet(["mcp"], { stdin });
});
