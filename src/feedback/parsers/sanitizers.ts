import type { Log } from "../log.ts";
import { type Caught, finding } from "./compose.ts";

import { frameOf } from "./frames.ts";
import type { Finding, Parser } from "./parser.ts";

/** Sanitizers, Go's race detector and valgrind: what went wrong on one line, the stacks below it. */
export const sanitizers: Parser = { name: "sanitizers", kind: "test", parse };

const ERROR =
  /^(?:==\d+==)?\s*(?:(?:ERROR|WARNING): (?<said>\w+Sanitizer: .*?|DATA RACE)(?: \(pid=\d+\))?$|(?<leak>(?:Direct|Indirect) leak of .*)|(?<memory>(?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised|Mismatched free|Source and destination overlap|Syscall param|Process terminating with).*|\d[\d,]* (?:\([^)]*\) )?bytes in \d.* are (?:definitely|indirectly|possibly) lost.*))$/;

const LONGEST = 40;

function parse({ lines, beginning }: Log): readonly Finding[] {
  const starts = beginning("==", "WARNING: ", "ERROR: ", "Direct leak", "Indirect leak").filter((line) =>
    ERROR.test(lines[line] ?? ""),
  );
  return starts.flatMap((from, order) => {
    const next = Math.min(starts[order + 1] ?? lines.length, from + LONGEST);
    const length = lines
      .slice(from + 1, next)
      .findIndex((line, index) => isEnd(line, lines[from + index] ?? ""));
    const to = length === -1 ? next : from + 1 + length;
    const body = lines.slice(from + 1, to).map(withoutProcess);
    return body.some((line) => frameOf(line) !== undefined)
      ? [finding(() => describe(lines[from] ?? "", body), from, to)]
      : [];
  });
}

/** valgrind ends a report with an empty line of its own; sanitizers with their summary. */
function isEnd(line: string, before: string): boolean {
  return (
    /^==\d+==\s*$/.test(line) ||
    /^(?:SUMMARY: |={10,}$|Shadow bytes )/.test(line) ||
    (line.trim() === "" && /leak of|^\s*#\d+ .*\bmain\b/.test(before))
  );
}

function withoutProcess(line: string): string {
  return line.replace(/^==\d+==/, "");
}

function describe(heading: string, body: readonly string[]): Caught {
  const { said, leak, memory } = ERROR.exec(heading)?.groups ?? {};
  const frames = body.flatMap((line) => frameOf(line) ?? []);
  const own = frames.find(({ isForeign }) => !isForeign);
  const message = (said ?? leak ?? memory ?? heading).replace(/ on address 0x.*$/, "");
  return {
    file: own?.file,
    line: own?.line,
    column: own?.column,
    message,
    excerpt: body.filter((line) => frameOf(line)?.isForeign !== true),
  };
}
