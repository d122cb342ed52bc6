import { join, relative, resolve, sep } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { type GateReading, readGate } from "../../feedback/digest.ts";
import { type Problem, problemLine } from "../../feedback/problem.ts";
import { inFence, visibleText } from "../../feedback/text/clean-text.ts";
import { cutText } from "../../feedback/text/cut-text.ts";
import { runCheck } from "../../gates/check.ts";
import type { GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import type { CheckGate, EditCheck, PlannedGate } from "../../gates/gate.ts";
import { type GateOutcome, isMissing } from "../../gates/outcome.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { absolutePath, displayPath, projectPath, type ProjectPath } from "../../path.ts";
import { planGates } from "../../run/plan.ts";
import { withPackages } from "../../run/plan-run.ts";
import { isFile, kindOf, readBytes, realPath, uniqueName } from "../../system/files/files.ts";
import { isBelow } from "../../system/files/is-inside.ts";
import { scratchDir } from "../../system/files/scratch.ts";
import type { ChangeSet } from "../../system/git/change-set.ts";
import { splitNul } from "../../system/git/git.ts";
import { WorkTree } from "../../system/git/work-tree.ts";
import { readLogFile } from "../../system/logs/log-dir.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { type Environment, withoutOwnCredentials } from "../../system/process/environment.ts";
import { sha256 } from "#runtime";
import { ToldProblems } from "./told-problems.ts";

interface Edits {
  readonly settings: Settings;
  readonly event: StopEvent;
  /** As the agent named them. */
  readonly files: readonly string[];
  readonly env: Environment;
}

type EditedCheck = PlannedCheck & { readonly gate: CheckGate & { readonly onEdit: EditCheck } };

const MOST_CHARS = 6_000;
const MOST_MESSAGE_CHARS = 300;
const MOST_PROBLEMS = 20;

/** Runs the checks that are `on: [edit]` for just these files, and says what the model was not told yet; undefined if that is nothing. */
export async function checkEdits(edits: Edits, signal: AbortSignal): Promise<string | undefined> {
  const { settings, event, env } = edits;
  const planned = await planEdits(edits, signal);
  if (planned.length === 0) return undefined;
  await using logs = await scratchDir({});
  const context = contextIn(logs.path, edits);
  const told = ToldProblems.open(settings.root, event, env);
  const parts: string[] = [];
  for (const one of planned) {
    const fix = await checkAndFix(one, context, signal);
    parts.push(...fix.notes);
    const news = await newsOf(fix.outcome, one, { logs: logs.path, settings, told });
    if (news !== undefined) parts.push(news);
  }
  told.save();
  if (parts.length === 0) return undefined;
  return cutText(secretMasker(env)([HEAD, ...parts].join("\n\n")), MOST_CHARS);
}

const HEAD = "agent-gauntlet checked the files you just edited. The stop checks everything that changed.";

/** As at a stop, as if nothing but these files had changed. */
async function planEdits(
  { settings, event, files, env }: Edits,
  signal: AbortSignal,
): Promise<readonly EditedCheck[]> {
  const { root, logDir } = settings;
  const query = { root, logDir, baseBranch: settings.baseBranch };
  const inside = files.flatMap((file) => insideProject(root, resolve(event.cwd, file)));
  if (inside.length === 0) return [];
  await using tree = await WorkTree.open({ query, env, signal });
  const listed = [
    "--literal-pathspecs",
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--",
  ];
  const ignored = await tree.git.output([...listed, ...inside]);
  const isIgnored = new Set(ignored.ok ? splitNul(ignored.value) : []);
  const edited = inside.filter((path) => !isIgnored.has(path) && !`${path}/`.startsWith(`${logDir}/`));
  const changes: ChangeSet = {
    comparedTo: "the edit",
    files: edited.map((path) => ({ path, change: "modified" })),
    notes: [],
  };
  const entryPoints = settings.entryPoints.map((entryPoint) => ({
    ...entryPoint,
    gates: entryPoint.gates.filter((gate) => gate.kind === "check" && gate.onEdit !== undefined),
  }));
  const expanded = await withPackages({ settings: { ...settings, entryPoints } }, { changes }, tree);
  const plan = planGates(expanded.settings, changes, {
    ci: false,
    kinds: ["check"],
    only: [],
    openFailures: [],
    kindOf: (path) => kindOf(`${root}/${path}`),
  });
  return plan.gates.filter(isEditedCheck);
}

function isEditedCheck(planned: PlannedGate): planned is EditedCheck {
  return planned.gate.kind === "check" && planned.gate.onEdit !== undefined;
}

function insideProject(root: string, file: string): readonly ProjectPath[] {
  const real = realPath(file) ?? file;
  const top = realPath(root) ?? root;
  return isBelow(top, real) ? [projectPath(relative(top, real).split(sep).join("/"))] : [];
}

function contextIn(logs: string, { settings, env }: Edits): GateContext {
  return {
    root: settings.root,
    logRoot: absolutePath(logs),
    logDir: projectPath("."),
    runNumber: 1,
    runId: uniqueName(),
    baseBranch: settings.baseBranch,
    env: withoutOwnCredentials(env),
    onGroup: () => {},
  };
}

interface Checked {
  readonly outcome: GateOutcome;
  readonly notes: readonly string[];
}

/** A fix may rewrite the edited files, once; the agent must know which. */
async function checkAndFix(
  planned: EditedCheck,
  context: GateContext,
  signal: AbortSignal,
): Promise<Checked> {
  const { timeoutMs, mayFix } = planned.gate.onEdit;
  const { runOn: _here, report: _report, ...gate } = { ...planned.gate, timeoutMs };
  const check = { ...planned, gate };
  const first = await runCheck(check, context, signal);
  const { fix } = gate;
  if (!mayFix || fix === undefined || first.kind !== "failed" || isMissing(first))
    return { outcome: first, notes: [] };
  const paths = planned.files.map(({ path }) => path);
  const before = contentsOf(context.root, paths);
  const asCheck = { ...check, id: `${planned.id}:fix`, gate: { ...gate, command: fix } };
  await runCheck(asCheck, context, signal);
  const after = contentsOf(context.root, paths);
  const changed = paths.filter((_, at) => before[at] !== after[at]).map((path) => displayPath(path));
  if (changed.length === 0) return { outcome: first, notes: [] };
  const names = changed.join(", ");
  const notes = [
    `\`${visibleText(fix)}\` (${gate.name}) changed ${names}: read it again before you edit it.`,
  ];
  return { outcome: await runCheck(check, { ...context, runNumber: 2 }, signal), notes };
}

function contentsOf(root: string, paths: readonly string[]): readonly (string | undefined)[] {
  return paths.map((path) => {
    const bytes = readBytes(join(root, path));
    return bytes.ok ? sha256(bytes.value) : undefined;
  });
}

interface Around {
  readonly logs: string;
  readonly settings: Settings;
  readonly told: ToldProblems;
}

/** What a check found that the model does not know yet. One that did not finish in time, or could not run, says nothing: the stop runs it again. */
async function newsOf(
  outcome: GateOutcome,
  planned: EditedCheck,
  { logs, settings: { root }, told }: Around,
): Promise<string | undefined> {
  const files = planned.files.map(({ path }) => path);
  if (outcome.kind === "passed") told.forget(planned.id, files);
  if (outcome.kind !== "failed" || isMissing(outcome)) return undefined;
  const { id, name, workingDirectory, parser, logPath = "" } = outcome;
  const text = await readLogFile(join(logs, logPath));
  const isKnownFile = (path: string): boolean => isFile(join(root, path));
  const place = { id, name, text, logPath: "", projectRoot: root, workingDirectory, parser };
  const reading = readGate({ ...place, isFile: isKnownFile });
  const fresh = told.tell(planned.id, files, { problems: reading.problems, text });
  return fresh && inWords(name, reading, fresh);
}

function inWords(name: string, reading: GateReading, fresh: readonly Problem[]): string {
  if (fresh.length === 0) return `${name} failed:\n${inFence(visibleText(reading.draft()(MOST_CHARS / 4)))}`;
  const lines = fresh
    .slice(0, MOST_PROBLEMS)
    .map((problem) => visibleText(problemLine(problem, MOST_MESSAGE_CHARS)));
  const more = fresh.length > lines.length ? [`and ${fresh.length - lines.length} more`] : [];
  return [`${name} failed:`, inFence([...lines, ...more].join("\n"))].join("\n");
}
