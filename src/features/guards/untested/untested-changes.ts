import { join } from "node:path";
import { protectedFileFinder } from "../../../config/protected-files.ts";
import { cutText } from "../../../feedback/text/cut-text.ts";
import { freshReport } from "../../../gates/check.ts";
import { type Finding, identify } from "../../../gates/review/finding.ts";
import type { ProjectPath } from "../../../path.ts";
import { readText } from "../../../system/files/files.ts";
import type { Found, GuardedRun } from "../guarded-run.ts";
import { isForeign, languageOf } from "../languages.ts";
import type { PatchedFile } from "../patched-file.ts";
import { type Coverage, readCoverage } from "./read-coverage.ts";
import { isCovered, untestedLines } from "./untested-lines.ts";

/** Changed lines that nothing ran, by what the checks of this run have written down. */
export function untestedChanges(
  { project: { settings }, planned: { plan } }: GuardedRun,
  patch: readonly PatchedFile[],
  since: number,
): Found {
  const reports = plan.gates.flatMap(({ gate }) => {
    const path = gate.kind === "check" ? freshReport(gate.coverage, settings.root, since) : undefined;
    return path === undefined ? [] : [path];
  });
  const read = [...new Set(reports)].map((path) => readReport(settings.root, path));
  const gaps = read.filter((one) => typeof one === "string");
  const coverage = joined(read.filter((one) => typeof one !== "string"));
  if (coverage.size === 0) return { findings: [], gap: gaps.join("; ") || undefined };
  const protectedOf = protectedFileFinder(settings);
  const source = patch.filter(
    ({ file }) =>
      languageOf(file) !== undefined &&
      !file.endsWith(".d.ts") &&
      !isForeign(file) &&
      protectedOf(file) === undefined &&
      isCovered(file, coverage),
  );
  return {
    findings: source.flatMap((file) => findingsIn(file, coverage)),
    gap: gaps.join("; ") || undefined,
  };
}

const MOST_BYTES = 64 * 1024 * 1024;

function readReport(root: string, path: ProjectPath): Coverage | string {
  const text = readText(join(root, path), MOST_BYTES);
  const coverage = text.ok ? readCoverage(text.value) : undefined;
  return coverage ?? `${path} is no coverage report that can be read`;
}

function joined(reports: readonly Coverage[]): Coverage {
  const all = new Map<string, Map<number, number>>();
  for (const [file, lines] of reports.flatMap((report) => [...report])) {
    const known = all.get(file) ?? new Map<number, number>();
    all.set(file, known);
    for (const [line, count] of lines) known.set(line, Math.max(known.get(line) ?? 0, count));
  }
  return all;
}

const LONGEST = 120;
const FIX = 'Add a test that runs it, or remove it. If no test can, answer with "skipped" and the reason.';

function findingsIn({ file, lines }: PatchedFile, coverage: Coverage): readonly Finding[] {
  const added = lines.filter(({ kind }) => kind === "added");
  return untestedLines(file, added, coverage).map(({ first, last }) => {
    const place = first === last ? `line ${first}` : `lines ${first}-${last}`;
    const text = added.find(({ line }) => line === first)?.text.trim() ?? "";
    const issue = `passed, but nothing ran ${place}: \`${cutText(text, LONGEST)}\``;
    return identify({ file, line: first, issue, fix: FIX, priority: "medium" });
  });
}
