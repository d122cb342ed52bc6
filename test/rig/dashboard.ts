import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { cleanEnv, type GauntletProject } from "./gauntlet-project.ts";
import { GAUNTLET } from "./program.ts";

/** A dashboard that was started as a user would, and ends with the test. */
export async function openDashboard(
  project: GauntletProject,
): Promise<AsyncDisposable & { readonly url: string; readonly end: () => Promise<number | null> }> {
  const [file, ...args] = GAUNTLET;
  const child = spawn(file, [...args, "dashboard"], {
    cwd: project.root,
    env: cleanEnv(project.home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const end = async (): Promise<number | null> => {
    child.kill("SIGINT");
    return (await exited)[0];
  };
  return {
    url,
    end,
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}

/** Puts verdicts of a project that is long gone into the user's state, a minute apart, the newest now. */
export async function seedVerdicts({ home }: GauntletProject, count: number): Promise<void> {
  const root = "/srv/warehouse";
  const key = createHash("sha256").update(root).digest("hex").slice(0, 32);
  const directory = join(home, ".local/state/agent-gauntlet/projects", key);
  await mkdir(directory, { recursive: true });
  const lines = Array.from({ length: count }, (_, at) => JSON.stringify(verdict(at, count)));
  await writeFile(join(directory, "ledger.jsonl"), `${lines.join("\n")}\n`);
  await writeFile(join(directory, "root"), root);
}

function verdict(at: number, count: number): object {
  const isRed = at % 3 === 0;
  return {
    at: Date.now() - (count - at) * 60_000,
    ms: 1_000 + (at % 700),
    door: "stop-hook",
    host: "codex",
    session: `session-${Math.floor(at / 4)}`,
    status: isRed ? "failed" : "passed",
    decision: isRed ? "block" : "allow",
    run: at + 1,
    branch: "main",
    outcomes: [
      {
        id: "check:.:lint",
        kind: "passed",
        ms: 200 + (at % 50),
        ...(at % 1000 === 0 ? { rests: "rerun", flaky: ["cart > <b>adds up</b>"] } : {}),
      },
      {
        id: "check:.:test",
        kind: isRed ? "failed" : "passed",
        ms: 800 + (at % 650),
        ...(isRed ? { blocks: true } : {}),
      },
    ],
    version: "0.1.0",
    prev: `hash-${at}`,
  };
}
