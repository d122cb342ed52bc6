import { isSource } from "./gone-from-source.ts";
import { asksForTests, specialCases } from "./hard-coded.ts";
import { languageOf, NOT_FOREIGN } from "./languages.ts";
import { type PatchedFile, patchedFile } from "./patched-file.ts";
import { isSettingsFile, laxerSettings } from "./laxer-settings.ts";
import { suppressions } from "./suppressions.ts";
import { weakenedTests } from "./weakened-tests.ts";
import type { Finding } from "../../gates/review/finding.ts";
import type { Notice } from "../../stop/notices.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import { parsePatch } from "../../system/git/parse-patch.ts";
import { projectPath } from "../../path.ts";
import { openFindings, type ReviewSlot, skippedFindings, withAnswers } from "../../gates/review/slot.ts";

import { GUARD_NAMES, type GuardName } from "../../config/settings.ts";
import { explain, ok, type Result } from "../../trouble.ts";
import { visibleName } from "../../feedback/text/clean-text.ts";
import { fileMatcher } from "../../config/entry-point.ts";
import { findByRunning, type LoadByRunning } from "./after-gates.ts";
import type { Found, GuardedRun } from "./guarded-run.ts";
import { elapsedMs, now } from "../../system/clock.ts";
import { Git } from "../../system/git/git.ts";
import { patchSince } from "../../system/git/patches.ts";
import { readSheet, readSlot, sheetName, slotFiles, writeSlot } from "../../gates/review/slot-store.ts";
import { fewerTests, withCount } from "./fewer-tests.ts";
import type { Project } from "../../run/open.ts";
import type { PlannedRun } from "../../run/plan-run.ts";

export interface GuardedOutcomes {
  readonly outcomes: readonly GateOutcome[];
  readonly notices: readonly Notice[];
}

export function watchChange(
  run: GuardedRun,
  load: LoadByRunning,
): (outcomes: readonly GateOutcome[]) => Promise<GuardedOutcomes> {
  const { project, planned } = run;
  const { guards = {} } = project.settings;
  const needsPatch = READING.some((name) => guards[name] !== undefined);
  const reading = needsPatch ? readChange(project, planned) : undefined;
  const [since, untilMs] = [now(), elapsedMs() + timeFor(run)];
  return async (gates) => {
    const started = elapsedMs();
    const patch = await reading;
    const suspected =
      guards["weakened-tests"] !== undefined && patch?.ok === true
        ? await suspicions(project, patch.value)
        : [];
    const counted =
      guards["fewer-tests"] === undefined
        ? gates
        : await Promise.all(gates.map((gate) => withCount(gate, project)));
    const isIgnored = ignoredFiles(project);
    const detect: Readonly<Partial<Record<GuardName, () => Found>>> = {
      "weakened-tests": () => ({
        ...inPatch(patch, (files, settings) => [
          ...weakenedTests(files),
          ...asksForTests(files),
          ...laxerSettings(settings, "tests"),
        ]),
        suspected,
      }),
      suppressions: () =>
        inPatch(patch, (files, settings) => [...suppressions(files), ...laxerSettings(settings, "tools")]),
      "fewer-tests": () => ({ findings: fewerTests(counted, run) }),
    };
    const found = new Map(
      GUARD_NAMES.map((name) => [name, guards[name] === undefined ? undefined : detect[name]?.()]),
    );
    const readMs = Math.round(elapsedMs() - started);
    const files = patch?.ok === true ? patch.value.files : [];
    const running: Partial<Record<GuardName, Found>> = await findByRunning(run, {
      outcomes: gates,
      load,
      since,
      untilMs,
      files,
    });
    const looks = GUARD_NAMES.flatMap((name) => {
      const mode = guards[name];
      const one = running[name] ?? found.get(name);
      if (mode === undefined || one === undefined) return [];
      const findings = one.findings.filter(({ file }) => !isIgnored(file));
      return [lookOf(project, { durationMs: readMs, ...one, findings, name, mode })];
    });
    return { outcomes: [...counted, ...looks.map(outcomeOf)], notices: looks.flatMap(noticesOf) };
  };
}

/** Guards that read the change as a patch. */
const READING = ["weakened-tests", "suppressions", "untested-changes"] as const;

/** A stop must still be answered after them. */
function timeFor({ project, request }: GuardedRun): number {
  return request.isStop === true
    ? project.settings.stopHook.timeoutMs * MOST_OF_A_STOP
    : Number.POSITIVE_INFINITY;
}

const MOST_OF_A_STOP = 0.8;

