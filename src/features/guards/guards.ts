import { NOT_FOREIGN } from "./languages.ts";
import { patchedFile } from "./patched-file.ts";
import { suppressions } from "./suppressions.ts";
import { weakenedTests } from "./weakened-tests.ts";
import type { Finding } from "../../gates/review/finding.ts";
import type { Notice } from "../../stop/notices.ts";
import type { RunRequest } from "../../run/request.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import { parsePatch } from "../../system/git/parse-patch.ts";
import { projectPath } from "../../path.ts";
import { openFindings, type ReviewSlot, skippedFindings, withAnswers } from "../../gates/review/slot.ts";

import { GUARD_NAMES, type GuardName } from "../../config/settings.ts";
import { explain, type Result } from "../../trouble.ts";
import { visibleName } from "../../feedback/text/clean-text.ts";
import { elapsedMs } from "../../system/clock.ts";
import { Git } from "../../system/git/git.ts";
import { type Patch, patchSince } from "../../system/git/patches.ts";
import { readSheet, readSlot, sheetName, slotFiles, writeSlot } from "../../gates/review/slot-store.ts";
import { fewerTests, withCount } from "./fewer-tests.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";

export interface GuardedOutcomes {
  readonly outcomes: readonly GateOutcome[];
  readonly notices: readonly Notice[];
}

export function watchChange(
  project: Project,
  request: RunRequest,
  planned: PlannedRun,
): (outcomes: readonly GateOutcome[]) => Promise<GuardedOutcomes> {
  const { guards = {} } = project.settings;
  const needsPatch = guards["weakened-tests"] !== undefined || guards.suppressions !== undefined;
  const reading = needsPatch ? readPatch(project, planned) : undefined;
  return async (gates) => {
    const started = elapsedMs();
    const patch = await reading;
    const counted =
      guards["fewer-tests"] === undefined
        ? gates
        : await Promise.all(gates.map((gate) => withCount(gate, project)));
    const found: Readonly<Record<GuardName, () => Found>> = {
      "weakened-tests": () => inPatch(patch, weakenedTests),
      suppressions: () => inPatch(patch, suppressions),
      "fewer-tests": () => ({ findings: fewerTests(counted, { project, request, planned }) }),
    };
    const looks = GUARD_NAMES.flatMap((name) => {
      const mode = guards[name];
      return mode === undefined ? [] : [lookOf(project, { name, mode, ...found[name]() })];
    });
    const durationMs = Math.round(elapsedMs() - started);
    return {
      outcomes: [...counted, ...looks.map((look) => outcomeOf(look, durationMs))],
      notices: looks.flatMap(noticesOf),
    };
  };
}

/** Files that a guard can read, including those that an attribute declares binary. */
const PATTERNS = [
  ..."js jsx ts tsx mjs cjs mts cts vue svelte css scss less py pyi go rs java kt kts groovy scala rb rake php cs fs vb".split(
    " ",
  ),
  ..."clj cljs cljc bb ex exs c h cc cpp cxx hpp hh sh bash zsh mk yml yaml toml ini edn jsonc snap ambr".split(
    " ",
  ),
]
  .map((extension) => `:(icase)*.${extension}`)
  .concat(
    ["package.json", "composer.json", "deno.json", "Makefile", "GNUmakefile", "justfile", "Rakefile"].flatMap(
      (name) => [`:(icase)${name}`, `:(icase,glob)**/${name}`],
    ),
    [":*.approved.*", ":*.verified.*", ":*__snapshots__/*"],
    NOT_FOREIGN,
  );

function readPatch({ settings, signal }: Project, planned: PlannedRun): Promise<Result<Patch>> {
  const { baseCommit, commit, head } = planned.detected.changes;
  const known = [planned.workTree.pass?.head, head];
  const range = { from: baseCommit, known, to: commit, patterns: PATTERNS };
  return patchSince(new Git(settings.root, signal), planned.snapshot, range);
}

interface Found {
  readonly findings: readonly Finding[];
  readonly gap?: string | undefined;
}

function inPatch(patch: Result<Patch> | undefined, detect: typeof weakenedTests): Found {
  if (patch === undefined) return { findings: [] };
  if (!patch.ok)
    return { findings: [], gap: `nothing, for the change cannot be read: ${explain(patch.trouble)}` };
  const { text, gap } = patch.value;
  const findings = distinct(detect(parsePatch(text).map(patchedFile)));
  const rest = findings.length - MOST_FINDINGS;
  return { findings: findings.slice(0, MOST_FINDINGS), gap: rest > 0 ? `${rest} more of the kind` : gap };
}

