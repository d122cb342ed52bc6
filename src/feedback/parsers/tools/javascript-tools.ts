import type { Lines } from "../../text/lines.ts";
import type { Log } from "../../log.ts";
import { type Caught, type Finding, type Parser, finding } from "../parser.ts";
import { headings, sections, toFinding } from "../sections.ts";
import { pointedParser, placedParser } from "../placed-parser.ts";
import { isFileName } from "../../text/placed-text.ts";
import { readFailureBody } from "../failure-body.ts";

/** Biome: a ruled heading with place and rule, the message marked with its weight; what is marked `i` is only information. */
export const biome: Parser = { name: "biome", kind: "lint", parse: parseBiome };

const HEADING =
  /^(?<file>[^\s:]+\.\w+|[A-Za-z]:\S+?)(?::(?<line>\d+):(?<column>\d+))? (?<code>[\w/-]+)(?:\s+[A-Z ]+)?\s+━+$/;
const END = /^\S.* ━+$|^(?:Checked|Skipped|Found) \d/;
const MESSAGE = /^\s{2}(?<mark>[×✖!⚠]) (?<message>.*)$/;

/** The message stands below the heading, after a blank line unless that was stripped. */
function parseBiome({ lines, beginning }: Log): readonly Finding[] {
  const above = headings(lines, beginning("× ", "✖ ", "! ", "⚠ "), MESSAGE).flatMap(({ from }) => [
    from - 2,
    from - 1,
  ]);
  return sections(lines, above, { start: HEADING, end: END }).map(
    toFinding(({ heading, body }) => ({ ...heading, ...describeBiome(body) })),
  );
}

function describeBiome(body: readonly string[]): Caught {
  const at = body.findIndex((line) => MESSAGE.test(line));
  const { mark, message } = MESSAGE.exec(body[at] ?? "")?.groups ?? {};
  return {
    severity: mark === "!" || mark === "⚠" ? "warning" : "error",
    message,
    excerpt: body.slice(at + 1),
  };
}

/** oxlint, and other tools that draw their frames the same way. */
export const oxlint = pointedParser({
  name: "oxlint",
  kind: "lint",
  arrows: [",-[", "╭─["],
  message: /^\s*[×x✖⚠!] +\S/,
});

/** Formatters that only say which files they would change: Prettier, Black, Ruff, rustfmt. */
export const prettier: Parser = {
  name: "prettier",
  kind: "lint",
  parse: ({ lines, beginning }: Log): readonly Finding[] =>
    beginning(
      "[warn] ",
      "[error] ",
      "would reformat ",
      "Would reformat: ",
      "error: cannot ",
      "Diff in ",
    ).flatMap((index) => unformatted(lines.at(index), index)),
};

const SHAPES = [
  /^\[warn\] (?<file>\S+)$/,
  /^\[error\] (?<file>[^:\s]+): (?<message>.+?) \((?<line>\d+):(?<column>\d+)\)$/,
  /^(?:would reformat|Would reformat:) (?<file>.+)$/,
  /^error: cannot format (?<file>.+?): (?<message>.+?:? ?(?<line>\d+):(?<column>\d+).*|.+)$/,
  /^Diff in (?<file>.+?):(?<line>\d+):?$/,
] as const;

function unformatted(line: string, index: number): readonly Finding[] {
  const found = SHAPES.map((shape) => shape.exec(line)?.groups).find((groups) =>
    isFileName(groups?.["file"] ?? ""),
  );
  if (found === undefined) return [];
  const message = found["message"] ?? "this file is not formatted";
  return [finding(() => ({ ...found, message }), index)];
}

/** The TypeScript compiler, plain and pretty. */
export const tsc = placedParser({
  name: "tsc",
  kind: "build",
  says: (rest) => /^(?:error|warning) TS\d+: /.test(rest),
});

/** npm's own errors. A failed script is not an npm error: the script's own output explains it. */
export const npm: Parser = { name: "npm", kind: "build", parse: parseNpm };

const LINE = /^npm (?:error|ERR!) ?(?<said>.*)$/;
const CODE = /^code (?<code>E[A-Z0-9]+)$/;
const FILE = /^path (?<file>.+)$|Invalid (?<json>package\.json)/;
const NOISE =
  /^(?:code|errno|syscall|path|A complete log|To see a list|npm |Lifecycle script|command|workspace|location)\b|^\s*$/;

function parseNpm({ lines, beginning }: Log): readonly Finding[] {
  const said = headings(lines, beginning("npm error", "npm ERR!"), LINE).map(({ heading, from }) => ({
    text: heading["said"] ?? "",
    index: from,
  }));
  const [first] = said;
  if (first === undefined) return [];
  const code = said
    .map(({ text }) => CODE.exec(text)?.groups?.["code"])
    .find((one) => one !== undefined && one !== "ELIFECYCLE");
  const words = said
    .map(({ text }) => text.replace(/^(?:enoent|notarget|404|ERESOLVE|JSON\.parse) /, ""))
    .filter((text) => !NOISE.test(text));
  if (code === undefined && words[0]?.startsWith("Missing script") !== true) return [];
  const place = said.map(({ text }) => FILE.exec(text)?.groups).find(Boolean);
  const [message, ...excerpt] = words;
  const file = place?.["json"] ?? place?.["file"];
  return [
    finding(() => ({ file, code, message, excerpt }), first.index, (said.at(-1)?.index ?? first.index) + 1),
  ];
}

/** An uncaught error of Node.js: the place, the marked source, the error with its stack, the version. */
export const nodeCrash: Parser = { name: "node", kind: "build", parse: parseNodeCrash };

const PLACE = /^(?<file>(?:file:\/\/\/|\/|[A-Za-z]:[\\/]|node:)\S+?):(?<line>\d+)$/;
const ERROR = /^(?:Uncaught )?\[?\w*(?:Error|Exception)\b/;
const MARKER = /^(?:# )?\s*\^+\s*$/;
const LONGEST = 60;
const LONGEST_SOURCE = 12;

function parseNodeCrash({ lines, beginning }: Log): readonly Finding[] {
  if (beginning("Node.js v", "# Node.js v").length === 0) return [];
  return headings(lines, beginning("^", "# "), MARKER).flatMap(({ from: marker }) => {
    const index = placeAbove(lines, marker);
    const crash = lines.slice(index, index + LONGEST).map(uncommented);
    const error = crash.findIndex((one) => ERROR.test(one));
    if (index === -1 || error < marker - index || error > LONGEST_SOURCE) return [];
    const version = crash.findIndex((one) => one.startsWith("Node.js v"));
    const length = version === -1 ? error + 1 : version + 1;
    return [finding(() => describeNodeCrash(crash.slice(0, length), error), index, index + length)];
  });
}

function placeAbove(lines: Lines, marker: number): number {
  const farthest = Math.max(0, marker - LONGEST_SOURCE);
  const above = lines.slice(farthest, marker).findLastIndex((line) => PLACE.test(uncommented(line)));
  return above === -1 ? -1 : farthest + above;
}

/** node:test's TAP shows what a crashing test file printed as comments. */
function uncommented(line: string): string {
  return line.replace(/^# /, "");
}

/** When the runtime itself throws, the place is in who imported, who required, or in the stack. */
function describeNodeCrash(crash: readonly string[], error: number): Caught {
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
