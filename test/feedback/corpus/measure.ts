import { digestGates, readGate } from "../../../src/feedback/digest.ts";
import type { Failure, Recording } from "./read-corpus.ts";
import { scoreDigest, scoreExcerpt } from "./score.ts";

export { readCorpus } from "./read-corpus.ts";

const BUDGET = 9000;

/** What the digest of one recording is worth, beside the excerpts other tools send. */
export interface Measure {
  readonly name: string;
  readonly logChars: number;
  readonly digestChars: number;
  readonly failures: number;
  readonly of: number;
  readonly digest: number;
  readonly tailLines: number;
  readonly headChars: number;
  readonly tailChars: number;
  readonly missed: readonly Failure[];
  /** Problems the parsers report: on a clean run there must be none. */
  readonly reported: number;
}

export function measure(recording: Recording): Measure {
  const { problems, draft } = readGate(gateOf(recording));
  const [digest = ""] = digestGates([draft()], BUDGET);
  const { named, of, missed } = scoreDigest(digest, recording);
  const { text } = recording;
  return {
    name: recording.name,
    logChars: text.length,
    digestChars: digest.length,
    failures: recording.failures.length,
    of,
    digest: named,
    tailLines: scoreExcerpt(text.trimEnd().split("\n").slice(-50).join("\n"), recording).named,
    headChars: scoreExcerpt(text.slice(0, BUDGET), recording).named,
    tailChars: scoreExcerpt(text.slice(-BUDGET), recording).named,
    missed,
    reported: problems.length,
  };
}

function gateOf({ name, text }: Recording) {
  return {
    id: `check:.:${name}`,
    name,
    text,
    logPath: `gauntlet_logs/${name}.log`,
    projectRoot: "/tmp/project",
  };
}

/**
 * The digest itself, to look at and to time.
 * @public used by bench/feedback.mjs
 */
export function digestOf(recording: Recording): string {
  return readGate(gateOf(recording)).draft()(BUDGET);
}
