/** Texts longer than this are no answers; only their end is searched. */
const MAX_CHARS = 1_000_000;
/** A text that only looks like JSON must not keep us busy. */
const MAX_ATTEMPTS = 200;

/**
 * Finds the JSON objects and arrays in a text, whatever stands around them: prose, code fences, fences inside of
 * strings inside of fences. Outermost values only, in the order of the text.
 */
export function jsonInText(text: string): readonly unknown[] {
  const searched = text.slice(-MAX_CHARS).trim();
  const whole = parseJson(searched);
  if (typeof whole === "object" && whole !== null) return [whole];
  return scan(searched);
}

function scan(text: string): readonly unknown[] {
  const found: unknown[] = [];
  const starts = /[{[](?=\s*["{\]}])/g;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const start = starts.exec(text)?.index;
    if (start === undefined) break;
    const end = closingOf(text, start);
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (end === undefined || value === undefined) continue;
    found.push(value);
    starts.lastIndex = end;
  }
  return found;
}

/** Just past the bracket that closes the one at `start`; strings are skipped, escapes in them too. */
function closingOf(text: string, start: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    if (token[0] === "}" || token[0] === "]") depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return undefined;
}

/** Undefined for anything that is not JSON: a model's text is not expected to be. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
