import type { FindBeginnings, Lines } from "./lines.ts";
import { isFileName } from "./placed-text.ts";

/** A log without the prefixes of the programs that ran others, and where each of them worked. */
export interface SplitLog {
  readonly lines: Lines;
  /** In order; a line before the first belongs to no task. */
  readonly tasks: readonly Task[];
}

/** What one task of a runner printed. */
export interface Task {
  /** Index of its first line. */
  readonly from: number;
  /** The name of a package, of a service, or a directory. */
  readonly name: string;
  /** Its files have other paths than those of the project. */
  readonly isContainer?: boolean;
}

/**
 * Runners of several programs put a name before every line: `[lint] …`, `web:test: …`, `api | …`. The lines are given back without it,
 * those of each program together.
 */
export function splitByTask(lines: Lines): SplitLog {
  const labels = frequentLabels(lines);
  return labels.size === 0 ? { lines, tasks: [] } : programByProgram(lines, labels);
}

const LOOKED_AT = 5000;
const FREQUENT = 4;
const MOST_PROGRAMS = 60;
const NEARLY_ALL = 0.8;

/** What may be a prefix is one when nearly all lines have such, or when it has the form that only runners use. */
function frequentLabels(lines: Lines): ReadonlySet<string> {
  const counts = new Map<string, number>();
  let written = 0;
  for (const line of lines.slice(0, LOOKED_AT)) {
    if (line.trim() === "") continue;
    written += 1;
    const label = labelOf(line);
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([label, count]) => count >= (isOfRunner(label) ? 2 : FREQUENT));
  const labelled = frequent.reduce((sum, [, count]) => sum + count, 0);
  const known = labelled >= written * NEARLY_ALL ? frequent : frequent.filter(([label]) => isOfRunner(label));
  return new Set(known.length > MOST_PROGRAMS ? [] : known.map(([label]) => label));
}

