import packageJson from "../../package.json" with { type: "json" };
import { explainPass, idleInputs, inputsOf, type KnownPasses, withPass } from "../core/gate-pass.ts";
import type { GateOutcome } from "../core/outcome.ts";
import type { Plan, PlannedGate } from "../core/plan.ts";
import { sha256 } from "../machine/state/session-key.ts";
import type { Snapshot } from "../machine/git/snapshot.ts";
import { readCacheFile, writeCacheFile } from "../machine/state/user-cache.ts";
import type { Project } from "./project.ts";

/** What is known about earlier passes of the gates of a run, by their inputs as they are now. */
export interface GatePasses {
  /** Why a gate need not run again; undefined when it must. */
  readonly reuse: (planned: PlannedGate) => string | undefined;
  /** Why a gate is run or not, where it names its inputs. */
  readonly explain: (planned: PlannedGate) => string | undefined;
  /** Whether a gate that names its inputs has just passed. */
  readonly hasNews: (outcomes: readonly GateOutcome[]) => boolean;
  readonly remember: (outcomes: readonly GateOutcome[], runNumber: number) => void;
}

/** Kept in the person's own cache: a project that could write it could pretend that its gates had passed. */
const FOLDER = "passes";

/** Looks the gates up that name their inputs; the others always run. */
export async function openGatePasses(
  project: Project,
  { plan, snapshot }: { readonly plan: Plan; readonly snapshot: Snapshot },
): Promise<GatePasses> {
  const cached = plan.gates.filter(({ gate }) => gate.kind === "check" && gate.inputs !== undefined);
  const contents = cached.length === 0 ? undefined : await snapshot.listFiles();
  const around = contents && { contents, baseBranch: project.query.base ?? project.query.baseBranch };
  const keys = new Map(cached.map((planned) => [planned.id, around && keyOf(inputsOf(planned, around))]));
  const { env, settings } = project;
  const known = cached.length === 0 ? {} : readKnown(env, settings.root);
  const isNews = (outcome: GateOutcome): boolean =>
    outcome.kind === "passed" &&
    outcome.reused === undefined &&
    outcome.warning === undefined &&
    keys.get(outcome.id) !== undefined;
  const explain = ({ id }: PlannedGate): string => explainPass(known[id] ?? [], keys.get(id));
  return {
    reuse: (planned) =>
      known[planned.id]?.some(({ key }) => key === keys.get(planned.id)) ? explain(planned) : undefined,
    explain: (planned) => {
      if (!keys.has(planned.id)) return undefined;
      const idle = contents === undefined ? [] : idleInputs(planned, contents.keys());
      return [explain(planned), ...idle.map((glob) => `no file matches ${glob}`)].join("; ");
    },
    hasNews: (outcomes) => outcomes.some(isNews),
    remember: (outcomes, runNumber) => {
      let value = known;
      for (const { id } of outcomes.filter(isNews))
        value = withPass(value, id, { key: keys.get(id) ?? "", runNumber });
      writeCacheFile(env, { folder: FOLDER, name: settings.root, value });
    },
  };
}

function keyOf(inputs: unknown): string | undefined {
  return inputs === undefined ? undefined : sha256(JSON.stringify([packageJson.version, inputs]));
}

function readKnown(env: Project["env"], root: string): KnownPasses {
  const value = readCacheFile(env, FOLDER, root);
  return isKnownPasses(value) ? value : {};
}

function isKnownPasses(value: unknown): value is KnownPasses {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(
    (passes) =>
      Array.isArray(passes) &&
      passes.every((pass: unknown) => typeof pass === "object" && pass !== null && "key" in pass),
  );
}
