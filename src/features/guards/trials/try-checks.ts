import { sha256 } from "#runtime";
import packageJson from "../../../../package.json" with { type: "json" };
import { hasUnread } from "../../../feedback/digest.ts";
import { findProblems, orderProblems } from "../../../feedback/find-problems.ts";
import { fingerprint, type Problem } from "../../../feedback/problem.ts";
import { takesFiles } from "../../../gates/gate.ts";
import type { PlannedCheck } from "../../../gates/gate-context.ts";
import { type GateOutcome, isMissing } from "../../../gates/outcome.ts";
import { inWords, ScratchChecks, type ScratchOptions, textFromScratch } from "../../../run/scratch-checks.ts";
import { isFile } from "../../../system/files/files.ts";
import { environmentHash } from "../../../system/process/environment-hash.ts";
import { join } from "node:path";
import { readTrial, writeTrial } from "./trial-store.ts";

export type TrialResult =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly problems: readonly TrialProblem[]; readonly isAllRead: boolean };

export interface TrialProblem extends Pick<Problem, "file" | "line" | "test" | "message" | "severity"> {
  readonly key: string;
  /** It could not be built or loaded: it has not found anything wrong. */
  readonly isBuild: boolean;
}

/** Runs checks on another tree, each once: a result is kept for as long as tree, check and environment are the same. */
export class Trials implements AsyncDisposable {
  readonly #options: ScratchOptions;
  readonly #checks: ScratchChecks;

  constructor(options: ScratchOptions) {
    this.#options = options;
    this.#checks = new ScratchChecks(options);
  }

  /** Or why there is none. */
  async result(planned: PlannedCheck): Promise<TrialResult | string> {
    const { stateDir } = this.#options.project;
    const key = keyOf(planned, this.#options);
    const known = readTrial(stateDir, key);
    if (known !== undefined) return known;
    const found = await this.#run(planned);
    if (typeof found !== "string") writeTrial(stateDir, key, found);
    return found;
  }

  async #run(planned: PlannedCheck): Promise<TrialResult | string> {
    const obstacle = await this.#checks.obstacle();
    if (obstacle !== undefined) return obstacle;
    const place = await this.#checks.place();
    if (typeof place === "string") return place;
    const files = planned.files.filter(({ path }) => isFile(join(place.scratchRoot, path)));
    if (takesFiles(planned.gate) && files.length === 0) return { kind: "passed" };
    const outcome = await this.#checks.run({ ...planned, files }, place);
    const text = await textFromScratch(outcome, place);
    if (text === undefined) return "its output names files of the project itself";
    if (outcome.kind === "passed") return { kind: "passed" };
    if (!isAnswer(outcome)) return `there it ${inWords(outcome)}`;
    const found = findProblems(text);
    const problems = orderProblems(found.problems);
    const isUnbuilt = NOT_BUILT.test(text.text) && !/\bassert/i.test(text.text);
    const builds = new Set(
      found.problems.flatMap(({ kind, problem }) => (kind === "build" ? [problem] : [])),
    );
    return {
      kind: "failed",
      isAllRead: found.unread === 0 && !hasUnread({ found, problems }, found.log.counts()),
      problems: problems.map((problem) => ({
        file: problem.file,
        line: problem.line,
        test: problem.test,
        message: problem.message,
        severity: problem.severity,
        key: fingerprint(problem),
        isBuild: builds.has(problem) || isAboutBuilding(problem) || (isUnbuilt && problem.test === undefined),
      })),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#checks[Symbol.asyncDispose]();
  }
}

function keyOf(
  { gate, id, workingDirectory, files }: PlannedCheck,
  { project, tree }: ScratchOptions,
): string {
  const { command, env, shell, parser, report } = gate;
  const names = takesFiles(gate) ? files.map(({ path }) => path) : [];
  const setup = project.settings.baselineSetup;
  const check = { id, command, env, shell, parser, report, workingDirectory, names, setup };
  return sha256(JSON.stringify([packageJson.version, tree.tree, environmentHash(project.env), check]));
}

/** A shell exits with 126 or 127 if a command could not be run at all. */
function isAnswer(outcome: GateOutcome): boolean {
  return outcome.kind === "failed" && !isMissing(outcome) && !/^exit code 12[67]\b/.test(outcome.detail);
}

function isAboutBuilding({ message, excerpt = "" }: Problem): boolean {
  return NOT_BUILT.test(message) || NOT_BUILT.test(excerpt);
}

/** How languages say that a name, a module or a signature is not what a caller expects. */
const NOT_BUILT =
  /Cannot find (?:module|package|name)|does not provide an export|is not exported|Module not found|MODULE_NOT_FOUND|\bSyntaxError\b|is not a (?:function|constructor)\b|is not defined\b|\b(?:Import|ModuleNotFound|Name|Attribute|Load)Error\b|cannot import name|has no attribute|unexpected keyword argument|missing \d+ required (?:positional|keyword)|takes \d+ positional|undefined: |undefined (?:local variable|method)|uninitialized constant|wrong number of arguments|cannot find (?:function|type|value|struct|symbol|macro|crate)|unresolved import|no (?:method|function|field|variant|associated item)\b.* (?:named|found)|\berror\[E\d+\]|has no member|Property '.*' does not exist|Failed to (?:resolve import|load)|(?:not enough|too many) arguments in call|Call to undefined|Class ".*" not found|build failed|\bTS\d{4}\b/;
