import { type YAMLError, LineCounter, parseDocument, visit } from "yaml";
import type { Diagnostic } from "../../trouble.ts";
import type { Complaint, SourceText } from "../source-text.ts";
import { type Path, readTree } from "./yaml-tree.ts";

export interface YamlSource {
  readonly value: unknown;
  readonly text: SourceText;
  /** The text of a scalar as written (`1.10`, where the value is the number 1.1). */
  readonly writtenAt: (path: Path) => string | undefined;
  /** A diagnostic at the end of this path (at its key by default), or at the nearest place above it. */
  readonly complain: (path: Path, complaint: PathComplaint) => Diagnostic;
  /** Where several files make one: whose the value at a path is. */
  readonly origin?: (path: Path) => "local" | "own" | "inherited";
}

export interface PathComplaint extends Complaint {
  readonly at?: "key" | "value";
}

export interface ParsedYaml {
  readonly source?: YamlSource;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parsing is linear, but slow on nonsense: this much nonsense takes a second or two. */
const MAX_CHARS = 256 * 1024;

const MAX_SYNTAX_ERRORS = 5;

export function parseYaml(text: SourceText): ParsedYaml {
  if (text.content.length > MAX_CHARS)
    return { diagnostics: [text.complainAboutFile("is larger than 256 KB, which no configuration needs")] };
  const lines = new LineCounter();
  const document = parseDocument(text.content, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return { diagnostics: syntaxErrors(document.errors, text, (error) => at(placeOf(error, document))) };

  const tree = readTree(document.contents);
  const diagnostics = [
    ...document.warnings.map((warning) =>
      text.complain(at(warning.pos[0]), {
        severity: "warning",
        message: warning.message.replace(/^Unresolved tag: (.*)$/, "the tag `$1` means nothing here"),
      }),
    ),
    ...tree.problems.map(({ offset, ...complaint }) => text.complain(at(offset), complaint)),
  ];
  if (!tree.usable) return { diagnostics };
  return {
    diagnostics,
    source: {
      value: tree.value,
      text,
      writtenAt: (path) => tree.writtenAt(path),
      complain: (path, complaint) => text.complain(at(tree.offsetOf(path, complaint.at ?? "key")), complaint),
    },
  };
}

function syntaxErrors(
  errors: readonly YAMLError[],
  text: SourceText,
  at: (error: YAMLError) => { line: number; column: number },
): Diagnostic[] {
  const shown = errors
    .slice(0, MAX_SYNTAX_ERRORS)
    .map((error) => text.complain(at(error), syntaxComplaint(error)));
  const rest = errors.length - shown.length;
  return rest > 0 ? [...shown, text.complainAboutFile(`has ${rest} more syntax errors`)] : shown;
}

const UNCLOSED_QUOTE = /Missing closing .quote/;

/** A parser notices an unclosed quote at the end of the file; the mistake is where it begins. */
function placeOf({ message, pos }: YAMLError, document: ReturnType<typeof parseDocument>): number {
  let opening: number | undefined;
  if (UNCLOSED_QUOTE.test(message))
    visit(document, {
      Scalar: (_, { type, range }) => {
        if (type?.startsWith("QUOTE_") && range != null && range[1] >= pos[0]) opening = range[0];
      },
    });
  return opening ?? pos[0];
}

function syntaxComplaint({ code, message }: YAMLError): Complaint {
  const known = SYNTAX_COMPLAINTS.find(([pattern]) => pattern.test(`${code} ${message}`));
  return known?.[1] ?? { message: `not valid YAML: ${message}` };
}

/** Common mistakes, by code and message of the library; all other errors keep its message. */
const SYNTAX_COMPLAINTS: readonly (readonly [pattern: RegExp, complaint: Complaint])[] = [
  [/^TAB_AS_INDENT/, { message: "a tab is used as indentation", hint: "YAML is indented with spaces" }],
  [
    /^MULTIPLE_DOCS/,
    { message: "a second document begins here", hint: "keep one document in the file: remove the `---`" },
  ],
  [/^RESOURCE_EXHAUSTION/, { message: "values are nested too deeply" }],
  [/^NON_STRING_KEY/, { message: "a key must be plain text" }],
  [
    /^BAD_INDENT Flow/,
    { message: "a `[` or `{` above is not closed, or what it holds is not indented enough" },
  ],
  [/^BAD_INDENT/, { message: "the indentation does not fit the lines above" }],
  [UNCLOSED_QUOTE, { message: "this quote is not closed" }],
  [
    /^MULTILINE_IMPLICIT_KEY|Implicit map keys need/,
    { message: "this looks like a key without a `:`", hint: "write `key: value`" },
  ],
  [
    /^BLOCK_AS_IMPLICIT_KEY/,
    { message: "a second `: ` on one line", hint: 'put a value that contains `: ` in quotes: `key: "a: b"`' },
  ],
];
