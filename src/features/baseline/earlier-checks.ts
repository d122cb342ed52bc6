import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { type Findings, isBroken } from "./compare-findings.ts";
import { type CheckGate, takesFiles } from "../../gates/gate.ts";
import { describeOutcome, type GateOutcome } from "../../gates/outcome.ts";
import { absolutePath, type ProjectPath, projectPath } from "../../path.ts";
import { explain } from "../../trouble.ts";
import { runCheck } from "../../gates/check.ts";
import type { GateContext, PlannedCheck } from "../../gates/gate-context.ts";
import { readFound, writeFound } from "./store.ts";
import { makeScratchTree, type ScratchTree } from "./scratch-tree.ts";
import { isFile, whyNotEnterable } from "../../system/files/files.ts";
import { MISLEADING } from "../../system/git/git.ts";
import { environmentHash } from "../../system/process/environment-hash.ts";
import type { Repository } from "../../system/git/repository.ts";
import { sha256 } from "#runtime";
import type { Project } from "../../run/open.ts";
import { type ScratchPlace, findingsInScratchTree } from "./findings.ts";
import type { EarlierTree } from "./find-earlier-tree.ts";

/** What a check found on the earlier tree, or why that is unknown. */
export type EarlierFindings =
  | { readonly findings: Findings; readonly logPath?: ProjectPath }
  | { readonly why: string; readonly logPath?: ProjectPath };

interface EarlierOptions {
  readonly project: Project;
  readonly repository: Repository;
  readonly tree: EarlierTree;
  readonly context: GateContext;
}

/** Runs a check that has failed on the earlier tree, once, in a checkout that is removed at the end of the run. */
export class EarlierChecks implements AsyncDisposable {
  readonly #options: EarlierOptions;
  #made: Promise<ScratchTree | string> | undefined;
  #prepared: Promise<string | undefined> | undefined;

  constructor(options: EarlierOptions) {
    this.#options = options;
  }

  /** From an earlier run of the same check on the same tree, or else found out now: that takes as long as the check. */
  async found(planned: PlannedCheck): Promise<EarlierFindings> {
    const { project, tree } = this.#options;
    const { root } = project.settings;
    const key = keyOf(planned, project, tree);
    const known = readFound(root, project.env, key);
    if (known !== undefined) return { findings: known };
    const found = await this.#run(planned);
    if ("findings" in found) writeFound(root, project.env, key, found.findings);
    return found;
  }

  async #run(planned: PlannedCheck): Promise<EarlierFindings> {
    this.#made ??= this.#make();
    const tree = await this.#made;
    if (typeof tree === "string") return { why: tree };
    const place = this.#placeOf(tree);
    const files = filesBefore(planned, place.scratchRoot);
    const isNewPlace = whyNotEnterable(join(place.scratchRoot, planned.workingDirectory)) !== undefined;
    if (isNewPlace || (takesFiles(planned.gate) && files.length === 0)) return { findings: NOTHING };
    this.#prepared ??= this.#prepare(tree);
    const obstacle = await this.#prepared;
    if (obstacle !== undefined) return { why: obstacle };
    const outcome = await this.#runAt({ ...planned, files }, place);
    return earlierFindingsOf(outcome, await findingsInScratchTree(outcome, place));
  }

  async #make(): Promise<ScratchTree | string> {
    const { project, repository, tree } = this.#options;
    const made = await makeScratchTree(repository, tree, project.signal);
    return made.ok ? made.value : `it cannot be checked out: ${explain(made.trouble)}`;
  }

  /** Installs what could not be copied; says why, if that is not possible. */
  async #prepare(tree: ScratchTree): Promise<string | undefined> {
    const { settings } = this.#options.project;
    if (tree.missing === undefined) return undefined;
    const command = settings.baselineSetup;
    if (command === undefined)
      return `${tree.missing} (\`baseline.setup\` in .gauntlet/config.yml can install them)`;
    const outcome = await this.#runAt(setupCheck(command), this.#placeOf(tree));
    if (outcome.kind === "passed") return undefined;
    return `\`${command}\` ${inWords(outcome)} (${outcome.logPath ?? "no log"})`;
  }

  #runAt(planned: PlannedCheck, place: ScratchPlace): Promise<GateOutcome> {
    const { context, project } = this.#options;
    const env = Object.fromEntries(
      Object.entries(context.env)
        .filter(([name]) => !MISLEADING.includes(name))
        .map(([name, value]) => [name, STAYS.test(name) ? value : moved(value, place)]),
    );
    const { review: _review, runRemotely: _runRemotely, ...rest } = context; // workers have this run's tree, not the earlier one
    const there = { ...rest, root: absolutePath(place.scratchRoot), logRoot: context.root, env };
    return runCheck(inScratchTree(planned, place), there, project.signal);
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

const NOTHING: Findings = { problems: [], isAllRead: true, unread: [] };

/** The user's own directories, even if they are inside the project. */
const STAYS = /^(?:HOME|USERPROFILE|XDG_.*|TMPDIR|TEMP|TMP)$/;

function keyOf(planned: PlannedCheck, project: Project, { tree }: EarlierTree): string {
  const { gate, id, workingDirectory, files } = planned;
  const { command, env, shell, parser, report } = gate;
  const setup = project.settings.baselineSetup;
  const names = takesFiles(gate) ? files.map(({ path, from }) => [path, from]) : [];
  const check = { id, command, env, shell, parser, report, workingDirectory, names, setup };
  return sha256(JSON.stringify([packageJson.version, tree, environmentHash(project.env), check]));
}

/** The files a check is given, by their earlier names, without new ones. */
function filesBefore({ files }: PlannedCheck, root: string): PlannedCheck["files"] {
  return files
    .map((file) => (file.from === undefined ? file : { ...file, path: file.from }))
    .filter(({ path }) => isFile(join(root, path)));
}

/** The project's own path in a command or variable would make the check read the project. */
function inScratchTree(planned: PlannedCheck, place: ScratchPlace): PlannedCheck {
  const { gate } = planned;
  const env = Object.fromEntries(
    Object.entries(gate.env).map(([name, value]) => [name, moved(value, place)]),
  );
  const id = planned.id.replace(/^check:/, "baseline:");
  return { ...planned, id, gate: { ...gate, command: moved(gate.command, place), env } };
}

function moved<T extends string | undefined>(text: T, { top, scratchTop }: ScratchPlace): T {
  return text?.replaceAll(top, scratchTop) as T; // undefined stays undefined
}

function earlierFindingsOf(outcome: GateOutcome, findings: Findings | undefined): EarlierFindings {
  const log = { logPath: outcome.logPath };
  const isAnswer = outcome.kind === "passed" || (outcome.kind === "failed" && outcome.missing === undefined);
  if (outcome.kind === "failed" && isBroken(outcome.detail))
    return { why: `on the earlier files, checked out elsewhere, it ${inWords(outcome)}; ${FIND_IT}`, ...log };
  if (!isAnswer) return { why: `there it ${inWords(outcome)}`, ...log };
  if (findings === undefined) return { why: "there it looked at files of the project itself", ...log };
  return { findings, ...log };
}

const FIND_IT = "name its program by a full path, or have `baseline.setup` install it";

function inWords(outcome: GateOutcome): string {
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
