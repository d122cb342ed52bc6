import packageJson from "../../package.json" with { type: "json" };
import { fileMatcher, isException, mayMatchBelow } from "../config/entry-point.ts";
import { type PlannedGate, takesFiles } from "../gates/gate.ts";
import { sha256 } from "#runtime";

/** What a pass of a gate rests on, as far as the gate itself says it. */
export type KeyedGate = Pick<PlannedGate, "gate" | "workingDirectory"> & {
  readonly files: readonly { readonly path: string }[];
};

/** Everything but the gate that decides its result, where any file may. */
interface WholeTree {
  readonly tree: string | undefined;
  /** What the tree does not tell: the hash of files of which git keeps something else; undefined where that is unknown. */
  readonly bytes: string | undefined;
  /** Where the project is in the repository. */
  readonly project: string | undefined;
  readonly baseBranch: string;
}

/** The key of a pass for exactly these files; undefined where they are not known. */
export function treeKey(
  { gate, workingDirectory, files }: KeyedGate,
  { tree, bytes, project, baseBranch }: WholeTree,
): string | undefined {
  if (tree === undefined || bytes === undefined) return undefined;
  const named = takesFiles(gate) ? files.map(({ path }) => path) : [];
  return keyOf({ gate, workingDirectory, named, tree, bytes, project, baseBranch });
}

/**
 * The key of a pass for these inputs: everything the result depends on; undefined for a gate that does not name its inputs, or
 * names none that exist: a mistyped glob must not keep a pass valid indefinitely.
 */
export function inputsKey(
  { gate, workingDirectory, files }: KeyedGate,
  around: { readonly contents: ReadonlyMap<string, string>; readonly baseBranch: string },
): string | undefined {
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
  return keyOf({ gate, workingDirectory, baseBranch: around.baseBranch, named, contents });
}

function keyOf(inputs: unknown): string {
  return sha256(JSON.stringify([packageJson.version, inputs]));
}

/** As git's index lists it: a mode, then the commit that is checked out. */
function isRepository(content: string): boolean {
  return content.startsWith("160000 ");
}