/** More than anybody answers. */
const MOST_FINDINGS = 200;

function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.toReversed().map((one) => [one.id, one])).values()].toReversed();
}

interface Look extends Found {
  readonly name: GuardName;
  readonly mode: "tell" | "block";
  readonly open: readonly Finding[];
  readonly answered: readonly Finding[];
  readonly sheet?: string;
  readonly remark?: string | undefined;
}

function lookOf(
  { settings, logDir }: Project,
  guard: Found & { readonly name: GuardName; readonly mode: "tell" | "block" },
): Look {
  const { name, mode, findings } = guard;
  if (mode === "tell") return { ...guard, open: findings, answered: [] };
  const files = slotFiles(logDir.path, idOf(name), 1);
  const before = readSlot(files);
  if (findings.length === 0 && before === undefined) return { ...guard, open: [], answered: [] };
  const sheet = readSheet(files);
  const known = new Map((before?.findings ?? []).map(({ id, status, result }) => [id, { status, result }]));
  const slot = withAnswers(slotOf(name, findings), new Map([...known, ...answersIn(sheet.answers)]));
  const asked = { ...slot, findings: slot.findings.map(reopened) };
  const written = writeSlot(files, asked);
  const isBroken = sheet.isBroken && before !== undefined;
  return {
    ...guard,
    open: openFindings(asked),
    answered: skippedFindings(asked),
    sheet: `${settings.logDir}/${sheetName(idOf(name), 1)}`,
    remark: written.ok ? (isBroken ? BROKEN_SHEET : undefined) : explain(written.trouble),
  };
}

const BROKEN_SHEET = "the answers were not valid JSON and could not be read; the file has been rewritten";

function answersIn(answers: ReturnType<typeof readSheet>["answers"]) {
  return [...answers].filter(([, { status }]) => status !== "new");
}

function slotOf(name: GuardName, findings: readonly Finding[]): ReviewSlot {
  return {
    gate: idOf(name),
    slot: 1,
    round: 1,
    reviewer: "agent-gauntlet",
    tree: null,
    findings,
    confirmed: [],
  };
}

/** A finding that is still in the change is not fixed, whatever the answer says. */
function reopened(finding: Finding): Finding {
  if (finding.status !== "fixed") return finding;
  return { ...finding, status: "new", result: "marked fixed, but it is still in the change" };
}

function idOf(name: GuardName): string {
  return `guard:.:${name}`;
}

function outcomeOf(look: Look, durationMs: number): GateOutcome {
  const { name, mode, open, answered, sheet } = look;
  const here = projectPath(".");
  const sheets = sheet === undefined || open.length === 0 ? [] : [projectPath(sheet)];
  const base = {
    id: idOf(name),
    gate: "guard" as const,
    name,
    scope: here,
    workingDirectory: here,
    warnOnly: false,
    durationMs,
    ...(look.findings.length === 0 ? {} : { review: { open, skipped: answered, sheets } }),
  };
  if (mode === "block" && open.length > 0) {
    const count = open.length === 1 ? "1 finding" : `${open.length} findings`;
    return { ...base, kind: "failed", detail: [count, look.remark].filter(Boolean).join("; ") };
  }
  const warning = wordsFor(look, MOST_IN_OUTCOME).join("; ");
  return { ...base, kind: "passed", warning: warning || undefined };
}

const MOST_IN_OUTCOME = 20;
const MOST_IN_NOTICE = 3;

function wordsFor({ open, answered, gap }: Look, most: number): readonly string[] {
  const words = [
    ...open.map(describe),
    ...answered.map((one) => `${describe(one)} (the agent's reason: ${visibleName(one.result.trim())})`),
  ];
  const rest = words.length - most;
  return [
    ...words.slice(0, most),
    ...(rest > 0 ? [`${rest} more`] : []),
    ...(gap === undefined ? [] : [gap]),
  ];
}

function describe({ file, line, issue }: Finding): string {
  const place = file === "." ? "" : `${visibleName(file)}${line === null ? "" : `:${line}`} `;
  return `${place}${visibleName(issue)}`;
}

function noticesOf(look: Look): readonly Notice[] {
  const words = wordsFor(look, MOST_IN_NOTICE);
  if (words.length === 0) return [];
  const facts = [...look.open, ...look.answered].map(({ id, result }) => `${id} ${result}`);
  return [
    {
      rank: "guards",
      key: `${look.name} ${[...facts, look.gap].join(" ")}`,
      text: `Guard ${look.name}: ${words.join("; ")}`,
    },
  ];
}
