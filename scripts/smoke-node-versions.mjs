// A stop blocked, fixed and allowed with each supported Node, fetched as npm's `node` package.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ["20", "22", "24", "26"];
const CLI = resolve(import.meta.dirname, "../dist/cli/agent-gauntlet.cjs");

const scratch = mkdtempSync(join(tmpdir(), "gauntlet-node-"));
try {
  process.exitCode = VERSIONS.map(smoke).every(Boolean) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function smoke(version) {
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
  const problems = [
    name.startsWith(`v${version}.`) ? "" : `npx gave ${found.stdout.trim()}`,
    ...stops(node, version),
  ].filter((problem) => problem !== "");
  console.log(`${problems.length === 0 ? "ok" : "not ok"}: Node ${name} ${problems.join("; ")}`);
  return problems.length === 0;
}

/** Through configuration, git, plan, processes, state and answer. */
function stops(node, version) {
  const project = join(scratch, version);
  mkdirSync(join(project, ".gauntlet"), { recursive: true });
  writeFileSync(join(project, ".gauntlet/config.yml"), "checks:\n  ready: test -e fixed\n");
  const { PATH } = process.env;
  const options = { cwd: project, env: { PATH, HOME: scratch }, encoding: "utf8" };
  spawnSync("git", ["init", "--quiet"], options);
  const stop = () => {
    const input = JSON.stringify({ session_id: "s", cwd: project, hook_event_name: "Stop" });
    return spawnSync(node, [CLI, "stop-hook"], { ...options, input });
  };
  const blocked = stop();
  writeFileSync(join(project, "fixed"), "");
  return [problemOf(blocked, '"decision":"block"'), problemOf(stop(), '"status":"passed"')];
}

function problemOf({ status, stdout, stderr, error }, text) {
  if (error) return error.message;
  return status === 0 && stdout.includes(text) ? "" : `exit code ${status}, no ${text}: ${stdout}${stderr}`;
}
