import { mayMatchBelow } from "./entry-point.ts";
import { fileMatcher, isException } from "./file-patterns.ts";
import { type PlannedGate, takesFiles } from "./plan.ts";

/** A check that passed, and for exactly which inputs. */
export interface GatePass {
  /** The hash of everything that decided the result. */
  readonly key: string;
  readonly runNumber: number;
}

/** The passes that are known of each gate, the latest first. */
export type KnownPasses = Readonly<Record<string, readonly GatePass[]>>;

/** Going back to an earlier state is common, going back far is not. */
const KEPT_PASSES = 10;

/**
 * Everything that decides what a check comes to, as one value; undefined for a gate that does not name its inputs, or
 * names none that exist: a mistyped glob must not hold a pass for ever.
 */
export function inputsOf(
  { gate, workingDirectory, files }: PlannedGate,
  around: { readonly contents: ReadonlyMap<string, string>; readonly baseBranch: string },
): unknown {
  if (gate.kind !== "check" || gate.inputs === undefined) return undefined;
  const isInput = fileMatcher(gate.inputs);
  const mayHoldInput = (path: string): boolean =>
    gate.inputs?.some((glob) => !isException(glob) && (!glob.includes("/") || mayMatchBelow(glob, path))) ??
    false;
  const contents = [...around.contents].filter(
    ([path, content]) => isInput(path) || (isRepository(content) && mayHoldInput(path)),
  );
  if (contents.length === 0) return undefined;
  const named = takesFiles(gate) ? files.map(({ path }) => path) : [];
  return { gate, workingDirectory, baseBranch: around.baseBranch, named, contents };
}

/** As git's index lists it: a mode, then the commit that is checked out. */
function isRepository(content: string): boolean {
  return content.startsWith("160000 ");
}

/** The globs of a gate that no file matches: most likely mistyped. */
export function idleInputs({ gate }: PlannedGate, paths: Iterable<string>): readonly string[] {
  const all = [...paths];
  const globs = gate.kind === "check" ? (gate.inputs ?? []) : [];
  return globs.filter((glob) => !isException(glob) && !all.some(fileMatcher([glob])));
}

export function withPass(known: KnownPasses, id: string, pass: GatePass): KnownPasses {
  const others = (known[id] ?? []).filter(({ key }) => key !== pass.key);
  return { ...known, [id]: [pass, ...others].slice(0, KEPT_PASSES) };
}

/** What is known about a gate and its inputs as they are now, for people. */
export function explainPass(passes: readonly GatePass[], key: string | undefined): string {
  if (key === undefined) return "its inputs cannot be told: it runs every time";
  const pass = passes.find((one) => one.key === key);
  if (pass !== undefined) return `it passed with the same inputs in run ${pass.runNumber}`;
  const [last] = passes;
  return last === undefined
    ? "it has not passed with these inputs before"
    : `its inputs or its definition changed since run ${last.runNumber}`;
}
