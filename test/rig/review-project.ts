import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunRequest, RunEvent } from "../../src/run/request.ts";
import type { RunResult } from "../../src/run/result.ts";
import { run } from "../../src/run/run.ts";

import { tempDir } from "./temp-dir.ts";

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

export interface ReviewProject extends AsyncDisposable {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly read: (file: string) => Promise<string>;
  readonly git: (...args: readonly string[]) => string;
  /** Puts a reviewer on PATH; its last turn is played for every further call. */
  readonly reviewer: (name: string, turns: readonly ReviewerTurn[]) => Promise<void>;
  readonly calls: (name: string) => Promise<readonly ReviewerCall[]>;
  /** What the reviewer's own child printed. */
  readonly ran: (name: string, call: number) => Promise<{ status: number; stdout: string }>;
  readonly run: (
    request?: Partial<RunRequest>,
  ) => Promise<RunResult & { events: readonly RunEvent[]; feedback?: string; attemptsLeft?: number }>;
  readonly sheet: (name?: string) => Promise<SheetFile>;
  /** Sets status and result of every finding, as an agent would. */
  readonly answer: (status: string, result: string, name?: string) => Promise<void>;
}

interface SheetFile {
  readonly round: number;
  readonly reviewer: string;
  findings: { id: string; file: string; issue: string; status: string; result: string; priority: string }[];
}

/** A git repository with a committed base, an uncommitted change to `src/sum.js`, and one review. */
export async function reviewProject(files: Readonly<Record<string, string>> = {}): Promise<ReviewProject> {
  const dir = await tempDir("gauntlet-review-");
  const [root, bin, home] = ["project", "bin", "home"].map((name) => join(dir.path, name)) as [
    string,
    string,
    string,
  ]; // three in, three out
  await Promise.all([root, bin, home].map((path) => mkdir(path, { recursive: true })));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: home, XDG_STATE_HOME: join(home, "state") };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: root,
      env,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  await write("src/sum.js", "export const sum = (list) => list.reduce((a, b) => a + b, 0);\n");
  for (const [file, text] of Object.entries({ ...BASE, ...files })) await write(file, text);
  git("add", "-A");
  git("commit", "-qm", "base");
  await write("src/sum.js", CHANGED);
  const reviewerHome = (name: string): string => join(dir.path, "reviewers", name);
  const sheetPath = (name: string): string => join(root, "gauntlet_logs", `${name}.json`);
  const sheet = async (name = SHEET): Promise<SheetFile> =>
    JSON.parse(await readFile(sheetPath(name), "utf8")) as SheetFile; // our own format, checked by the tests that use it
  return {
    root,
    env,
    write,
    git,
    sheet,
    read: (file) => readFile(join(root, file), "utf8"),
    reviewer: async (name, turns) => {
      await rm(reviewerHome(name), { recursive: true, force: true });
      await mkdir(reviewerHome(name), { recursive: true });
      await writeFile(join(reviewerHome(name), "script.json"), JSON.stringify(turns));
      await copyFile(join(import.meta.dirname, "fake-reviewer.mjs"), join(bin, name));
      await chmod(join(bin, name), 0o755);
    },
    calls: async (name) => {
      const names = (await readdir(reviewerHome(name))).filter((file) => file.startsWith("call-")).toSorted();
      const texts = await Promise.all(names.map((file) => readFile(join(reviewerHome(name), file), "utf8")));
      return texts.map((text) => JSON.parse(text) as ReviewerCall); // written by the fake reviewer
    },
    ran: async (name, call) =>
      JSON.parse(await readFile(join(reviewerHome(name), `ran-${call}.json`), "utf8")) as {
        status: number;
        stdout: string;
      }, // likewise
    run: async (request = {}) => {
      const events: RunEvent[] = [];
      const result = await run({ cwd: root, env, onEvent: (event) => events.push(event), ...request });
      return { ...result, events };
    },
    answer: async (status, result, name = SHEET) => {
      const before = await sheet(name);
      const findings = before.findings.map((finding) => ({ ...finding, status, result }));
      await writeFile(sheetPath(name), JSON.stringify({ ...before, findings }));
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const SHEET = "review_._careful.slot-1";
const CHANGED = `export const sum = (list) => list.reduce((a, b) => a + b);

export const mean = (list) => sum(list) / list.length;
`;
const BASE = {
  ".gauntlet/config.yml": "base_branch: main\ncli:\n  default_preference: [claude, codex]\n",
  ".gauntlet/reviews/careful.md": "---\nnum_reviews: 1\n---\nLook for wrong results.\n",
};

/** A finding about the change of `reviewProject`. */
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
