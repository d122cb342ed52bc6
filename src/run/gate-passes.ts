import type { GateOutcome } from "../gates/outcome.ts";
import type { Plan } from "./plan.ts";
import type { PlannedGate } from "../gates/gate.ts";
import type { RunEvent, RunRequest } from "./request.ts";
import { inputsKey, treeKey } from "./pass-key.ts";
import { Git } from "../system/git/git.ts";
import { findPlaces } from "../system/git/places.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { treeIdOf } from "../system/git/tree-id.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import { readCacheFile, writeCacheFile } from "../system/state/user-cache.ts";
import { gateKeys } from "./bind-pass.ts";
import { trustedEnvironments } from "../ledger/trusted-environments.ts";
import type { Project } from "./open.ts";
import { type SharedPasses, stages } from "./stages.ts";
import { fileMatcher, isException } from "../config/entry-point.ts";

export interface GatePasses {
  /** Why a gate need not run again; undefined when it must. */
  readonly reuse: (planned: PlannedGate) => string | undefined;
  /** Why a gate is run or not, where it names its inputs. */
  readonly explain: (planned: PlannedGate) => string | undefined;
  readonly hasNews: (outcomes: readonly GateOutcome[]) => boolean;
  /** Keeps the passes of a run; warns of what went wrong. */
  readonly remember: (outcomes: readonly GateOutcome[], run: Remembering) => Promise<void>;
  readonly problem: string | undefined;
}

interface Remembering {
  readonly runNumber: number;
  readonly isUser: RunRequest["isUser"];
  readonly onEvent: (event: RunEvent) => void;
}

interface LookUp {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** Passes are only kept, and none is looked up. */
  readonly noCache?: boolean | undefined;
  /** Passes of this machine do not count: they are not signed. */
  readonly onlyShared?: boolean | undefined;
}

/** Kept in the user's cache: a project that could write it could fake passes. */
const FOLDER = "passes";

/** Looks the gates up that name their inputs and, where passes are shared between machines, the other checks too. */
export async function openGatePasses(project: Project, asked: LookUp): Promise<GatePasses> {
  const { plan, snapshot } = asked;
  const cached = plan.gates.filter(({ gate }) => gate.kind === "check" && gate.inputs !== undefined);
  const contents = cached.length === 0 ? undefined : await snapshot.listFiles();
  const baseBranch = project.query.base ?? project.query.baseBranch;
  const around = contents && { contents, baseBranch };
  const contentKeys = new Map(cached.map((planned) => [planned.id, around && inputsKey(planned, around)]));
  const { env, settings } = project;
  const keyHere = gateKeys({ root: settings.root, env });
  const keys = new Map(cached.map((planned) => [planned.id, keyHere(contentKeys.get(planned.id), planned)]));
  const known = cached.length === 0 || asked.onlyShared ? {} : readKnown(env, settings.root);
  const isKnown = (id: string): boolean => known[id]?.some(({ key }) => key === keys.get(id)) ?? false;
  const shared = await openShared(project, asked, { contentKeys, isKnown, baseBranch });
  const isNews = (outcome: GateOutcome): boolean =>
    isPlainPass(outcome) && keys.get(outcome.id) !== undefined;
  const explain = (id: string): string =>
    [shared?.find(id) ?? explainPass(known[id] ?? [], keys.get(id)), shared?.whyNot(id)]
      .filter(Boolean)
      .join("; ");
  return {
    reuse: ({ id }) => (isKnown(id) ? explainPass(known[id] ?? [], keys.get(id)) : shared?.find(id)),
    explain: (planned) => {
      if (!keys.has(planned.id)) return shared?.find(planned.id) ?? shared?.whyNot(planned.id);
      const idle = contents === undefined ? [] : idleInputs(planned, contents.keys());
      return [explain(planned.id), ...idle.map((glob) => `no file matches ${glob}`)].join("; ");
    },
    hasNews: (outcomes) => outcomes.some((one) => isNews(one) || (shared?.writes && isPlainPass(one))),
    remember: async (outcomes, { runNumber, isUser, onEvent }) => {
      let value = known;
      for (const { id } of outcomes.filter(isNews))
        value = withPass(value, id, { key: keys.get(id) ?? "", runNumber });
      if (cached.length > 0) writeCacheFile(env, { folder: FOLDER, name: settings.root, value });
      if (shared?.writes !== true) return;
      const plain = outcomes.filter(isPlainPass).map(({ id }) => id);
      const message = (await mayShare(project, isUser)) ? await shared.write(plain) : NOT_SHARED;
      if (message !== undefined) onEvent({ kind: "warned", message });
    },
    problem: shared?.problem,
  };
}

