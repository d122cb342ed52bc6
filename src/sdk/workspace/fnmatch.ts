/**
 * Matches a whole path against a shell pattern in which `*` and `?` also match `/`, `[…]` is a set and `[!…]` its
 * complement. Takes time proportional to pattern × path at most, for any pattern.
 */
export function fnmatch(path: string, pattern: string): boolean {
  const tokens = tokenize(pattern);
  let [at, token, starToken, starAt] = [0, 0, -1, 0];
  while (at < path.length) {
    const current = tokens[token];
    if (current === ANY_RUN) {
      [starToken, starAt] = [token, at];
      token += 1;
    } else if (current?.(path.charAt(at))) {
      at += 1;
      token += 1;
    } else if (starToken >= 0) {
      starAt += 1;
      [at, token] = [starAt, starToken + 1];
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === ANY_RUN);
}

/** Whether everything below a directory matches, so that a walk need not go there. */
export function matchesEverythingBelow(directory: string, pattern: string): boolean {
  return pattern.endsWith("*") && fnmatch(`${directory}/`, pattern);
}

type Token = (character: string) => boolean;

const ANY_RUN: Token = () => true;
const anyOne: Token = () => true;

function tokenize(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const end = character === "[" ? setEnd(pattern, at) : -1;
    if (end > 0) {
      tokens.push(oneOf(pattern.slice(at + 1, end)));
      at = end;
    } else tokens.push(single(character));
  }
  return tokens;
}

function single(character: string): Token {
  if (character === "*") return ANY_RUN;
  if (character === "?") return anyOne;
  return (other) => other === character;
}

/** A `]` directly after `[` or `[!` belongs to the set; without a closing one, `[` is an ordinary character. */
function setEnd(pattern: string, start: number): number {
  const first = pattern.charAt(start + 1) === "!" ? start + 2 : start + 1;
  return pattern.indexOf("]", first + 1);
}

function oneOf(body: string): Token {
  const negated = body.startsWith("!");
  const ranges = readRanges(negated ? body.slice(1) : body);
  return (character) => ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}

function readRanges(body: string): readonly (readonly [string, string])[] {
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at += 1) {
    const isRange = body.charAt(at + 1) === "-" && at + 2 < body.length;
    ranges.push([body.charAt(at), body.charAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return ranges;
}
