import { resolve } from "node:path";
import { whyEndsEarly } from "./early-end.ts";
import type { Findings } from "./compare-findings.ts";
import type { ChangedFile } from "../../system/git/change-set.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import { readFindings } from "./read-findings.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { fingerprint } from "../../feedback/problem.ts";
import type { PlannedCheck } from "../../gates/gate-context.ts";
import { readText } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { sha256 } from "#runtime";
import { gateText } from "../../run/read-outcome.ts";
import { type ScratchPlace, textFromScratch } from "../../run/scratch-checks.ts";

export async function findingsOf(outcome: GateOutcome, root: string): Promise<Findings> {
  return { ...readFindings(await gateText(outcome, root), sha256), ended: endOf(outcome) };
}

export async function findingsInScratchTree(
  outcome: GateOutcome,
  place: ScratchPlace,
): Promise<Findings | undefined> {
  const read = await textFromScratch(outcome, place);
  return read && { ...readFindings(read, sha256), ended: endOf(outcome) };
}

function endOf(outcome: GateOutcome): string | undefined {
  return outcome.kind === "failed" ? outcome.detail : undefined;
}

export function withNewNames(found: Findings, files: readonly ChangedFile[]): Findings {
  const renamed = new Map<string, string>(
    files.flatMap(({ path, from, change }) =>
      change === "renamed" && from !== undefined ? [[from, path]] : [],
    ),
  );
  if (renamed.size === 0) return found;
  const problems = found.problems.map((one) => {
    const file = renamed.get(one.problem.file ?? "");
    if (file === undefined) return one;
    const problem = { ...one.problem, file };
    return { problem, key: fingerprint(problem) };
  });
  return { ...found, problems };
}

interface CheckHere {
  readonly command: string;
  readonly directory: string;
  readonly root: string;
  readonly env: Environment;
}

/** Why a failing check may end before it finds every problem, with secrets hidden. */
export function whyCutShort({ root, ...check }: CheckHere, found?: Findings): string | undefined {
  const texts = new Map<string, string | undefined>();
  const read = (path: string): string | undefined => {
    if (!texts.has(path)) texts.set(path, textAt(resolve(root, path)));
    return texts.get(path);
  };
  const why = whyEndsEarly({ ...check, read }, found);
  return why === undefined ? undefined : secretMasker(check.env)(why);
}

function textAt(path: string): string | undefined {
  const text = readText(path);
  return text.ok ? text.value : undefined;
}

export function whyGateCutShort(
  { gate, workingDirectory }: Pick<PlannedCheck, "gate" | "workingDirectory">,
  found: Findings,
  root: string,
  env: Environment,
): string | undefined {
  const check = { command: gate.command, directory: workingDirectory, root, env: { ...env, ...gate.env } };
  return whyCutShort(check, found);
}
