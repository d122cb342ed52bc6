#!/usr/bin/env node
// Plays a reviewer: remembers what it was asked, then does what the script beside it says for this call.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const name = basename(process.argv[1]);
const home = join(dirname(process.argv[1]), "..", "reviewers", name);
if (process.argv.includes("--version")) process.stdout.write(`${name} 1.2.3\n`);
else review();

function review() {
  const prompt = readFileSync(0, "utf8");
  const number = takeNumber();
  const { GAUNTLET_STOP_HOOK_ACTIVE, CLAUDECODE } = process.env;
  const call = {
    args: process.argv.slice(2),
    prompt,
    cwd: process.cwd(),
    pid: process.pid,
    GAUNTLET_STOP_HOOK_ACTIVE,
    CLAUDECODE,
  };
  writeFileSync(join(home, `call-${number}.json`), JSON.stringify(call));
  const turns = JSON.parse(readFileSync(join(home, "script.json"), "utf8"));
  play(turns[Math.min(number, turns.length) - 1], { prompt, number });
}

function takeNumber() {
  for (let candidate = 1; ; candidate++) {
    try {
      mkdirSync(join(home, `turn-${candidate}`));
      return candidate;
    } catch {
      // taken by an earlier call
    }
  }
}

function play(turn, { prompt, number }) {
  if (turn.mebibytes !== undefined) {
    const block = Buffer.alloc(1024 * 1024, "All work and no play makes a dull review.\n");
    for (let count = 0; count < turn.mebibytes; count++) writeAll(block);
  }
  if (turn.run !== undefined) {
    const [command, ...args] = turn.run.argv;
    const env = turn.run.env ?? process.env;
    const ended = spawnSync(command, args, { input: turn.run.input, env, encoding: "utf8" });
    writeFileSync(
      join(home, `ran-${number}.json`),
      JSON.stringify({ status: ended.status, stdout: ended.stdout }),
    );
  }
  const answer = turn.confirmAll === true ? confirmAll(turn, prompt) : turn.stdout;
  if (answer !== undefined) writeAll(Buffer.from(answer));
  if (turn.stderr !== undefined) process.stderr.write(turn.stderr);
  if (turn.hang === true) setInterval(() => {}, 60_000);
  else process.exitCode = turn.exitCode ?? 0;
}

/** Says "fixed" about every finding it was asked to check. */
function confirmAll({ findings = [] }, prompt) {
  const section = /## Findings to check\n([\s\S]*?)\n## /.exec(prompt)?.[1] ?? "";
  const ids = [...section.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  return JSON.stringify({ findings, verified: ids.map((id) => ({ id, fixed: true, note: "seen" })) });
}

function writeAll(buffer) {
  for (let done = 0; done < buffer.length;) {
    try {
      done += writeSync(1, buffer, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
