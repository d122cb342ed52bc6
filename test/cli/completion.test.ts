import { mkdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLI, cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

let project: GauntletProject;
beforeAll(async () => {
  project = await GauntletProject.create(
    { ".gauntlet/config.yml": "checks:\n  lint: 'true'\n  test-unit: 'true'\n" },
    { git: false },
  );
  const bin = join(project.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "agent-gauntlet"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, {
    mode: 0o755,
  });
  for (const shell of SHELLS) {
    const { stdout } = await project.gauntlet(["completion", shell]);
    await writeFile(join(project.home, `completion.${shell}`), stdout);
  }
});
afterAll(() => project[Symbol.asyncDispose]());

describe.each(SHELLS)("in %s", (shell) => {
  const skip = test.skipIf(!isInstalled(shell));

  skip("the script is valid", async () => {
    expect(await inShell(shell, ["-n", join(project.home, `completion.${shell}`)])).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
  });

  skip("the first word is a command", async () => {
    expect(await complete(shell, "")).toEqual(expect.arrayContaining(["brepl", "explain", "init", "run"]));
    expect(await complete(shell, "st")).toEqual(["status"]);
  });

  skip("then come the flags of that command, and no others", async () => {
    expect(await complete(shell, "list", "--")).toEqual(["--help", "--json", "--names"]);
    expect(await complete(shell, "detect", "--w")).toEqual(["--why"]);
    expect(await complete(shell, "list", "--w")).toEqual([]);
  });

  skip("after -g come this project's gates, after --host the agents, and nothing else", async () => {
    expect(await complete(shell, "run", "-g", "")).toEqual(["lint", "test-unit"]);
    expect(await complete(shell, "check", "--gate", "te")).toEqual(["test-unit"]);
    expect(await complete(shell, "install", "--host", "c")).toEqual([
      "claude-code",
      "codex",
      "copilot",
      "cursor",
    ]);
    expect(await complete(shell, "report", "--format", "j")).toEqual(["junit"]);
  });

  skip("or what its argument may be", async () => {
    expect(await complete(shell, "completion", "z")).toEqual(["zsh"]);
    expect(await complete(shell, "help", "det")).toEqual(["detect"]);
  });
});

function isInstalled(shell: Shell): boolean {
  return (process.env["PATH"] ?? "").split(":").some((dir) => existsSync(join(dir, shell)));
}

function inShell(shell: Shell, args: readonly string[]): ReturnType<typeof run> {
  const bare = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  return run([shell, ...bare, ...args], { cwd: project.root, env: shellEnv() });
}

/** With the program on the PATH, as the script expects it. */
function shellEnv(): Record<string, string> {
  const env = cleanEnv(project.home);
  return { ...env, PATH: `${join(project.home, "bin")}:${env["PATH"]}` };
}

/** What the shell offers for the last of these words, sorted. */
async function complete(shell: Shell, ...words: readonly string[]): Promise<readonly string[]> {
  const script = join(project.home, `completion.${shell}`);
  const line = words.map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = await inShell(shell, ["-c", ASK[shell](script, line, words)]);
  expect(stderr).toBe("");
  const offered = stdout.split("\n").filter(Boolean);
  const last = words.at(-1) ?? "";
  return [...new Set(offered)].filter((word) => word.startsWith(last)).toSorted();
}

const ASK: Readonly<Record<Shell, (script: string, line: string, words: readonly string[]) => string>> = {
  bash: (script, line, words) => `
source "${script}"
complete -p agent-gauntlet >/dev/null || exit 1
COMP_WORDS=(agent-gauntlet ${line}); COMP_CWORD=${words.length}
_agent_gauntlet
printf '%s\\n' "\${COMPREPLY[@]}"`,
  // zsh offers words through builtins that only work inside its line editor; here they print what they are given
  zsh: (script, line, words) => `
autoload -Uz compinit; compinit -D -u
source "${script}"
[ "$_comps[agent-gauntlet]" = _agent_gauntlet ] || exit 1
_describe() { local list=$argv[-1]; print -rl -- \${\${(P)list}%%:*} }
compadd() { shift; print -rl -- $@ }
words=(agent-gauntlet ${line}); CURRENT=${words.length + 1}
_agent_gauntlet`,
  fish: (script, _line, words) => `
source "${script}"
complete -C "agent-gauntlet ${words.join(" ")}" | string replace -r '\\t.*' ''`,
};
