import { join } from "node:path";
import type { GateText } from "../feedback/digest.ts";
import { runCheck } from "../gates/check.ts";
import type { CheckGate } from "../gates/gate.ts";
import type { GateContext, PlannedCheck } from "../gates/gate-context.ts";
import { describeOutcome, type GateOutcome } from "../gates/outcome.ts";
import { absolutePath, projectPath } from "../path.ts";
import { isFile } from "../system/files/files.ts";
import { MISLEADING } from "../system/git/git.ts";
import type { Repository } from "../system/git/repository.ts";
import { makeScratchTree, type ScratchTree, type StoredTree } from "../system/git/scratch-tree.ts";
import { readLogFile } from "../system/logs/log-dir.ts";
import { explain } from "../trouble.ts";
import type { Project } from "./open.ts";
import { gateText } from "./read-outcome.ts";

export interface ScratchOptions {
  readonly project: Project;
  readonly repository: Repository;
  readonly tree: StoredTree;
  readonly context: GateContext;
  /** What the logs there are named for. */
  readonly log: "baseline" | "original-tests" | "unproven-tests";
  readonly signal: AbortSignal;
}

export interface ScratchPlace {
  /** The top of the project's repository, and of the tree the check ran in. */
  readonly top: string;
  readonly scratchTop: string;
  readonly root: string;
  readonly scratchRoot: string;
}

/** Runs checks on another tree, in a checkout outside of the project that is removed when disposed of. */
export class ScratchChecks implements AsyncDisposable {
  readonly #options: ScratchOptions;
  #made: Promise<ScratchTree | string> | undefined;
  #prepared: Promise<string | undefined> | undefined;

  constructor(options: ScratchOptions) {
    this.#options = options;
  }

  /** The checkout, without what its checks need; or why there is none. */
  async place(): Promise<ScratchPlace | string> {
    this.#made ??= this.#make();
    const made = await this.#made;
    return typeof made === "string" ? made : this.#placeOf(made);
  }

  /** Why checks cannot run there, if they cannot. */
  async obstacle(): Promise<string | undefined> {
    this.#made ??= this.#make();
    const made = await this.#made;
    if (typeof made === "string") return made;
    this.#prepared ??= this.#prepare(made);
    return this.#prepared;
  }

  /** After `obstacle` found none. */
  run(planned: PlannedCheck, place: ScratchPlace): Promise<GateOutcome> {
    const { context, project, log, signal } = this.#options;
    const env = Object.fromEntries(
      Object.entries(context.env)
        .filter(([name]) => !MISLEADING.includes(name))
        .map(([name, value]) => [name, STAYS.test(name) ? value : moved(value, place)]),
    );
    const { review: _review, runRemotely: _runRemotely, ...rest } = context; // workers have this run's tree, not the other one
    const root = absolutePath(place.scratchRoot);
    const there = { ...rest, root, logRoot: project.settings.root, env };
    return runCheck(inScratchTree(planned, place, log), there, signal);
  }

  async #make(): Promise<ScratchTree | string> {
    const { repository, tree, signal } = this.#options;
    const made = await makeScratchTree(repository, tree, signal);
    return made.ok ? made.value : `it cannot be checked out: ${explain(made.trouble)}`;
  }

  /** Installs what could not be copied; says why, if that is not possible. */
  async #prepare(tree: ScratchTree): Promise<string | undefined> {
    const { settings } = this.#options.project;
    if (tree.missing === undefined) return undefined;
    const command = settings.baselineSetup;
    if (command === undefined)
      return `${tree.missing} (\`baseline.setup\` in .gauntlet/config.yml can install them)`;
    const outcome = await this.run(setupCheck(command), this.#placeOf(tree));
    if (outcome.kind === "passed") return undefined;
    return `\`${command}\` ${inWords(outcome)} (${outcome.logPath ?? "no log"})`;
  }

  #placeOf({ top: scratchTop }: ScratchTree): ScratchPlace {
    const { project, repository } = this.#options;
    const { top, prefix } = repository.places;
    return { top, scratchTop, root: project.settings.root, scratchRoot: join(scratchTop, prefix) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const tree = await this.#made;
    if (tree !== undefined && typeof tree !== "string") await tree[Symbol.asyncDispose]();
  }
}

/** The user's own directories, even if they are inside the project. */
const STAYS = /^(?:HOME|USERPROFILE|XDG_.*|TMPDIR|TEMP|TMP)$/;

/** The project's own path in a command or variable would make the check read the project. */
function inScratchTree(planned: PlannedCheck, place: ScratchPlace, log: ScratchOptions["log"]): PlannedCheck {
  const { gate } = planned;
  const env = Object.fromEntries(
    Object.entries(gate.env).map(([name, value]) => [name, moved(value, place)]),
  );
  const id = planned.id.replace(/^check:/, `${log}:`);
  return { ...planned, id, gate: { ...gate, command: moved(gate.command, place), env } };
}

function moved<T extends string | undefined>(text: T, { top, scratchTop }: ScratchPlace): T {
  return text?.replaceAll(top, scratchTop) as T; // undefined stays undefined
}

/**
 * What a check printed there, with paths as in the project. Undefined if its output names files of the project: then it read those.
 */
export async function textFromScratch(
  outcome: GateOutcome,
  place: ScratchPlace,
): Promise<GateText | undefined> {
  const { root, scratchRoot } = place;
  const log = outcome.logPath === undefined ? "" : await readLogFile(join(root, outcome.logPath));
  const report =
    outcome.report === undefined ? undefined : await readLogFile(join(scratchRoot, outcome.report));
  if (namesProject(log, place) || namesProject(report ?? "", place)) return undefined;
  const { report: _report, ...rest } = outcome;
  const gate = await gateText(rest, root);
  return {
    ...gate,
    text: inProject(log, place),
    isFile: (path: string) => isFile(join(scratchRoot, path)),
    report: report === undefined ? undefined : inProject(report, place),
  };
}

function namesProject(text: string, { top }: ScratchPlace): boolean {
  for (let at = text.indexOf(top); at !== -1; at = text.indexOf(top, at + 1))
    if (!/[\w.-]/.test(text.charAt(at + top.length))) return true;
  return false;
}

function inProject(text: string, { top, scratchTop }: ScratchPlace): string {
  return text.replaceAll(`file://${scratchTop}`, `file://${encodeURI(top)}`).replaceAll(scratchTop, top);
}

export function inWords(outcome: GateOutcome): string {
  return outcome.kind === "cancelled" ? `was ${describeOutcome(outcome)}` : describeOutcome(outcome);
}

const SETUP_TIMEOUT_MS = 600_000;

function setupCheck(command: string): PlannedCheck {
  const gate: CheckGate = {
    kind: "check",
    name: "setup",
    command,
    env: {},
    parallel: false,
    failFast: false,
    timeoutMs: SETUP_TIMEOUT_MS,
    warnOnly: false,
    runInCi: true,
    runLocally: true,
  };
  const scope = projectPath(".");
  return { id: "check:.:setup", gate, scope, workingDirectory: scope, files: [], reason: "" };
}
