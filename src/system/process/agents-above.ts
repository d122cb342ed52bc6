import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { readIfFile } from "../files/files.ts";
import type { Environment } from "./environment.ts";
import { readStat } from "./group.ts";
import { agentVariables } from "./volatile-variables.ts";

/** Editors have agents too, but people use their terminals. */
const EDITORS = ["code", "cursor"];

export function agentAbove(env: Environment, executables: readonly string[]): string | undefined {
  const variable = Object.keys(env).find((name) => agentVariables()(name) && env[name] !== "");
  if (variable !== undefined) return `${variable} is set`;
  const names = new Set(executables.filter((name) => !EDITORS.includes(name)));
  const found = ancestors().find(({ words }) => words.some((word) => names.has(word)));
  return found && `it was started by ${found.words.find((word) => names.has(word))} (pid ${found.pid})`;
}

/** The process of the agent that started us, if it can be told. */
export function agentProcess(env: Environment, executables: readonly string[]): number | undefined {
  const told = Number(env["CLAUDE_PID"]);
  if (Number.isInteger(told) && told > 0) return told;
  const names = new Set(executables);
  return ancestors().find(({ words }) => words.some((word) => names.has(word)))?.pid;
}

/** The whole command lines of the programs above us, the nearest first. */
export function commandsAbove(): readonly (readonly string[])[] {
  return ancestors().map(({ command }) => command);
}

interface Ancestor {
  readonly pid: number;
  readonly words: readonly string[];
  readonly command: readonly string[];
}

const MOST = 64;

function ancestors(): readonly Ancestor[] {
  const found: Ancestor[] = [];
  let pid = process.ppid;
  while (pid > 0 && found.length < MOST) {
    const above = processAt(pid);
    if (above === undefined) break;
    const { command } = above;
    found.push({ pid, words: command.slice(0, 2).map(programName), command });
    pid = above.parent;
  }
  return found;
}

function programName(word: string): string {
  return basename(word).replace(/\.(?:js|mjs|cjs|exe|ts)$/, "");
}

interface ProcessFacts {
  readonly parent: number;
  readonly command: readonly string[];
}

function processAt(pid: number): ProcessFacts | undefined {
  if (process.platform === "win32") return undefined;
  return process.platform === "linux" ? processInProc(pid) : processByPs(pid);
}

function processInProc(pid: number): ProcessFacts | undefined {
  const parent = readStat(pid)?.parent;
  const command = readIfFile(`/proc/${pid}/cmdline`)?.split("\0");
  return parent === undefined || command === undefined ? undefined : { parent, command };
}

function processByPs(pid: number): ProcessFacts | undefined {
  const ps = spawnSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" });
  const [, parent, command] = /^\s*(\d+)\s+(.*)$/m.exec(ps.stdout ?? "") ?? [];
  return parent === undefined ? undefined : { parent: Number(parent), command: command?.split(" ") ?? [] };
}
