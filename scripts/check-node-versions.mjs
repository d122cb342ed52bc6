// Runs the built command line with the other supported Node versions, fetched as npm's `node` package, and the tests of what depends
// on the version most.
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24", "26"];
const CLI = resolve(import.meta.dirname, "../dist/cli/agent-gauntlet.cjs");
const ROOT = resolve(import.meta.dirname, "..");
const TESTS = ["test/machine/child.test.ts", "test/machine/process.test.ts", "test/cli/public-ways.test.ts"];
const STOP = `${JSON.stringify({ session_id: "s", hook_event_name: "Stop", stop_hook_active: false })}\n`;

const scratch = mkdtempSync(join(tmpdir(), "gauntlet-node-"));
try {
  const ok = VERSIONS.map(checkVersion).every(Boolean);
  process.exitCode = ok ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** A project without git whose one check fails: enough to go through configuration, plan, processes, state and answer. */
function checkVersion(version) {
  const project = join(scratch, version);
  mkdirSync(join(project, ".gauntlet"), { recursive: true });
  writeFileSync(join(project, ".gauntlet/config.yml"), "checks:\n  red: exit 3\n");
  const found = spawnSync(
    "npx",
    ["--yes", `--package=node@${version}`, "--", "node", "-p", "process.execPath + ' ' + process.version"],
    { encoding: "utf8" },
  );
  if (found.status !== 0) {
    console.log(`skipped: Node ${version} cannot be fetched: ${found.error?.message ?? found.stderr.trim()}`);
    return true;
  }
  const [node = "", name = ""] = found.stdout.trim().split(" ");
  const env = { ...process.env, HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch, CI: "" };
  const run = (args, input = "") => spawnSync(node, args, { cwd: project, env, input, encoding: "utf8" });
  const tests = runTests(node);
  const problems = [
    name.startsWith(`v${version}.`) ? "" : `npx gave "${found.stdout}${found.stderr}"`,
    problemOf(run([CLI, "run", "--json"]), 1, '"outcome":"failed"'),
    problemOf(run([CLI, "stop-hook"], STOP), 0, '"decision":"block"'),
    problemOf(run([CLI, "--version"]), 0, "."),
    problemOf(tests, 0, "0 failed"),
  ].filter((problem) => problem !== "");
  console.log(`${problems.length === 0 ? "ok" : "not ok"}: Node ${name} ${problems.join("; ")}`);
  for (const [line] of (tests.stdout ?? "").matchAll(/^skipped: .*$/gm)) console.log(`    ${line}`);
  return problems.length === 0;
}

function runTests(node) {
  return spawnSync(node, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...TESTS], {
    cwd: ROOT,
    encoding: "utf8",
  });
}

function problemOf({ status, stdout, stderr, error }, exitCode, text) {
  if (error) return error.message;
  if (status === exitCode && stdout.includes(text)) return "";
  return `exit code ${status}, expected ${exitCode} with ${text}: ${stdout}${stderr}`;
}
