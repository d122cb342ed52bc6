import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Finished, GauntletProject, type RunOptions } from "./gauntlet-project.ts";

/** What a fake reviewer does when it is asked once. */
export interface ReviewerTurn {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** Prints so much noise first. */
  readonly mebibytes?: number;
  readonly hang?: boolean;
  /** Runs something itself first. */
  readonly run?: {
    readonly argv: readonly string[];
    readonly input?: string;
    readonly env?: Record<string, string>;
  };
  /** Confirms every fix it is asked about, and finds these. */
  readonly confirmAll?: boolean;
  readonly findings?: readonly object[];
}

/** What a fake reviewer was asked. */
interface ReviewerCall {
  readonly args: readonly string[];
  readonly prompt: string;
  readonly cwd: string;
  readonly pid: number;
  readonly GAUNTLET_STOP_HOOK_ACTIVE?: string;
  readonly CLAUDECODE?: string;
}

interface SheetFile {
  readonly round: number;
  readonly reviewer: string;
  readonly tree?: string;
  readonly findings: readonly Readonly<Record<"file" | "issue" | "status" | "result", string>>[];
}

/** A project with a committed base, an uncommitted change to `src/sum.js`, and one review. */
export async function reviewProject(files: Readonly<Record<string, string>> = {}): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    "src/sum.js": "export const sum = (list) => list.reduce((a, b) => a + b, 0);\n",
    ...BASE,
    ...files,
  });
  await project.commit("base");
  await project.write({ "src/sum.js": CHANGED });
  return project;
}

/** Puts a reviewer on the PATH; its last turn is played for every further call. */
export async function addReviewer(
  project: GauntletProject,
  name: string,
  turns: readonly ReviewerTurn[],
): Promise<void> {
  const home = homeOf(project, name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "script.json"), JSON.stringify(turns));
  await project.writeProgram(name, readFileSync(join(import.meta.dirname, "fake-reviewer.mjs"), "utf8"));
}

export async function callsOf(project: GauntletProject, name: string): Promise<readonly ReviewerCall[]> {
  const home = homeOf(project, name);
  const names = (await readdir(home)).filter((file) => file.startsWith("call-")).toSorted();
  const texts = await Promise.all(names.map((file) => readFile(join(home, file), "utf8")));
  return texts.map((text) => JSON.parse(text) as ReviewerCall); // written by the fake reviewer
}

/** What the reviewer's own child printed. */
export async function childOf(
  project: GauntletProject,
  name: string,
  call: number,
): Promise<{ status: number; stdout: string }> {
  const text = await readFile(join(homeOf(project, name), `ran-${call}.json`), "utf8");
  return JSON.parse(text) as { status: number; stdout: string }; // likewise
}

function homeOf({ bin }: GauntletProject, name: string): string {
  return join(bin, "../reviewers", name);
}

/** What `run --json` says, as far as it is about reviews; its progress is on stderr. */
export interface ReviewRun extends Finished {
  readonly status: string;
  readonly message: string;
  readonly attemptsLeft: number | null;
  readonly outcomes: readonly {
    readonly outcome: string;
    readonly detail: string | null;
    readonly blocks: boolean;
    readonly logPath: string | null;
    readonly review: { readonly open: readonly Finding[]; readonly sheets: readonly string[] } | null;
  }[];
}

interface Finding {
  readonly file: string;
  readonly issue: string;
}

export async function runGates(
  project: GauntletProject,
  args: readonly string[] = ["run"],
  options: RunOptions = {},
): Promise<ReviewRun> {
  const done = await project.gauntlet([...args, "--json"], options);
  return { ...done, ...(JSON.parse(done.stdout) as Omit<ReviewRun, keyof Finished>) };
}

function sheetName(name: string): string {
  return `gauntlet_logs/${name}.json`;
}

/** The file in which an agent answers findings. */
export function sheetOf(project: GauntletProject, name = SHEET): SheetFile {
  return JSON.parse(project.read(sheetName(name))) as SheetFile; // our own format, checked by the tests that use it
}

/** Sets status and result of every finding, as an agent would. */
export async function answerFindings(
  project: GauntletProject,
  status: string,
  result: string,
): Promise<void> {
  const before = sheetOf(project);
  const findings = before.findings.map((finding) => ({ ...finding, status, result }));
  await project.write({ [sheetName(SHEET)]: JSON.stringify({ ...before, findings }) });
}

const SHEET = "review_._careful.slot-1";
const CHANGED = `export const sum = (list) => list.reduce((a, b) => a + b);

export const mean = (list) => sum(list) / list.length;
`;
const BASE = {
  ".gauntlet/config.yml": "base_branch: main\ncli:\n  default_preference: [claude, codex]\n",
  ".gauntlet/reviews/careful.md": "---\nnum_reviews: 1\n---\nLook for wrong results.\n",
};

/** A finding about that change. */
export function finding(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    file: "src/sum.js",
    line: 3,
    issue: "The mean of an empty list is NaN.",
    fix: "Return 0 for an empty list.",
    priority: "high",
    ...over,
  };
}

/** A reviewer's answer in the agreed form. */
export function says(...findings: readonly object[]): ReviewerTurn {
  return { stdout: JSON.stringify({ findings }) };
}
