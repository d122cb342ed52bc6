import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import { readFailureBody } from "./failure-body.ts";
import type { Finding, Parser } from "./parser.ts";

/** An uncaught error of Node.js: the place, the marked source, the error with its stack, the version. */
export const nodeCrash: Parser = { name: "node", kind: "build", marks: ["Node.js v", "    at "], parse };

const PLACE = /^(?:# )?(?:file:\/\/)?(?<file>(?:\/|[A-Za-z]:[\\/]|node:)\S+?):(?<line>\d+)$/;
const ERROR = /^(?:# )?(?:Uncaught )?(?:\[?\w*(?:Error|Exception)\b.*)$/;
const LONGEST = 60;

function parse({ lines }: Log): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const place = PLACE.exec(line)?.groups;
    if (place === undefined) return [];
    const window = lines.slice(index + 1, index + LONGEST);
    const at = window.findIndex((one) => ERROR.test(one));
    if (at === -1 || at > 12 || !window.slice(0, at).some((one) => /^(?:# )?\s*\^+\s*$/.test(one))) return [];
    const length = window.findIndex((one) => /^(?:# )?Node\.js v\d/.test(one));
    const to = index + 1 + (length === -1 ? at + 1 : length + 1);
    const body = lines.slice(index + 1 + at, to - 1).map((one) => one.replace(/^# /, ""));
    const caught = readFailureBody(body);
    const own = place["file"]?.startsWith("node:") === true ? {} : place;
    const importer = / imported from (?<file>\S+)/.exec(caught.message ?? "")?.groups;
    const required = body.map((one) => /^- (?<file>\S+)$/.exec(one)?.groups).find(Boolean);
    return [
      finding(
        {
          ...required,
          ...importer,
          ...withoutUndefined(caught),
          ...own,
          excerpt: window.slice(0, Math.min(at, 3)),
        },
        index,
        to,
      ),
    ];
  });
}

function withoutUndefined<T extends object>(caught: T): Partial<T> {
  // Only keys are dropped.
  return Object.fromEntries(Object.entries(caught).filter(([, value]) => value !== undefined)) as Partial<T>;
}
