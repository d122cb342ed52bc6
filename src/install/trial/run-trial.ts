import { join } from "node:path";
import { readGate } from "../../feedback/digest.ts";
import { problemLine } from "../../feedback/problem.ts";
import { whyCutShort } from "../../features/baseline/findings.ts";
import { counted, formatDuration } from "../../words.ts";
import type { Terminal } from "../../report/terminal.ts";
import { elapsedMs } from "../../system/clock.ts";
import { projectFiles } from "../../system/files/list-files.ts";
import { factsOf, isFile, kindOf, readText } from "../../system/files/files.ts";
import { shellCommand } from "../../system/process/executables.ts";
import { type ProcessEnd, runProcess } from "../../system/process/run-process.ts";
import type { DetectedScope } from "../detect/detect-checks.ts";
import { type DetectedCheck, isActive } from "../detect/project.ts";

/** A check at a place where it would run. */
export interface Trial {
  readonly check: Pick<DetectedCheck, "name" | "command" | "env">;
  readonly path: string;
  /** With the place, if that is not the whole project: `test in app`. */
  readonly title: string;
}

export type Tried = Trial & { readonly took: string } & (
    | { readonly kind: "passes"; readonly edited: readonly string[]; readonly created: readonly string[] }
    | {
        readonly kind: "fails";
        readonly how: string;
        readonly digest: readonly string[];
        /** Why it may not block for new problems alone. */
        readonly notOnlyNew?: string | undefined;
        readonly isRunnable: boolean;
      }
  );

/** As long as a check gets when its configuration does not say. */
const TIMEOUT_MS = 240_000;
const MOST_OUTPUT_CHARS = 500_000;
const DIGEST_CHARS = 1200;
const DIGEST_LINES = 8;
const MOST_LINE_CHARS = 200;

/** Not those that wait for their program, or work on changed files, of which there are none yet. */
export function trialsOf(scopes: readonly DetectedScope[]): readonly Trial[] {
  return scopes.flatMap(({ path, packages, checks }) =>
    checks
      .filter((check) => isActive(check) && !check.command.includes("{files}"))
      .flatMap((check) =>
        (packages ?? [path]).map((place) => trialAt(check, check.workingDirectory ?? place)),
      ),
  );
}

export function trialAt(check: Trial["check"], path: string): Trial {
  return { check, path, title: path === "." ? check.name : `${check.name} in ${path}` };
}

/** Those that can be tried, and what to say of the others: without its packages every check of a Node project would be red. */
export function readyTrials(
  trials: readonly Trial[],
  root: string,
): { readonly ready: readonly Trial[]; readonly notReady?: string } {
  const isWaiting = ({ check, path }: Trial): boolean =>
    /^(?:npm|npx|pnpm|yarn|bun|bunx) /.test(check.command) && lacksPackages(root, path);
  const waiting = trials.filter(isWaiting);
  const [first] = waiting;
  if (first === undefined) return { ready: trials };
  const names = waiting.map(({ title }) => title).join(", ");
  const manager = /^(?:pnpm|yarn|bun)/.exec(first.check.command)?.[0] ?? "npm";
  return {
    ready: trials.filter((trial) => !isWaiting(trial)),
    notReady: `Not tried, because the packages of the project are not installed: ${names}. Run \`${manager} install\`, then \`agent-gauntlet init --try\`.`,
  };
}