/** Others rely on it, as on what is attested. */
async function mayShare({ settings: { root }, env }: Project, isUser: Remembering["isUser"]) {
  return (await isUser?.()) === true || trustedEnvironments({ root, env }).has(environmentHash(env));
}

const NOT_SHARED =
  "passes are not shared: this is another environment than the ones that sessions here began in";

/** Ran once, here, and passed: nothing else speaks for its inputs. */
function isPlainPass(outcome: GateOutcome): boolean {
  return (
    outcome.kind === "passed" &&
    outcome.reused === undefined &&
    outcome.warning === undefined &&
    outcome.rests === undefined
  );
}

interface Keys {
  readonly contentKeys: ReadonlyMap<string, string | undefined>;
  readonly isKnown: (id: string) => boolean;
  readonly baseBranch: string;
}

/** A check that does not name its inputs may be decided by any file. */
async function openShared(
  { settings, env, ci }: Project,
  { plan, snapshot, noCache }: LookUp,
  { contentKeys, isKnown, baseBranch }: Keys,
): Promise<SharedPasses | undefined> {
  const cache = settings.remote?.cache;
  if (cache === undefined) return undefined;
  const tree = async (): Promise<string | undefined> => treeIdOf(await snapshot.fingerprint());
  const isWhole = plan.gates.some(({ id, gate }) => gate.kind === "check" && !contentKeys.has(id));
  const project = isWhole ? (await findPlaces(new Git(settings.root)))?.prefix : undefined;
  const [id, bytes] = isWhole ? await Promise.all([tree(), snapshot.bytesUnlikeGit()]) : [];
  const whole = { tree: id, bytes, project, baseBranch };
  const gates = plan.gates.flatMap((planned) => {
    const { id } = planned;
    const key = contentKeys.has(id) ? contentKeys.get(id) : treeKey(planned, whole);
    return key === undefined || planned.gate.kind !== "check" ? [] : [{ planned, key }];
  });
  const wanted = new Set(noCache ? [] : gates.map(({ planned }) => planned.id).filter((id) => !isKnown(id)));
  const { openSharedPasses } = await stages.remote();
  return openSharedPasses({ cache, root: settings.root, env, ci, tree, gates, wanted });
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

interface GatePass {
  readonly key: string;
  readonly runNumber: number;
}

type KnownPasses = Readonly<Record<string, readonly GatePass[]>>;

/** Going back to an earlier state is common, going back far is not. */
const KEPT_PASSES = 10;

/** The globs of a gate that no file matches: most likely mistyped. */
function idleInputs({ gate }: PlannedGate, paths: Iterable<string>): readonly string[] {
  const all = [...paths];
  const globs = gate.kind === "check" ? (gate.inputs ?? []) : [];
  return globs.filter((glob) => !isException(glob) && !all.some(fileMatcher([glob])));
}

function withPass(known: KnownPasses, id: string, pass: GatePass): KnownPasses {
  const others = (known[id] ?? []).filter(({ key }) => key !== pass.key);
  return { ...known, [id]: [pass, ...others].slice(0, KEPT_PASSES) };
}

function explainPass(passes: readonly GatePass[], key: string | undefined): string {
  if (key === undefined) return "its inputs cannot be determined, so it runs every time";
  const pass = passes.find((one) => one.key === key);
  if (pass !== undefined) return `it passed with the same inputs in run ${pass.runNumber}`;
  const [last] = passes;
  return last === undefined
    ? "it has not passed with these inputs before"
    : `its inputs or its definition changed since run ${last.runNumber}, or its environment, or a program of its command`;
}
