import { once } from "../once.ts";
import { type GateOutcome, isComparable } from "../gates/outcome.ts";
import { type ProjectPath, projectPath } from "../path.ts";
import { coversKey, type PassKey } from "../stop/pass-key.ts";
import type { CheckGate } from "../gates/gate.ts";
import { isPartial, type RunEvent, type RunRequest } from "./request.ts";
import type { GateContext } from "../gates/gate-context.ts";
import { kindOf } from "../system/files/files.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { withoutOwnCredentials } from "../system/process/environment.ts";
import { GateGroups } from "../system/process/leftovers.ts";
import { fixFirst } from "./fix-first.ts";
import { type RunLog, startRunLog } from "./run-log.ts";
import { type GatePasses, openGatePasses } from "./gate-passes.ts";
import type { PlannedRun } from "./plan-run.ts";
import type { Project } from "./open.ts";
import type { RunGatesOptions } from "./gates.ts";
import { GateWatch, type Stillness } from "./stillness.ts";
import { stages } from "./stages.ts";

/** A run from its plan to its end, with what it holds meanwhile. */
export class ActiveRun implements AsyncDisposable {
  readonly project: Project;
  readonly request: RunRequest;
  /** What is run and judged: with other files, once a fix has changed some. */
  planned: PlannedRun;
  readonly log: RunLog;
  readonly watch: GateWatch;
  readonly groups: GateGroups;
  /** Everything that is closed when the run ends, the last first. */
  readonly held: (Disposable | AsyncDisposable)[];

  constructor(project: Project, request: RunRequest, planned: PlannedRun) {
    this.project = project;
    this.request = request;
    this.planned = planned;
    this.log = startRunLog(project, planned.runNumber);
    this.groups = new GateGroups(project.logDir);
    this.watch = new GateWatch(planned.snapshot);
    this.held = [this.log, this.groups, this.watch];
    const { changes } = planned.detected;
    this.warn(...changes.notes, ...planned.warnings);
    const { runNumber, plan } = planned;
    this.tell({ kind: "run-planned", runNumber, changes, plan, guards: guardsIn(project, request) });
  }

  readonly tell = (event: RunEvent): void => {
    this.log.record(event);
    this.watch.note(event);
    this.request.onEvent?.(event);
  };

  warn(...messages: readonly string[]): void {
    for (const message of messages) this.tell({ kind: "warned", message });
  }

