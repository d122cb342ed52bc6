/** `go test -json` wraps every line of output; the lines come back as `go test -v` prints them, package by package. */
export function unwrapGoJson(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.startsWith('{"') && line.includes('"Action":"output"'))) return lines;
  const unwrapped: string[] = [];
  const packages = new Map<string, string[]>();
  for (const line of lines) {
    if (!line.startsWith("{") || !EVENT.test(line)) {
      unwrapped.push(line);
      continue;
    }
    const name = PACKAGE.exec(line)?.[1] ?? "";
    const output = packages.get(name) ?? [];
    packages.set(name, output);
    output.push(outputOf(line));
  }
  return unwrapped.concat(...[...packages.values()].map((output) => output.join("").split("\n")));
}

const EVENT = /^\{.*"Action":"\w+(?:-\w+)?"/;
const PACKAGE = /"(?:Package|ImportPath)":"([^"]*)"/;

/** Only what JSON allows between quotes, so that reading it cannot fail. */
const OUTPUT = /"Output":("(?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")/;

function outputOf(line: string): string {
  const literal = OUTPUT.exec(line)?.[1];
  return literal === undefined ? "" : String(JSON.parse(literal));
}
