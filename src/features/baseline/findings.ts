import { join, resolve } from "node:path";
import { whyEndsEarly } from "./early-end.ts";
import type { Findings } from "./compare-findings.ts";
import type { ChangedFile } from "../../system/git/change-set.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import { readFindings } from "./read-findings.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { fingerprint } from "../../feedback/problem.ts";
import type { PlannedCheck } from "../../gates/gate-context.ts";
import { isFile, readText } from "../../system/files/files.ts";
import { readLogFile } from "../../system/logs/log-dir.ts";
import type { Environment } from "../../system/process/environment.ts";
import { sha256 } from "#runtime";
import { gateText } from "../../run/read-outcome.ts";

export async function findingsOf(outcome: GateOutcome, root: string): Promise<Findings> {
  return { ...readFindings(await gateText(outcome, root), sha256), ended: endOf(outcome) };
}

export interface ScratchPlace {
  /** The top of the project's repository, and of the tree the check ran in. */
  readonly top: string;
  readonly scratchTop: string;
  readonly root: string;
  readonly scratchRoot: string;
}

/**
 * What a check found in another tree, with paths as in the project. Undefined if its output names files of the project: then it
 * read those.
 */
export async function findingsInScratchTree(
  outcome: GateOutcome,
  place: ScratchPlace,
): Promise<Findings | undefined> {
  const { root, scratchRoot } = place;
  const log = outcome.logPath === undefined ? "" : await readLogFile(join(root, outcome.logPath));
  const report =
    outcome.report === undefined ? undefined : await readLogFile(join(scratchRoot, outcome.report));
  if (namesProject(log, place) || namesProject(report ?? "", place)) return undefined;
  const { report: _report, ...rest } = outcome;
  const gate = await gateText(rest, root);
  const read = {
    ...gate,
    text: inProject(log, place),
    isFile: (path: string) => isFile(join(scratchRoot, path)),
    report: report === undefined ? undefined : inProject(report, place),
  };
  return { ...readFindings(read, sha256), ended: endOf(outcome) };
}

function endOf(outcome: GateOutcome): string | undefined {
  return outcome.kind === "failed" ? outcome.detail : undefined;
}

function namesProject(text: string, { top }: ScratchPlace): boolean {
  for (let at = text.indexOf(top); at !== -1; at = text.indexOf(top, at + 1))
    if (!/[\w.-]/.test(text.charAt(at + top.length))) return true;
  return false;
}

function inProject(text: string, { top, scratchTop }: ScratchPlace): string {
  return text.replaceAll(`file://${scratchTop}`, `file://${encodeURI(top)}`).replaceAll(scratchTop, top);
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
  /** From the root of the project. */
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