  get consoleLogPath(): ProjectPath {
    return projectPath(`${this.project.settings.logDir}/${this.log.name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.held.toReversed())
      await (Symbol.asyncDispose in one ? one[Symbol.asyncDispose]() : one[Symbol.dispose]());
  }
}

/** How many guards look at the change of a run: they speak for a run of everything only. */
export function guardsIn({ settings }: Project, request: RunRequest): number {
  return isPartial(request) || request.noGuards === true ? 0 : Object.keys(settings.guards ?? {}).length;
}

export interface PreparedGates {
  readonly options: RunGatesOptions;
  readonly passes: GatePasses;
  /** What a pass of this run is bound to. */
  readonly passKey: PassKey;
  /** Whether the files stood still while the gates ran, and are bound to the same key. */
  readonly stillness: () => Promise<Stillness>;
}

/** Looks the gates up that passed before, connects to the workers and applies fixes: what is judged is the tree after them. */
export async function prepareGates(run: ActiveRun): Promise<PreparedGates> {
  const { project, watch } = run;
  let { options, passes } = await gateOptions(run);
  const known = await knownAhead(run);
  const { reuse } = options;
  if (known !== undefined)
    options = { ...options, reuse: (planned) => reuse?.(planned) ?? known.passed(planned) };

  const fixing = mayFix(run) ? await fixFirst(run, options) : undefined;
  if (fixing !== undefined) {
    run.held.push(fixing);
    run.planned = fixing.planned;
    run.warn(...(run.planned.fixes ?? []));
  }
  if (fixing?.isChanged) {
    watch.restart(run.planned.snapshot);
    ({ options, passes } = await gateOptions(run));
  }

  const passKey = project.passKey();
  fingerprintMeanwhile(run.planned.snapshot).catch(() => {}); // whoever needs it asks again
  const stillness = once(async () => {
    const seen = await watch.stillness();
    return coversKey(passKey, project.passKey()) ? seen : { ...seen, isStill: false };
  });
  return {
    options: {
      ...options,
      settle: compareWhenRed(run, options.context),
      settled: fixing?.isChanged ? fixing.settled : withKnown(known?.failed ?? [], fixing?.settled ?? []),
    },
    passes,
    passKey,
    stillness,
  };
}

/** Of a stop, the gates that ran on exactly these files while the agent worked. */
async function knownAhead({ project, request, planned, tell }: ActiveRun) {
  const isAsked = project.settings.runAhead !== undefined && request.isStop && request.ahead === undefined;
  const known = isAsked ? await (await stages.ahead()).outcomesAhead(project, planned) : undefined;
  if (known === undefined || known.failed.length === 0) return known;
  const names = known.failed.map(({ name }) => name).join(", ");
  const message = `Not run again: ${names} failed on exactly these files in run ${known.runNumber}, ahead of this stop.`;
  tell({ kind: "warned", message });
  for (const outcome of known.failed) tell({ kind: "gate-finished", outcome });
  return known;
}

/** What ran again, with its fix, counts in place of what was known. */
function withKnown(known: readonly GateOutcome[], settled: readonly GateOutcome[]): readonly GateOutcome[] {
  const again = new Set(settled.map(({ id }) => id));
  return [...settled, ...known.filter(({ id }) => !again.has(id))];
}

async function gateOptions(run: ActiveRun) {
  const { project, request, planned, watch, tell } = run;
  const passes = await openGatePasses(project, { ...planned, noCache: request.noCache });
  if (passes.problem !== undefined) run.warn(passes.problem);
  const workers = await openWorkers(run);
  const options: RunGatesOptions = {
    maxParallel: Math.min(project.settings.maxParallel, request.ahead?.maxParallel ?? Infinity),
    context: { ...gateContext(run), runRemotely: workers?.runRemotely },
    kinds: stages,
    onEvent: tell,
    beforeStart: () => watch.beforeStart(),
    reuse: request.noCache ? undefined : passes.reuse,
  };
  return { passes, options };
}

function gateContext({ project, request, planned, groups, tell }: ActiveRun): GateContext {
  const { settings, env, query } = project;
  return {
    root: settings.root,
    logDir: settings.logDir,
    runNumber: planned.runNumber,
    runId: planned.runId,
    baseBranch: query.base ?? query.baseBranch,
    env: withoutOwnCredentials(env), // a plain copy: each gate copies it again, and that is quick
    review: {
      changes: planned.detected.changes,
      rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
      attempts: planned.retries.attempts,
      onProgress: (gate, text) => tell({ kind: "gate-progressed", planned: gate, text }),
    },
    onGroup: (pid, since) => groups.record(pid, since),
    isGate: (pid) => groups.has(pid),
    onOutput: request.onOutput,
    traceparentOf: request.traceparentOf,
  };
}

async function openWorkers({ project, planned, tell, held }: ActiveRun) {
  const { settings, env, query } = project;
  const workers = settings.remote?.workers;
  const isAsked = planned.plan.gates.some(({ gate }) => gate.kind === "check" && gate.runOn !== undefined);
  if (workers === undefined || !isAsked) return undefined;
  void planned.snapshot.writeTree(); // it is pushed under its name
  const { RemoteGates: Remote } = await stages.remote();
  const baseBranch = query.base ?? query.baseBranch;
  const { snapshot } = planned;
  const gates = new Remote({ workers, root: settings.root, env, snapshot, baseBranch, onEvent: tell });
  held.push(gates);
  return gates;
}

/** A fix is the only thing that edits the work tree, and only where a check says how: not for CI, not while the agent plans or goes on working. */
function mayFix({ project, request, planned }: ActiveRun): boolean {
  const isAsked = planned.plan.gates.some(({ gate }) => gate.kind === "check" && gate.fix !== undefined);
  if (!isAsked || request.noFix || request.staged || request.logDir !== undefined || project.ci) return false;
  if (request.event === undefined) return true;
  return request.event.permissionMode !== "plan" && !project.settings.stopHook.background;
}

/** Works out the fingerprint of the tree while the gates run; what concludes the run needs it. */
async function fingerprintMeanwhile(snapshot: Snapshot): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve)); // gates start first
  await snapshot.fingerprint();
  snapshot.sizes();
}

function compareWhenRed(run: ActiveRun, context: GateContext): RunGatesOptions["settle"] {
  const comparer = once(async () => {
    const { project, request, planned, tell: onEvent } = run;
    const { Comparer: Made } = await stages.baseline();
    const made = new Made({ project, request, planned, context, onEvent });
    run.held.push(made); // the earlier tree is removed when the run ends
    return made;
  });
  return async ({ gate, ...planned }, outcome) => {
    if (gate.kind !== "check" || !isComparable(outcome) || !mayBeExcused(gate, run)) return outcome;
    return (await comparer()).settle({ ...planned, gate }, outcome);
  };
}

function mayBeExcused({ onlyNew }: CheckGate, { project, request }: ActiveRun): boolean {
  if (request.onlyNew === false) return false;
  return (request.onlyNew ?? onlyNew) || hasBaseline(project);
}

export function hasBaseline({ settings }: Project): boolean {
  return kindOf(`${settings.root}/.gauntlet/baseline.json`) === "file";
}
