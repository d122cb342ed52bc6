import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** For the rest of a test, this process has no home, no CI and no settings of the gauntlet in its environment. */
export function stubEnvironment(home: string): void {
  const settings = Object.keys(process.env).filter((name) => /^(?:CI$|GITHUB_|GAUNTLET_|XDG_)/.test(name));
  for (const name of settings) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Makes a directory a git repository with a gauntlet whose only check wants `answer.txt` to say 42. */
export function makeGauntletProject(directory: string, config = ""): void {
  const files = {
    ".gauntlet/config.yml": `base_branch: main\nentry_points:\n  - path: "."\n    checks: [answer]\n${config}`,
    ".gauntlet/checks/answer.yml": `command: "grep -x 42 answer.txt || { echo 'error: the answer is wrong'; exit 1; }"\n`,
    ".gitignore": "gauntlet_logs/\n",
    "answer.txt": "41\n",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: directory, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git(
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@example.invalid",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "start",
  );
}
