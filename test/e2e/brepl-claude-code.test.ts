import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installClaudeCode, runClaudeCode, type ClaudeCodeRun } from "../rig/claude-code.ts";
import { BREPL } from "../rig/program.ts";

const claude = await installClaudeCode();

const touch = (file: string) => ({
  toolUse: { name: "Bash", input: { command: `touch ${file}`, description: "work" } },
});

test("exit code 2 makes Claude Code go on with what the hook says, until the hook passes", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  const project = await projectWith(
    '{:stop [{:type :bash :name "tests" :command "echo fixed is missing; test -f fixed" :retry-on-failure? true}]}',
  );

  const run = await project.run(claude.bin, ["All done.", touch("fixed"), "Now it is."]);

  expect(stops(run)).toEqual([2, 0]);
  expect(run.requests[1]?.last).toContain(
    "Hook 'tests' failed (attempt 1/10). Fix the issues shown below and try again:",
  );
  expect(run.requests[1]?.last).toContain("fixed is missing");
  expect(run).toMatchObject({ exitCode: 0, result: "Now it is." });
  expect(await run.survivors()).toEqual([]);
});

test("a model that never fixes is sent back :max-retries times, then exit code 1 ends it", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  const project = await projectWith(
    '{:stop [{:type :bash :name "tests" :command "exit 1" :retry-on-failure? true :max-retries 3}]}',
  );

  const run = await project.run(claude.bin, ["Done.", "Really.", "Yes.", "Trust me.", "Too many."]);

  expect(stops(run)).toEqual([2, 2, 2, 1]);
  expect(run.hooks.at(3)?.stderr).toContain("retry limit reached");
  expect(run).toMatchObject({ exitCode: 0, result: "Trust me." });
});

test("the default of ten is reached by a model that works between its stops", async ({ skip }) => {
  if (!claude.ok) return skip(claude.reason);
  const project = await projectWith(
    '{:stop [{:type :bash :name "tests" :command "exit 1" :retry-on-failure? true}]}',
  );
  const rounds = Array.from({ length: 10 }, (_, round) => [
    `Done ${round}.`,
    touch(`attempt-${round}`),
  ]).flat();

  const run = await project.run(claude.bin, [...rounds, "That was all."]);

  expect(stops(run)).toEqual([...Array.from({ length: 10 }, () => 2), 1]);
  expect(run).toMatchObject({ exitCode: 0, result: "That was all." });
});

test("nothing of the session is left after its end, though Claude Code itself ended the retries", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  const project = await projectWith(
    '{:stop [{:type :bash :name "tests" :command "exit 1" :retry-on-failure? true}]}',
  );

  const run = await project.run(claude.bin, [], { fallback: "Done." });

  const codes = stops(run);
  expect(new Set(codes)).toEqual(new Set([2]));
  expect(codes.length).toBeLessThan(10);
  expect(run.sessionId).toMatch(/^[\w-]+$/);
  expect(existsSync(`/tmp/brepl-stop-hook-${run.sessionId}.edn`)).toBe(false);
  expect(existsSync(join(project.dir, ".brepl/logs", run.sessionId ?? ""))).toBe(false);
});

function stops(run: ClaudeCodeRun): readonly (number | undefined)[] {
  return run.hooks.filter(({ event }) => event === "Stop").map(({ exitCode }) => exitCode);
}

/** A directory where `brepl hook install` was run by hand, with `brepl` on the PATH. */
async function projectWith(hooks: string) {
  const dir = await mkdtemp(join(tmpdir(), "brepl-claude-code-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, "bin"));
  await symlink(BREPL.at(-1) ?? "", join(dir, "bin/brepl"));
  const env = { PATH: `${join(dir, "bin")}${delimiter}${process.env["PATH"]}` };
  execFileSync(join(dir, "bin/brepl"), ["hook", "install"], { cwd: dir, env });
  await writeFile(join(dir, ".brepl/hooks.edn"), hooks);
  return {
    dir,
    run: (
      bin: string,
      turns: Parameters<typeof runClaudeCode>[0]["turns"],
      model = {},
    ): Promise<ClaudeCodeRun> => runClaudeCode({ bin, project: dir, turns, model, env }),
  };
}
