import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cleanEnv, type GauntletProject } from "./gauntlet-project.ts";
import { GAUNTLET } from "./program.ts";

const PTY = join(import.meta.dirname, "terminal.py");

export const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;

/** The program on a real pseudo-terminal, while a test types and looks at the screen. */
export class LiveTerminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = "";

  constructor(project: GauntletProject, args: readonly string[], size = [24, 80]) {
    this.#child = spawn("python3", [PTY, ...size.map(String), ...GAUNTLET, ...args], {
      cwd: project.root,
      env: { ...cleanEnv(project.home), TERM: "xterm-256color", NO_COLOR: "1" },
    });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.#shown += chunk.toString().replaceAll("\r", "")));
    this.#child.stdin.on("error", () => {});
  }

  /** Everything that was written so far. */
  get shown(): string {
    return this.#shown;
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** How the program ended. */
  async exitCode(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, "close");
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill(); // the terminal hangs up, and with it the program
    await this.exitCode();
  }
}
