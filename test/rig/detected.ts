import type { GauntletProject, RunOptions } from "./gauntlet-project.ts";

/** What `detect --json` tells, short enough to compare in one line. */
export interface Detected {
  readonly comparedTo: string;
  readonly baseCommit: string | null;
  /** `modified src/a.ts`, `renamed a → b`, sorted. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  readonly gates: readonly string[];
}

interface DetectJson {
  readonly changes: {
    readonly comparedTo: string;
    readonly baseCommit: string | null;
    readonly files: readonly {
      readonly path: string;
      readonly change: string;
      readonly from: string | null;
    }[];
    readonly notes: readonly string[];
  };
  readonly gates: readonly { readonly id: string }[];
}

/** Asks the built CLI what changed. */
export async function detect(
  project: GauntletProject,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Detected> {
  const done = await project.gauntlet(["detect", "--json", ...args], options);
  if (done.exitCode !== 0) throw new Error(`detect: ${done.stderr}`);
  const { changes, gates } = JSON.parse(done.stdout) as DetectJson; // what detect prints; its own test holds it to the schema
  const files = changes.files.map(
    ({ path, change, from }) => `${change} ${from === null ? path : `${from} → ${path}`}`,
  );
  return { ...changes, files: files.toSorted(), gates: gates.map(({ id }) => id) };
}

/** Only what changed. */
export async function detectFiles(...asked: Parameters<typeof detect>): Promise<readonly string[]> {
  return (await detect(...asked)).files;
}
