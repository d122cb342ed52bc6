/** Texts longer than this are no answers; only their end is searched. */
const MAX_CHARS = 1_000_000;
/** So many characters are read in all before a text that only looks like JSON is given up. */
const MAX_READ_CHARS = 8_000_000;
/** After giving up, the end alone is searched: that is where an answer is. */
const END_CHARS = 50_000;

/**
 * Finds the JSON objects and arrays in a text, whatever stands around them: prose, code fences, fences inside of
 * strings inside of fences. Outermost values only, in the order of the text.
 */
export function jsonInText(text: string): readonly unknown[] {
  const searched = text.slice(-MAX_CHARS).trim();
  const whole = parseJson(searched);
  if (typeof whole === "object" && whole !== null) return [whole];
  return scan(searched) ?? scan(searched.slice(-END_CHARS)) ?? [];
}

/** Undefined when the text has too many beginnings without an end. */
function scan(text: string): readonly unknown[] | undefined {
  const found: unknown[] = [];
  const starts = /[{[](?=\s*["{\]}])/g;
  let read = 0;
  for (let start = starts.exec(text)?.index; start !== undefined; start = starts.exec(text)?.index) {
    const end = closingOf(text, start);
    read += (end ?? text.length) - start;
    if (read > MAX_READ_CHARS) return undefined;
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
