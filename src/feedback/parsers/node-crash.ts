import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** An uncaught error of Node.js: the place, the marked source, the error with its stack, the version. */
export const nodeCrash: Parser = { name: "node", kind: "build", parse };

const PLACE = /^(?<file>(?:file:\/\/\/|\/|[A-Za-z]:[\\/]|node:)\S+?):(?<line>\d+)$/;
const ERROR = /^(?:Uncaught )?\[?\w*(?:Error|Exception)\b/;
const MARKER = /^(?:# )?\s*\^+\s*$/;
const LONGEST = 60;
const LONGEST_SOURCE = 12;

function parse({ lines, beginning }: Log): readonly Finding[] {
  if (beginning("Node.js v", "# Node.js v").length === 0) return [];
  return headings(lines, beginning("^", "# "), MARKER).flatMap(({ from: marker }) => {
    const index = placeAbove(lines, marker);
    const crash = lines.slice(index, index + LONGEST).map(uncommented);
    const error = crash.findIndex((one) => ERROR.test(one));
    if (index === -1 || error < marker - index || error > LONGEST_SOURCE) return [];
    const version = crash.findIndex((one) => one.startsWith("Node.js v"));
    const length = version === -1 ? error + 1 : version + 1;
    return [finding(() => describe(crash.slice(0, length), error), index, index + length)];
  });
}

function placeAbove(lines: readonly string[], marker: number): number {
  const farthest = Math.max(0, marker - LONGEST_SOURCE);
  const above = lines.slice(farthest, marker).findLastIndex((line) => PLACE.test(uncommented(line)));
  return above === -1 ? -1 : farthest + above;
}

/** node:test's TAP shows what a crashing test file printed as comments. */
function uncommented(line: string): string {
  return line.replace(/^# /, "");
}

/** When the runtime itself throws, the place is in who imported, who required, or in the stack. */
function describe(crash: readonly string[], error: number): Caught {
  const body = crash.slice(error);
  const place = PLACE.exec(crash[0] ?? "")?.groups;
  const caught = readFailureBody(body);
  if (place !== undefined && !place["file"]?.startsWith("node:"))
    return { ...caught, ...place, excerpt: crash.slice(1, 3) };
  const asker = / imported from (?<file>[^\n]+)/.exec(caught.message ?? "")?.groups?.["file"];
  const required = body
    .map((one) => /^- (?<file>\S+)$/.exec(one)?.groups?.["file"])
    .find((file) => file !== undefined);
  return { ...caught, file: caught.file ?? asker ?? required, excerpt: "" };
}