function lacksPackages(root: string, path: string): boolean {
  const manifest = readText(join(root, path, "package.json"));
  const isInstalled = [path, "."].some(
    (place) =>
      kindOf(join(root, place, "node_modules")) === "directory" || isFile(join(root, place, ".pnp.cjs")),
  );
  return !isInstalled && manifest.ok && /"(?:devD|d)ependencies"\s*:\s*\{\s*"/.test(manifest.value);
}

export async function runTrial(trial: Trial, terminal: Terminal, signal: AbortSignal): Promise<Tried> {
  const before = await modifiedTimes(terminal.cwd);
  const { end, output, took } = await runHere(trial, terminal, signal);
  if (end.kind === "exited" && end.exitCode === 0) {
    const after = await modifiedTimes(terminal.cwd);
    const touched = [...after].filter(([file, time]) => before.get(file) !== time).map(([file]) => file);
    const created = touched.filter((file) => !before.has(file));
    return { ...trial, took, kind: "passes", created, edited: touched.filter((file) => before.has(file)) };
  }
  const notOnlyNew = whyNotOnlyNew(end, trial, terminal);
  return {
    ...trial,
    took,
    kind: "fails",
    how: inWords(end),
    isRunnable: isRunnable(end),
    digest: digestOf(trial, output, terminal),
    notOnlyNew,
  };
}

/** Whether a check passes in another copy of the project. */
export async function passesIn(
  root: string,
  trial: Trial,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { end } = await runHere(trial, { ...terminal, cwd: root }, signal);
  return end.kind === "exited" && end.exitCode === 0;
}

async function runHere({ check, path }: Trial, { cwd, env }: Terminal, signal: AbortSignal) {
  let output = "";
  const started = elapsedMs();
  const end = await runProcess(
    {
      argv: shellCommand(check.command),
      cwd: join(cwd, path),
      env: { ...env, ...check.env },
      timeoutMs: TIMEOUT_MS,
      onOutput: (chunk) => void (output = (output + chunk.toString()).slice(-MOST_OUTPUT_CHARS)),
    },
    signal,
  );
  return { end, output, took: formatDuration(Math.round(elapsedMs() - started)) };
}

/** Of the files that git sees: what a check edits or leaves behind would be a change at every stop. */
async function modifiedTimes(root: string): Promise<ReadonlyMap<string, number>> {
  const files = await projectFiles(root);
  return new Map(files.map((file) => [file, factsOf(join(root, file))?.mtimeMs ?? 0]));
}

/** What an agent would read first of it: each problem in a line, or the useful lines of the output. */
function digestOf({ check, path }: Trial, text: string, { cwd }: Terminal): readonly string[] {
  const gate = { id: `check:${path}:${check.name}`, name: check.name, text, logPath: "", projectRoot: cwd };
  const reading = readGate({ ...gate, workingDirectory: path, isFile: (file) => isFile(join(cwd, file)) });
  const lines =
    reading.problems.length > 0
      ? reading.problems.map((problem) => problemLine(problem, MOST_LINE_CHARS))
      : reading.draft()(DIGEST_CHARS).split("\n");
  const shown = lines.filter((line) => line.trim() !== "" && !line.startsWith("Full log:"));
  const more = shown.length - DIGEST_LINES;
  return more > 0 ? [...shown.slice(0, DIGEST_LINES), `… ${counted(more, "more line")}`] : shown;
}

function isRunnable(end: ProcessEnd): boolean {
  return end.kind !== "not-started" && (end.kind !== "exited" || end.exitCode < 126);
}

function whyNotOnlyNew(end: ProcessEnd, { check, path }: Trial, { cwd, env }: Terminal): string | undefined {
  if (end.kind === "timed-out") return TOO_SLOW;
  if (end.kind !== "exited" || !isRunnable(end)) return inWords(end);
  return whyCutShort({ command: check.command, directory: path, root: cwd, env: { ...env, ...check.env } });
}

const TOO_SLOW =
  "it takes longer than 4 minutes: run a part of it (`files`, a path), or give it a `timeout` and its own entry point";

function inWords(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return end.exitCode === 127 ? "cannot be run here" : `fails with exit code ${end.exitCode}`;
    case "killed":
      return `is killed by ${end.signal}`;
    case "timed-out":
      return "takes too long";
    case "cancelled":
      return "was interrupted";
    case "not-started":
      return `cannot be started: ${end.detail}`;
  }
}
