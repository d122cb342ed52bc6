// A stop blocked, fixed and allowed with each supported Node, fetched as npm's `node` package.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { smokeStop } from "./smoke-stop.mjs";

const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ["20", "22", "24", "26"];
const CLI = resolve(import.meta.dirname, "../dist/cli/agent-gauntlet.cjs");

process.exitCode = VERSIONS.map(smoke).every(Boolean) ? 0 : 1;

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
  const isWanted = name.startsWith(`v${version}.`);
  const problems = isWanted ? smokeStop([node, CLI]) : [`npx gave ${found.stdout.trim()}`];
  console.log(`${problems.length === 0 ? "ok" : "not ok"}: Node ${name} ${problems.join("; ")}`);
  return problems.length === 0;
}
