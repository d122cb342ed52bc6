import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One thing that really failed, as the tool itself tells machines, or as read by a person. */
export interface Failure {
  readonly file?: string;
  readonly line?: number;
  readonly test?: string;
  readonly message?: string;
}

/** What a real tool printed, and what was really wrong. */
export interface Recording {
  /** `tool/name`. */
  readonly name: string;
  readonly text: string;
  readonly failures: readonly Failure[];
  /** Files of the work tree the log was recorded in, beside those of the failures. */
  readonly files: readonly string[];
  /** The truth is everything the tool reports, warnings too, and not only what was planted. */
  readonly isComplete: boolean;
  /** For each of the first failures the words of its own message, any of which will do; none where the log has none. */
  readonly messages: readonly (readonly string[])[];
}

/** All recordings below a directory: `<tool>/<name>.log` beside `<tool>/<name>.truth.json`. */
export function readCorpus(directory: string): readonly Recording[] {
  const labels: unknown = existsSync(join(directory, LABELS))
    ? JSON.parse(readFileSync(join(directory, LABELS), "utf8"))
    : {};
  const messages = labels as Readonly<Record<string, Recording["messages"]>>; // written by hand, as below
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((tool) => readTool(directory, tool.name))
    .map((recording) => ({ ...recording, messages: messages[recording.name] ?? [] }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const LABELS = "messages.json";

function readTool(directory: string, tool: string): readonly Omit<Recording, "messages">[] {
  return readdirSync(join(directory, tool))
    .filter((file) => file.endsWith(".truth.json"))
    .map((file) => {
      const name = file.replace(/\.truth\.json$/, "");
      const truth: unknown = JSON.parse(readFileSync(join(directory, tool, file), "utf8"));
      const text = readFileSync(join(directory, tool, `${name}.log`), "utf8");
      // The recording scripts write these files.
      const { from, failures, files = [] } = truth as { from: string; failures: Failure[]; files?: string[] };
      return { name: `${tool}/${name}`, text, failures, files, isComplete: from.endsWith("-json") };
    });
}
