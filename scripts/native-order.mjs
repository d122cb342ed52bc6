import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Writes down which functions the hooks of a day use, for Bun to put their bytecode together: a stop ends 1 to 2 ms sooner then. Bun
 * knows a function again when others have changed. The file is kept, because what runs side by side uses now this and now that, and
 * two builds of the same sources must be the same.
 */
export function writeOrder(directory, file) {
  const work = mkdtempSync(join(tmpdir(), "gauntlet-order-"));
  try {
    const used = new Set(runHooks(directory, work).flatMap(functionsIn));
    if (used.size === 0) throw new Error("the hooks left no record of the functions they use");
    writeFileSync(file, `${FORMAT}\n${[...used].toSorted().join("\n")}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const FORMAT = "v2";

/** The lines of functions; what else Bun writes into such a file made no difference. */
function functionsIn(file) {
  const [format, ...lines] = readFileSync(file, "utf8").split("\n");
  if (format !== FORMAT) throw new Error(`Bun writes order files of another format: ${format}`);
  return lines.filter((line) => line.startsWith("F "));
}

/** A stop outside of projects, and a session with a run of gates, stops that need none, a block and `brepl`: in each, what it used. */
function runHooks(directory, work) {
  const files = [];
  const hook = (cwd, [program, ...args], event = {}) => {
    const file = join(work, `order-${files.length}`);
    const input = JSON.stringify({ session_id: "order", cwd, hook_event_name: "Stop", ...event });
    const env = { PATH: process.env.PATH, HOME: join(work, "home"), BUN_BYTECODE_ORDER_OUT: file };
    execFileSync(join(directory, program), args, { cwd, env, input, stdio: ["pipe", "ignore", "ignore"] });
    files.push(file);
  };
  const stop = ["agent-gauntlet", "stop-hook"];
  const project = repository(join(work, "project"), { ".gauntlet/config.yml": "checks:\n  a: 'true'\n" });
  hook(repository(join(work, "bare"), { "a.txt": "a\n" }), stop);
  hook(project, ["agent-gauntlet", "session-start"], { hook_event_name: "SessionStart", source: "startup" });
  for (let round = 0; round < 2; round++) {
    appendFileSync(join(project, "a.txt"), "more\n");
    for (const event of [{}, {}, { stop_hook_active: true }]) hook(project, stop, event);
  }
  hook(project, ["agent-gauntlet", "statusline"]);
  const failing = { ".gauntlet/config.yml": "checks:\n  a: 'echo a.txt:1:1: error: no; exit 1'\n" };
  const red = repository(join(work, "red"), failing);
  appendFileSync(join(red, "a.txt"), "more\n");
  hook(red, stop);
  const hooks = { ".brepl/hooks.edn": '{:stop [{:type :bash :name "a" :command "true"}]}\n' };
  hook(repository(join(work, "brepl"), hooks), ["brepl", "hook", "stop"]);
  return files;
}

function repository(directory, files) {
  for (const [name, text] of Object.entries({ "a.txt": "a\n", ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const identity = ["-c", "user.name=order", "-c", "user.email=order@localhost"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...identity, "commit", "--quiet", "-m", "A"],
  ])
    execFileSync("git", args, { cwd: directory });
  return directory;
}
