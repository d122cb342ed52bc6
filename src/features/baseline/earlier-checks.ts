import { join } from "node:path";
import { sha256 } from "#runtime";
import packageJson from "../../../package.json" with { type: "json" };
import { takesFiles } from "../../gates/gate.ts";
import type { PlannedCheck } from "../../gates/gate-context.ts";
import type { GateOutcome } from "../../gates/outcome.ts";
import type { ProjectPath } from "../../path.ts";
import type { EarlierTree } from "../../run/earlier-tree.ts";
import type { Project } from "../../run/open.ts";
import { inWords, ScratchChecks, type ScratchOptions } from "../../run/scratch-checks.ts";
import { isFile, whyNotEnterable } from "../../system/files/files.ts";
import { environmentHash } from "../../system/process/environment-hash.ts";
import { type Findings, isBroken } from "./compare-findings.ts";
import { findingsInScratchTree } from "./findings.ts";
import { readFound, writeFound } from "./store.ts";

export type EarlierFindings =
  | { readonly findings: Findings; readonly logPath?: ProjectPath }
  | { readonly why: string; readonly logPath?: ProjectPath };

interface EarlierOptions extends Omit<ScratchOptions, "log" | "signal"> {
  readonly tree: EarlierTree;
}

/** Runs a check that has failed on the earlier tree, once, in a checkout that is removed at the end of the run. */
export class EarlierChecks implements AsyncDisposable {
  readonly #options: EarlierOptions;
  readonly #scratch: ScratchChecks;

  constructor(options: EarlierOptions) {
    this.#options = options;
    this.#scratch = new ScratchChecks({ ...options, log: "baseline", signal: options.project.signal });
  }

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
    const place = await this.#scratch.place();
    if (typeof place === "string") return { why: place };
    const files = filesBefore(planned, place.scratchRoot);
    const isNewPlace = whyNotEnterable(join(place.scratchRoot, planned.workingDirectory)) !== undefined;
    if (isNewPlace || (takesFiles(planned.gate) && files.length === 0)) return { findings: NOTHING };
    const obstacle = await this.#scratch.obstacle();
    if (obstacle !== undefined) return { why: obstacle };
    const outcome = await this.#scratch.run({ ...planned, files }, place);
    return earlierFindingsOf(outcome, await findingsInScratchTree(outcome, place));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scratch[Symbol.asyncDispose]();
  }
}

const NOTHING: Findings = { problems: [], isAllRead: true, unread: [] };

function keyOf(planned: PlannedCheck, project: Project, { tree }: EarlierTree): string {
  const { gate, id, workingDirectory, files } = planned;
  const { command, env, shell, parser, report } = gate;
  const setup = project.settings.baselineSetup;
  const names = takesFiles(gate) ? files.map(({ path, from }) => [path, from]) : [];
  const check = { id, command, env, shell, parser, report, workingDirectory, names, setup };
  return sha256(JSON.stringify([packageJson.version, tree, environmentHash(project.env), check]));
}

function filesBefore({ files }: PlannedCheck, root: string): PlannedCheck["files"] {
  return files
    .map((file) => (file.from === undefined ? file : { ...file, path: file.from }))
    .filter(({ path }) => isFile(join(root, path)));
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
