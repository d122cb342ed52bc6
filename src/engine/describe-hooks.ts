import type { Environment } from "../machine/process/environment.ts";
import { join } from "node:path";
import type { HookResult } from "../core/hook.ts";
import { reportHooks, type ToldHook } from "../feedback/block-reason.ts";
import { secretMasker } from "../feedback/text/mask-secrets.ts";
import { readLogFile } from "../machine/logs/log-dir.ts";

/** What there is to say about hooks that did not simply pass, without the secrets of the environment. */
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
