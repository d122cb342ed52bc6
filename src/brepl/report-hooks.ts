import type { HookResult } from "./judge-hooks.ts";
import type { Environment } from "../system/process/environment.ts";
import { secretMasker } from "../system/logs/mask-secrets.ts";
import { readLogFile } from "../system/logs/log-dir.ts";
import { join } from "node:path";
import { type GateText, digestGates, readGate } from "../feedback/digest.ts";
import { FENCE_CHARS, inFence, visibleText } from "../feedback/text/clean-text.ts";
import { cutText } from "../feedback/text/cut-text.ts";
import { describeOutcome } from "../gates/outcome.ts";

export { cutText };

export async function describeHooks(
  results: readonly HookResult[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
  maxChars: number,
): Promise<string> {
  const told = await Promise.all(results.map((result) => readHook(result, cwd)));
  const hookEnvs = results.map(({ hook }) => (hook.gate.kind === "check" ? hook.gate.env : {}));
  const report = reportHooks(told, maxChars);
  return hookEnvs.reduce((text, hookEnv) => secretMasker(hookEnv)(text), secretMasker(env)(report));
}

async function readHook(result: HookResult, cwd: string): Promise<ToldHook> {
  const { id, name, workingDirectory, logPath } = result.outcome;
  const text = logPath === undefined ? "" : await readLogFile(join(cwd, logPath));
  return { result, text: { id, name, text, logPath: logPath ?? "", projectRoot: cwd, workingDirectory } };
}

interface ToldHook {
  readonly result: HookResult;
  readonly text: GateText;
}

function reportHooks(told: readonly ToldHook[], maxChars: number): string {
  const ordered = told.toSorted((a, b) => rank(a.result) - rank(b.result));
  const heads = ordered.map(({ result }) => hookHeadline(result));
  const room = maxChars - heads.reduce((sum, head) => sum + head.length + 3 + FENCE_CHARS, 0);
  const logged = ordered.filter(({ text }) => text.logPath !== "");
  const digests = digestGates(
    logged.map(({ text }) => readGate(text).draft()),
    Math.max(0, room),
  );
  const sections = ordered.map((hook, index) =>
    [heads[index], inFence(visibleText(digests[logged.indexOf(hook)] ?? ""))].filter(Boolean).join("\n"),
  );
  return cutText(sections.join("\n\n"), maxChars);
}

function rank({ effect }: HookResult): number {
  return effect.kind === "retry" ? 0 : 1;
}

function hookHeadline({ hook, outcome, effect }: HookResult): string {
  const name = `Hook '${hook.gate.name}'`;
  const what = describeOutcome(outcome);
  switch (effect.kind) {
    case "retry":
      return `${name} failed (attempt ${effect.attempt}${limit(effect.maxRetries)}). Fix the issues shown below and try again:\n${what}`;
    case "gave-up":
      return `${name} failed after ${effect.retries} retries: retry limit reached, so it no longer keeps the agent from stopping.\n${what}`;
    case "reported":
      return `${name} failed: ${what.replace(/^failed: /, "")}`;
    case "not-run":
      if (outcome.kind === "cancelled") return `${name} was ${what}`;
      return `${name} could not run.${hook.required ? ` ${PAUSE}` : ""}\n${what}${outcome.gate === "repl" ? START_SERVER : ""}`;
    case "passed":
    case "skipped":
      return `${name}: ${what}`;
  }
}

function limit(maxRetries: number): string {
  return maxRetries === 0 ? ", no limit" : `/${maxRetries}`;
}

const PAUSE = "It is required: please pause and notify the user.";

const START_SERVER =
  "\nIt needs a running nREPL server: start one in this directory (it writes .nrepl-port), or set BREPL_PORT.";
