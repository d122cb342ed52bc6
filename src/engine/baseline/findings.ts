import { join } from "node:path";
import { chainOf } from "../../core/baseline/chain.ts";
import { scriptIn } from "../../core/trust/named-scripts.ts";
import type { Findings, KnownProblem } from "../../core/baseline/baseline.ts";
import type { ChangedFile } from "../../core/plan/change-set.ts";
import type { GateOutcome } from "../../core/outcome.ts";
import { readFindings } from "../../feedback/read-findings.ts";
import { fingerprint } from "../../feedback/problem.ts";
import { isFile, readText } from "../../machine/files/files.ts";
import { readLogFile } from "../../machine/logs/log-dir.ts";
import { sha256 } from "#runtime";
import { gateText } from "../run/failures.ts";

/** What a check found in the project. */
export async function findingsOf(outcome: GateOutcome, root: string): Promise<Findings> {
  return { ...readFindings(await gateText(outcome, root), sha256), ...endOf(outcome) };
}

/** Where a check ran in place of the project. */
export interface Elsewhere {
  /** The top of the project's repository, and of the tree the check ran in. */
  readonly top: string;
  readonly scratchTop: string;
  readonly root: string;
  readonly scratchRoot: string;
}

/**
 * What a check found in another tree, with paths as in the project; undefined where its output names files of the project itself: then
 * it looked there, and what it says is not about the other tree.
 */
export async function findingsElsewhere(
  outcome: GateOutcome,
  place: Elsewhere,
): Promise<Findings | undefined> {
  const { root, scratchRoot } = place;
  const log = outcome.logPath === undefined ? "" : await readLogFile(join(root, outcome.logPath));
  const report =
    outcome.report === undefined ? undefined : await readLogFile(join(scratchRoot, outcome.report));
  if (namesProject(log, place) || namesProject(report ?? "", place)) return undefined;
  const { report: _elsewhere, ...rest } = outcome;
  const gate = await gateText(rest, root);
  const read = {
    ...gate,
    text: inProject(log, place),
    isFile: (path: string) => isFile(join(scratchRoot, path)),
    ...(report === undefined ? {} : { report: inProject(report, place) }),
  };
  return { ...readFindings(read, sha256), ...endOf(outcome) };
}

function endOf(outcome: GateOutcome): Pick<Findings, "ended"> {
  return outcome.kind === "failed" ? { ended: outcome.detail } : {};
}

function namesProject(text: string, { top }: Elsewhere): boolean {
  for (let at = text.indexOf(top); at !== -1; at = text.indexOf(top, at + 1))
    if (!/[\w.-]/.test(text.charAt(at + top.length))) return true;
  return false;
}

function inProject(text: string, { top, scratchTop }: Elsewhere): string {
  return text.replaceAll(`file://${scratchTop}`, `file://${encodeURI(top)}`).replaceAll(scratchTop, top);
}

/** The findings with the names that files have now. */
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
    return { problem, key: keyOf(problem) };
  });
  return { ...found, problems };
}

export function keyOf(problem: KnownProblem): string {
  return fingerprint(problem);
}

/** The commands of a check that runs in a directory, each of which needs the one before it to pass. */
export function chainIn(cwd: string, command: string): readonly string[] {
  return chainOf(command, (script) => {
    const manifest = readText(join(cwd, script.directory, script.manifest ?? "package.json"));
    return manifest.ok ? scriptIn(manifest.value, script) : undefined;
  });
}