const LABEL =
  /^(?:\s{0,8}\[[\w@./:-]{1,40}\]|[\w@./-]{1,60}(?:[:#][\w./-]{1,40})*:|[\w@./-]{1,60} [\w:-]{1,30}:|[\w@./:-]{1,40} *\|)(?= |$)/;

/** `@scope/name:task:`, `packages/name task:`, `name-1  |`, `    [junit]`: only task runners print these. */
const OF_RUNNER =
  /^(?:@[\w.-]+\/[\w.-]+(?:[:#][\w:.-]+)?:|[\w.-]+#[\w:.-]+:|(?:packages|apps|libs|services|modules)\/[\w./-]+(?: [\w:-]+)?:|[\w.-]+[-_]\d+ +\||\s{2,8}\[[a-z]\w*\])$/;

function isOfRunner(label: string): boolean {
  return OF_RUNNER.test(label);
}

/** These stand before lines too, but belong to them. */
const PART_OF_THE_LINE =
  /^\[?(?:npm )?(?:error|warn(?:ing)?|info|debug|trace|fatal|notice|note|hint|help|log|success|failure|tsl|\d+:\d+)(?:[\]:|]| )/i;
const CAPITALS = /^\s*\[?[A-Z]{1,8}[\]:| ]/;

function labelOf(line: string): string | undefined {
  const label = LABEL.exec(line)?.[0];
  return label === undefined || isPartOfTheLine(label) ? undefined : label;
}

function isPartOfTheLine(label: string): boolean {
  return (
    PART_OF_THE_LINE.test(label.trimStart()) ||
    CAPITALS.test(label) ||
    /[.:]\d+:?$|Error:$/.test(label) ||
    isFileName(label.replace(/:$/, ""))
  );
}

/** A program by its label, or what has none. */
interface Program {
  readonly label: string;
  /** In the order in which they first print. */
  number: number;
  lines: number;
}

/** An empty line stands below those of each program. */
function programByProgram(lines: Lines, labels: ReadonlySet<string>): SplitLog {
  const programAt = programFinder(lines, labels);
  const programs: Program[] = [];
  const numberAt = new Uint8Array(lines.length);
  for (let index = 0; index < lines.length; index += 1) {
    const program = programAt(index);
    if (program.lines === 0) program.number = programs.push(program) - 1;
    program.lines += 1;
    numberAt[index] = program.number;
  }
  let from = 0;
  const tasks = programs.map(({ label, lines: count }) => {
    const task = { from, ...taskOf(label) };
    from += count + 1;
    return task;
  });
  const next = Int32Array.from(tasks, (task) => task.from);
  const order = new Int32Array(from).fill(lines.length);
  const skipped = new Uint16Array(from);
  numberAt.forEach((number, index) => {
    const label = programs[number]?.label ?? "";
    const at = next[number] ?? 0;
    next[number] = at + 1;
    order[at] = index;
    skipped[at] = label.length + (label !== "" && lines.startsWith(index, " ", label.length) ? 1 : 0);
  });
  return { lines: lines.picked(order, skipped), tasks };
}

/** Gives the program whose label a line begins with, the longest one. */
function programFinder(lines: Lines, labels: ReadonlySet<string>): (index: number) => Program {
  const none: Program = { label: "", number: 0, lines: 0 };
  const byFirst = new Map<number, Program[]>();
  for (const label of [...labels].toSorted((one, other) => other.length - one.length)) {
    const alike = byFirst.get(label.charCodeAt(0)) ?? [];
    byFirst.set(label.charCodeAt(0), alike);
    alike.push({ ...none, label });
  }
  const isAt = (label: string, index: number): boolean => {
    if (!lines.startsWith(index, label, 0)) return false;
    const code = lines.codeAt(index, label.length);
    return code === SPACE || code === NEWLINE;
  };
  return (index) => byFirst.get(lines.codeAt(index, 0))?.find(({ label }) => isAt(label, index)) ?? none;
}

const SPACE = 32;
const NEWLINE = 10;

/** `@shop/api:build:` is about `@shop/api`, `packages/api test:` about `packages/api`, `api-1  |` about the container of `api`. */
function taskOf(label: string): Omit<Task, "from"> {
  const isContainer = CONTAINER.test(label);
  const name = label
    .trim()
    .replace(/^\[|\]$|\s*\|$/g, "")
    .replace(/:$/, "")
    .replace(/[ :#].*$/, "");
  return { name: isContainer ? name.replace(/[-_]\d+$/, "") : name, isContainer };
}

const CONTAINER = /^[\w.-]+[-_]\d+ +\|$/;

/** Where a runner says for whom the lines below are: `> name@1.0.0 test`, `> nx run name:test`, `Entering directory`. */
export function announcedTasks(lines: Lines, beginning: FindBeginnings): readonly Task[] {
  return beginning("> ", "make", "gmake", "npm error").flatMap((from) => {
    const groups = ANNOUNCED.exec(lines.at(from))?.groups;
    const name = Object.values(groups ?? {}).find((one) => one !== undefined);
    if (name === undefined) return [];
    return [{ from: groups?.["failed"] === undefined ? from : aboveBlank(lines, from), name }];
  });
}

const ANNOUNCED =
  /^> nx run (?<project>@?[\w./-]+):|^> (?<package>@?[\w./-]+)@\d\S* \S+|^g?make(?:\[\d+\])?: Entering directory '(?<directory>[^']+)'|^npm error (?:path|location) (?<failed>\/\S+|[A-Z]:\S+)$/;

const LONGEST_SCRIPT = 2000;

/** npm says where a script failed only below what it printed. */
function aboveBlank(lines: Lines, index: number): number {
  const farthest = Math.max(0, index - LONGEST_SCRIPT);
  let above = index;
  while (above > farthest && !lines.startsWith(above - 1, "> ", 0)) above -= 1;
  return above;
}