function ignoredFiles({ settings }: Project): (path: string) => boolean {
  const { guardsIgnore = [] } = settings;
  return guardsIgnore.length === 0 ? () => false : fileMatcher(guardsIgnore);
}

/** Settings of tools, without an extension that is read anyway. */
const SETTINGS = [
  ..."tsconfig*.json jsconfig*.json jest.config.json biome.json .oxlintrc.json tslint.json pyrightconfig.json".split(
    " ",
  ),
  ..."setup.cfg .flake8 .pylintrc .coveragerc sonar-project.properties".split(" "),
  ...".eslintrc* .stylelintrc* .mocharc* .nycrc* .c8rc*".split(" "),
].map((name) => `:(icase,glob)**/${name}`);

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
    SETTINGS,
    NOT_FOREIGN,
  );

interface ReadChange {
  readonly files: readonly PatchedFile[];
  readonly gap: string | undefined;
  /** Files of settings with all their lines. */
  readonly settings: readonly PatchedFile[];
}

async function readChange({ settings, signal }: Project, planned: PlannedRun): Promise<Result<ReadChange>> {
  const { baseCommit, commit, head } = planned.detected.changes;
  const known = [planned.workTree.pass?.head, head];
  const range = { from: baseCommit, known, to: commit };
  const git = new Git(settings.root, signal);
  const read = async (patterns: readonly string[], context?: number) => {
    const patch = await patchSince(git, planned.snapshot, { ...range, patterns, context });
    return patch.ok
      ? ok({ files: parsePatch(patch.value.text).map(patchedFile), gap: patch.value.gap })
      : patch;
  };
  const change = await read(PATTERNS);
  if (!change.ok) return change;
  const named = change.value.files.filter(({ file }) => isSettingsFile(file));
  if (named.length === 0) return ok({ ...change.value, settings: [] });
  const whole = await read(
    named.map(({ file }) => `:(literal)${file}`),
    WHOLE_FILE,
  );
  return whole.ok ? ok({ ...change.value, settings: whole.value.files }) : whole;
}

/** Lines around a change: more than a settings file has. */
const WHOLE_FILE = 100_000;

/** Literals that stand in tests, and nowhere else but in their own new branch. */
async function suspicions({ settings, signal }: Project, { files }: ReadChange): Promise<readonly Finding[]> {
  const cases = specialCases(files).slice(0, MOST_SUSPICIONS);
  const git = new Git(settings.root, signal);
  const asked = await Promise.all(
    cases.map(async ({ literal, finding }) => {
      const args = [
        "grep",
        "--untracked",
        "--fixed-strings",
        "--word-regexp",
        "--files-with-matches",
        "-z",
        "-e",
        literal,
      ];
      const found = await git.ask(args);
      const holders = found.ok ? found.value.stdout.toString("utf8").split("\0").filter(Boolean) : [];
      const others = holders.filter((file) => file !== finding.file);
      return others.length > 0 && others.every((file) => languageOf(file) !== undefined && !isSource(file))
        ? [finding]
        : [];
    }),
  );
  return asked.flat();
}

const MOST_SUSPICIONS = 20;

type Detect = (files: readonly PatchedFile[], settings: readonly PatchedFile[]) => readonly Finding[];

function inPatch(change: Result<ReadChange> | undefined, detect: Detect): Found {
  if (change === undefined) return { findings: [] };
  if (!change.ok)
    return { findings: [], gap: `nothing, for the change cannot be read: ${explain(change.trouble)}` };
  const { files, settings, gap } = change.value;
  const findings = distinct(detect(files, settings));
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
  readonly durationMs: number;
}

function lookOf(
  { settings, logDir }: Project,
  guard: Pick<Look, "findings" | "gap" | "name" | "mode" | "durationMs">,
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

function outcomeOf(look: Look): GateOutcome {
  const { name, mode, open, answered, sheet, durationMs } = look;
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

function wordsFor({ open, suspected = [], answered, gap }: Look, most: number): readonly string[] {
  const words = [
    ...[...open, ...suspected].map(describe),
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
  const facts = [...look.open, ...(look.suspected ?? []), ...look.answered].map(
    ({ id, result }) => `${id} ${result}`,
  );
  return [
    {
      rank: look.name === "weakened-tests" ? "weakened tests" : "guards",
      key: `${look.name} ${[...facts, look.gap].join(" ")}`,
      text: `Guard ${look.name}${facts.length === 0 ? " found" : ":"} ${words.join("; ")}`,
    },
  ];
}
