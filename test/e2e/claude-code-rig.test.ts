import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { installClient } from "../rig/client-cache.ts";

const claude = await installClaudeCode();

test("a shell stop hook blocks once and the model receives its reason", async ({ skip }) => {
  if (!claude.ok) return skip(claude.reason);
  const block = `echo '{"decision":"block","reason":"write the tests first"}'`;
  const command = `if [ -f asked ]; then echo '{}'; else touch asked; ${block}; fi`;
  const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } };
  const project = await directoryWith({ ".claude/settings.local.json": JSON.stringify(settings) });

  const run = await runClaudeCode({ bin: claude.bin, project, turns: ["All done.", "Now it is."] });

  expect(run.requests.map((request) => request.scripted)).toEqual([true, true]);
  expect(run.requests[0]?.last).not.toContain("write the tests first");
  expect(run.requests[1]?.last).toContain("write the tests first");
  expect(run.hooks.map((hook) => [hook.event, hook.exitCode, hook.stdout.trim()])).toEqual([
    ["Stop", 0, '{"decision":"block","reason":"write the tests first"}'],
    ["Stop", 0, "{}"],
  ]);
  expect(run).toMatchObject({ exitCode: 0, result: "Now it is." });
  expect(await run.survivors()).toEqual([]);
});

test("a scripted tool call is really carried out", async ({ skip }) => {
  if (!claude.ok) return skip(claude.reason);
  const project = await directoryWith({ "notes.txt": "before" });
  const fix = { name: "Bash", input: { command: "echo after > notes.txt; ls", description: "fix" } };

  const run = await runClaudeCode({ bin: claude.bin, project, turns: [{ toolUse: fix }, "Done."] });

  expect(run.requests[1]?.last).toContain("[tool_result notes.txt]");
});

test("a client is installed once, also when two ask at the same time", async () => {
  const version = await packedClient(`#!/bin/sh\necho 1.0.0\n`);

  const answers = await Promise.all([1, 2].map(() => installClient({ package: "tiny-client", version })));

  const [first, second] = answers;
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(await readdir(process.env["AGENT_GAUNTLET_E2E_CACHE"] ?? "")).toHaveLength(1);
});

test("a client that does not start stays out of the cache and says why", async () => {
  const version = await packedClient(`#!/bin/sh\necho no such libc >&2; exit 1\n`);

  const answer = await installClient({ package: "tiny-client", version });

  expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining("no such libc") });
  expect(await readdir(process.env["AGENT_GAUNTLET_E2E_CACHE"] ?? "")).toEqual([]);
});

/** An npm package with one command, as a tarball; and an empty cache for it. */
async function packedClient(script: string): Promise<string> {
  const directory = await directoryWith({
    "package.json": JSON.stringify({ name: "tiny-client", version: "1.0.0", bin: "tiny.sh" }),
    "tiny.sh": script,
  });
  execFileSync("npm", ["pack", "--silent"], { cwd: directory });
  vi.stubEnv("AGENT_GAUNTLET_E2E_CACHE", await directoryWith({}));
  onTestFinished(() => void vi.unstubAllEnvs());
  return `file:${join(directory, "tiny-client-1.0.0.tgz")}`;
}

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "claude-code-rig-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  return directory;
}
