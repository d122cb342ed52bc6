/**
 * Runners of several programs at once put a name before every line: `[lint] …`, `web:test: …`, `api | …`. When nearly all lines of a log
 * have one, the lines are given back without it, those of each program together.
 */
export function untangle(lines: readonly string[]): readonly string[] {
  const labels = lines.slice(0, LOOKED_AT).map(labelOf);
  const counts = new Map<string, number>();
  for (const label of labels) if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  const frequent = new Set([...counts].filter(([, count]) => count >= FREQUENT).map(([label]) => label));
  const written = lines.slice(0, LOOKED_AT).filter((line) => line.trim() !== "").length;
  const labelled = labels.filter((label) => label !== undefined && frequent.has(label)).length;
  if (frequent.size === 0 || frequent.size > MOST_PROGRAMS || labelled < written * NEARLY_ALL) return lines;
  return programByProgram(lines, frequent);
}

const LOOKED_AT = 5000;
const FREQUENT = 4;
const MOST_PROGRAMS = 30;
const NEARLY_ALL = 0.8;

const LABEL =
  /^(?:\[[\w@./:-]{1,40}\]|[\w@./-]{1,60}(?:[:#][\w./-]{1,40})*:|[\w@./-]{1,60} [\w:-]{1,30}:|[\w@./:-]{1,40} *\|)(?= |$)/;

/** These stand before lines too, but belong to them. */
const PART_OF_THE_LINE =
  /^\[?(?:npm )?(?:error|warn(?:ing)?|info|debug|trace|fatal|notice|note|hint|help|log|success|failure|\d+:\d+)(?:[\]:|]| )/i;
const CAPITALS = /^\[?[A-Z]{1,8}[\]:| ]/;

function labelOf(line: string): string | undefined {
  const label = LABEL.exec(line)?.[0];
  return label === undefined ||
    PART_OF_THE_LINE.test(label) ||
    CAPITALS.test(label) ||
    /[.:]\d+:?$|Error:$/.test(label)
    ? undefined
    : label;
}

function programByProgram(lines: readonly string[], labels: ReadonlySet<string>): readonly string[] {
  const programs = new Map<string, string[]>();
  for (const line of lines) {
    const label = labelOf(line) ?? "";
    const known = labels.has(label) ? label : "";
    const own = programs.get(known) ?? [];
    programs.set(known, own);
    own.push(known === "" ? line : line.slice(known.length).replace(/^ /, ""));
  }
  return [...programs.values()].flatMap((own) => [...own, ""]);
}
