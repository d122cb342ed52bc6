import type { Log } from "../log.ts";
import { finding } from "./compose.ts";
import type { Finding, Parser } from "./parser.ts";
import { headings } from "./sections.ts";

/** npm's own errors. That a script failed is no error of npm's: what the script printed is. */
export const npm: Parser = { name: "npm", kind: "build", parse };

const LINE = /^npm (?:error|ERR!) ?(?<said>.*)$/;
const CODE = /^code (?<code>E[A-Z0-9]+)$/;
const FILE = /^path (?<file>.+)$|Invalid (?<json>package\.json)/;
const NOISE =
  /^(?:code|errno|syscall|path|A complete log|To see a list|npm |Lifecycle script|command|workspace|location)\b|^\s*$/;

function parse({ lines, beginning }: Log): readonly Finding[] {
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
