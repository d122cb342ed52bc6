import { digestGates, readGate } from "../../../src/feedback/digest.ts";
import { secretMasker } from "../../../src/system/logs/mask-secrets.ts";
import type { Problem } from "../../../src/feedback/problem.ts";
import type { Failure, Recording } from "./read-corpus.ts";
import { usefulShare } from "./padding.ts";
import { isInvented, scoreDigest, scoreExcerpt, scoreMessages } from "./score.ts";

export { readCorpus } from "./read-corpus.ts";

const BUDGET = 9000;

/** What the digest of one recording is worth, beside the excerpts other tools send. */
export interface Measure {
  readonly name: string;
  readonly logChars: number;
  readonly digestChars: number;
  readonly failures: number;
  readonly of: number;
  /** Named in the list of problems or in the log shown below it. */
  readonly digest: number;
  /** Named on one line, place and test together. */
  readonly onOneLine: number;
  /** Of the failures whose message is labelled, those that have it beside their name. */
  readonly messages: number;
  readonly messagesOf: number;
  /** Of the digest's characters but our own sentences, those that belong to a failure. */
  readonly useful: number;
  /** The tool's own count shows that all failures were read. */
  readonly isAllRead: boolean;
  readonly tailLines: number;
  readonly headChars: number;
  readonly tailChars: number;
  readonly missed: readonly Failure[];
  readonly claims: number;
  /** Claims that nothing of what really failed explains: on a clean run, all of them. */
  readonly invented: readonly Problem[];
}

export function measure(recording: Recording): Measure {
  const { problems, draft, isComplete } = readGate(gateOf(recording));
  const [digest = ""] = digestGates([draft()], BUDGET);
  const { named, of, missed } = scoreExcerpt(digest, recording);
  const { text } = recording;
  const said = scoreMessages(digest, recording);
  const share = usefulShare(digest);
  return {
    name: recording.name,
    logChars: text.length,
    digestChars: digest.length,
    failures: recording.failures.length,
    of,
    digest: named,
    onOneLine: scoreDigest(digest, recording).named,
    messages: said.named,
    messagesOf: said.of,
    useful: share.of === 0 ? 1 : share.useful / share.of,
    isAllRead: isComplete(),
    tailLines: scoreExcerpt(text.trimEnd().split("\n").slice(-50).join("\n"), recording).named,
    headChars: scoreExcerpt(text.slice(0, BUDGET), recording).named,
    tailChars: scoreExcerpt(text.slice(-BUDGET), recording).named,
    missed,
    claims: problems.length,
    invented: problems.filter((problem) => isInvented(problem, recording)),
  };
}

/** What failed stands for the files of the work tree that the recording was made in. */
function gateOf({ name, text, failures, files }: Recording) {
  const known = new Set([...files, ...(files.length > 0 ? [] : failures.map(({ file }) => file))]);
  return {
    id: `check:.:${name}`,
    name,
    text,
    logPath: `gauntlet_logs/${name}.log`,
    projectRoot: "/tmp/project",
    isFile: (path: string) => known.has(path),
  };
}

/**
 * The digest itself, to look at.
 * @public used by bench/feedback.mjs
 */
export function digestOf(recording: Recording): string {
  return readGate(gateOf(recording)).draft()(BUDGET);
}

const mask = secretMasker({ API_TOKEN: "abcd1234efgh5678", DATABASE_PASSWORD: "correct horse+battery" });

/**
 * The digest of a log in which secrets are hidden first, to time.
 * @public used by bench/feedback.mjs
 */
export function maskedDigestOf(recording: Recording): string {
  return digestOf({ ...recording, text: mask(recording.text) });
}
