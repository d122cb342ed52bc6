import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { asUser } from "../rig/as-user.ts";
import { cleanEnv, GauntletProject, run, type RunOptions } from "../rig/gauntlet-project.ts";
import { BREPL, GAUNTLET } from "../rig/program.ts";
import { Transcript } from "./transcript.ts";

export type Files = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string>>;

/** With times of their own, commits would have another hash in each run. */
const DATE = "2026-01-01T00:00:00Z";

/** One scenario while it is played: does something to a project or asks the program, and takes down what comes of it. */
export class Play implements AsyncDisposable {
  readonly project: GauntletProject;
  readonly transcript: Transcript;

  private constructor(project: GauntletProject) {
    this.project = project;
    this.transcript = new Transcript(project.home);
    const { masks } = this.transcript;
    masks.add(GAUNTLET.join(" "), "program");
    masks.add(["node", ...GAUNTLET.slice(1)].join(" "), "program");
    masks.add(project.root, "project");
    masks.add(project.home, "home");
    masks.add(dirname(project.root), "temp");
  }

  /** A git repository in which these files are committed on `main`; it is on a branch off it. */
  static async begin(files: Files): Promise<Play> {
    const play = new Play(await GauntletProject.create(files));
    await play.#commitAll("start");
    await play.project.git("checkout", "--quiet", "-b", "work");
    return play;
  }

  async write(files: Files): Promise<void> {
    this.transcript.say(`write ${Object.keys(files).join(", ")}`);
    await this.project.write(files);
  }

  async remove(path: string): Promise<void> {
    this.transcript.say(`remove ${path}`);
    await rm(join(this.project.root, path), { recursive: true });
  }

  async commit(message: string): Promise<void> {
    this.transcript.say(`git commit "${message}"`);
    await this.#commitAll(message);
  }

  async git(...args: readonly string[]): Promise<void> {
    this.transcript.say(`git ${args.join(" ")}`);
    await this.project.git(...args);
  }

  /** The stop hook, asked as Claude Code asks, but for the fields of `event`. */
  async stop(event: Json = {}, { args = [], ...options }: HookOptions = {}): Promise<void> {
    const asked = { session_id: "session-1", hook_event_name: "Stop", stop_hook_active: false, ...event };
    const told = Object.keys(event).length === 0 ? [] : [JSON.stringify(event)];
    await this.hook(["stop-hook", ...args], asked, { ...options, told });
  }

  /** A hook that is asked with this payload; where nothing else is said, in this project. */
  async hook(args: readonly string[], payload: Json, options: HookOptions = {}): Promise<void> {
    const { told = [], env = {}, cwd = "." } = options;
    const { root } = this.project;
    const stdin = `${JSON.stringify({ cwd: root, ...payload })}\n`;
    const done = await this.project.gauntlet(args, { stdin, env, cwd: join(root, cwd) });
    this.transcript.record([...wordsOf(env), ...args, ...told].join(" "), done);
  }

  async gauntlet(args: readonly string[], options: RunOptions = {}): Promise<void> {
    const done = await this.project.gauntlet(args, options);
    this.transcript.record([...wordsOf(options.env ?? {}), "agent-gauntlet", ...args].join(" "), done);
  }

  async brepl(args: readonly string[], stdin: string): Promise<void> {
    const done = await this.#run([...BREPL, ...args], stdin);
    this.transcript.record(`brepl ${args.join(" ")}`, done);
  }

  /** A program that uses the SDK: plays these steps, and prints what the hook answers and what it logs. */
  async sdk(asked: Json): Promise<void> {
    const program = join(import.meta.dirname, "sdk-play.mjs");
    const done = await this.#run([process.execPath, program], JSON.stringify(asked));
    this.transcript.record(`SDK ${JSON.stringify(asked)}`, done);
  }

  /** At a terminal of the user's, who types this where a question is asked. */
  async user(typed: string, ...args: readonly string[]): Promise<void> {
    const done = await asUser(this.project, typed, ...args);
    const stdout = stripVTControlCharacters(done.stdout);
    this.transcript.record(`at a terminal: agent-gauntlet ${args.join(" ")}`, { ...done, stdout });
  }

  /** Puts a reviewer on the PATH of the steps that get what this returns; its last turn is played for every further call. */
  async reviewer(name: string, ...turns: readonly Json[]): Promise<{ readonly env: Env }> {
    const temp = dirname(this.project.root);
    await mkdir(join(temp, "bin"), { recursive: true });
    await mkdir(join(temp, "reviewers", name), { recursive: true });
    await writeFile(join(temp, "reviewers", name, "script.json"), JSON.stringify(turns));
    await copyFile(join(import.meta.dirname, "../rig/fake-reviewer.mjs"), join(temp, "bin", name));
    await chmod(join(temp, "bin", name), 0o755);
    return { env: { PATH: `${join(temp, "bin")}:${process.env["PATH"]}` } };
  }

  /** Sets status and result of all findings on a sheet, as an agent would. */
  async answer(sheet: string, status: string, result: string): Promise<void> {
    this.transcript.say(`answer ${sheet}: ${status}, "${result}"`);
    const before = JSON.parse(this.project.read(sheet)) as { readonly findings: readonly Json[] };
    const findings = before.findings.map((finding) => ({ ...finding, status, result }));
    await this.project.write({ [sheet]: JSON.stringify({ ...before, findings }) });
  }

  show(path: string): void {
    this.transcript.content(`file ${path}`, this.project.read(path));
  }

  async #commitAll(message: string): Promise<void> {
    for (const args of [
      ["add", "--all"],
      ["commit", "--quiet", "--allow-empty", "--message", message],
    ]) {
      const done = await this.#run(["git", "-c", "maintenance.auto=false", ...args]);
      if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
    }
  }

  #run(argv: readonly string[], stdin = "") {
    const { root, home } = this.project;
    const dates = { GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE };
    return run(argv, { cwd: root, env: { ...cleanEnv(home), ...dates }, stdin });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.project[Symbol.asyncDispose]();
  }
}

interface HookOptions {
  readonly args?: readonly string[];
  readonly env?: Env;
  /** Relative to the project. */
  readonly cwd?: string;
  /** What the transcript says of the event. */
  readonly told?: readonly string[];
}

/** A PATH differs from machine to machine. */
function wordsOf(env: Env): readonly string[] {
  const shown = Object.entries(env).filter(([name]) => name !== "PATH");
  return shown.map(([name, value]) => `${name}=${value}`);
}
