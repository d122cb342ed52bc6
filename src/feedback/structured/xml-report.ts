import { composeProblem } from "../parsers/parser.ts";
import { readFailureBody } from "../parsers/failure-body.ts";
import type { ReportedProblem } from "./read-structured.ts";

/** JUnit XML in the shapes that many runners write, or Checkstyle's. */
export function readXmlReport(text: string): readonly ReportedProblem[] | undefined {
  if (/<checkstyle[\s>]/.test(text)) return elements(text, "file").flatMap(checkstyleFile);
  if (/<testsuites?[\s>]/.test(text)) return elements(text, "testcase").flatMap(junitCase);
  return undefined;
}

interface Element {
  readonly attributes: Readonly<Record<string, string>>;
  /** What stands up to its end, still as XML. */
  readonly inner: string;
}

function junitCase({ attributes, inner }: Element): readonly ReportedProblem[] {
  const [failure] = [...elements(inner, "failure"), ...elements(inner, "error")];
  if (failure === undefined) return [];
  const { classname = "", name = "", file, line } = attributes;
  const body = `${failure.attributes["message"] ?? ""}\n${textIn(failure.inner)}`.trim().split("\n");
  const caught = readFailureBody(body, {
    testFile: file,
    innermostLast: /Traceback|\.py:\d+:/.test(failure.inner),
  });
  const test =
    [classname, name].filter((part) => part !== "" && !name.startsWith(classname)).join(" ") || name;
  const problem = composeProblem({ ...caught, test, file: caught.file ?? file, line: caught.line ?? line });
  return [{ tool: "junit", kind: "test", problem }];
}

function checkstyleFile({ attributes, inner }: Element): readonly ReportedProblem[] {
  return elements(inner, "error").map(({ attributes: error }) => ({
    tool: "checkstyle",
    kind: "lint",
    problem: composeProblem({ ...error, file: attributes["name"], code: error["source"] }),
  }));
}

/** Every element of a name, found without a grammar: reports are flat and never nest an element in itself. */
function elements(xml: string, name: string): readonly Element[] {
  return xml
    .split(new RegExp(String.raw`<${name}(?=[\s/>])`))
    .slice(1)
    .map((part) => {
      const end = endOfTag(part);
      const tag = part.slice(0, end);
      const close = tag.endsWith("/") ? end : part.indexOf(`</${name}>`, end);
      return { attributes: attributesOf(tag), inner: part.slice(end + 1, close === -1 ? undefined : close) };
    });
}

/** The first `>` outside quotes. */
function endOfTag(part: string): number {
  const tag = /^(?:[^>"']|"[^"]*"|'[^']*')*/.exec(part)?.[0] ?? "";
  return tag.length;
}

function attributesOf(tag: string): Readonly<Record<string, string>> {
  const found = tag.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, key = "", one, other]) => [key, unescaped(one ?? other ?? "")]),
  );
}

function textIn(xml: string): string {
  const plain = xml.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) =>
    text.replace(/[<>&]/g, entity),
  );
  return unescaped(plain.replace(/<[^>]*>/g, ""));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function entity(character: string): string {
  const [name = "amp"] = Object.entries(ENTITIES).find(([, value]) => value === character) ?? [];
  return `&${name};`;
}

function unescaped(text: string): string {
  return text.replace(/&(?:#x[\da-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (all) => {
    const name = all.slice(1, -1);
    if (!name.startsWith("#")) return ENTITIES[name] ?? all;
    const code = Number(name.replace(/^#x/i, "0x").replace("#", ""));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  });
}
