import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CODEX, COPILOT, GEMINI } from "../rig/hosts/clients.ts";
import { installClaudeCode } from "../rig/claude-code.ts";
import { installClient } from "../rig/client-cache.ts";
import type { GauntletProject } from "../rig/gauntlet-project.ts";
import { startFakeAnthropicApi } from "../rig/fake-anthropic-api.ts";
import { startFakeReviewerModel } from "../rig/fake-reviewer-model.ts";
import { finding, reviewProject, runGates } from "../rig/fake-reviewers.ts";

const claude = await installClaudeCode();
const [codex, gemini, copilot] = await Promise.all(
  [CODEX, GEMINI, COPILOT].map(({ release }) => installClient(release)),
);

/** 200 KB of change in lines that can be told apart. */
const BIG = Array.from(
  { length: 4_000 },
  (_, index) => `export const value${index} = "number ${index} of many";`,
);
const ANSWER = JSON.stringify({ findings: [finding()] });

async function projectFor(reviewer: string, bin: string, more = ""): Promise<GauntletProject> {
  const project = await reviewProject({
    ".gauntlet/reviews/careful.md": `---\ncli_preference: [${reviewer}]\n${more}---\nLook for wrong results.\n`,
    ".claude/settings.json": hooks("Stop"),
    ".gemini/settings.json": hooks("AfterAgent"),
    ".codex/hooks.json": hooks("Stop"),
  });
  await mkdir(project.bin);
  await symlink(bin, join(project.bin, reviewer === "github-copilot" ? "copilot" : reviewer));
  await project.write({ "src/big.js": `${BIG.join("\n")}\n` });
  const trace = join(project.root, "hook-ran");
  await inHome(project, { ".claude/settings.json": hooks("Stop", `touch ${trace}`) });
  return project;
}

/** A hook that leaves a trace when it runs. */
function hooks(event: string, command = "touch hook-ran"): string {
  return JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } });
}

async function inHome(project: GauntletProject, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(project.home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

function isWhole(question: string): boolean {
  return BIG.every((line) => question.includes(JSON.stringify(`+${line}`).slice(1, -1)));
}

describe("Claude Code", () => {
  const LOOPBACK = {
    ANTHROPIC_API_KEY: "sk-ant-loopback",
    IS_SANDBOX: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };

  test("gets a 200 KB change whole, cannot write or run anything, and its answer becomes findings", async ({
    skip,
  }) => {
    if (!claude.ok) return skip(claude.reason);
    await using project = await projectFor("claude", claude.bin, "model: claude-sonnet-4-5\n");
    await using api = await startFakeAnthropicApi({
      turns: [
        { toolUse: { name: "Write", input: { file_path: join(project.root, "written.txt"), content: "x" } } },
        { toolUse: { name: "Bash", input: { command: "touch ran.txt", description: "x" } } },
        { toolUse: { name: "Read", input: { file_path: join(project.root, "src/sum.js") } } },
        { text: `Here is what I found:\n\`\`\`json\n${ANSWER}\n\`\`\`` },
      ],
    });

    const run = await runGates(project, ["run"], {
      env: { ...LOOPBACK, ANTHROPIC_BASE_URL: api.url, CLAUDECODE: "1" },
    });

    expect(run.outcomes[0]?.review?.open).toMatchObject([{ file: "src/sum.js", line: 3, priority: "high" }]);
    expect(api.requests).toHaveLength(4);
    expect(isWhole(JSON.stringify(api.requests[0]?.body.messages))).toBe(true);
    expect(api.requests[0]?.body.model).toBe("claude-sonnet-4-5");
    expect(api.requests[1]?.last).toContain("No such tool available: Write");
    expect(api.requests[2]?.last).toContain("No such tool available: Bash");
    expect(api.requests[3]?.last).toContain("export const mean");
    expect(await readdir(project.root)).not.toContain("written.txt");
    expect(await readdir(project.root)).not.toContain("ran.txt");
    expect(await readdir(project.root)).not.toContain("hook-ran");
  });

  test("that is not logged in is no finding", async ({ skip }) => {
    if (!claude.ok) return skip(claude.reason);
    await using project = await projectFor("claude", claude.bin);
    const { ANTHROPIC_API_KEY: _, ...offline } = LOOPBACK;

    const run = await runGates(project, ["run"], {
      env: { ...offline, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    });

    expect(run.outcomes[0]).toMatchObject({
      outcome: "unavailable",
      detail: expect.stringContaining("not logged in"),
    });
  });

  test("that has reached its limit is left alone", async ({ skip }) => {
    if (!claude.ok) return skip(claude.reason);
    await using project = await projectFor("claude", claude.bin);
    const limit = {
      error: { status: 429, type: "rate_limit_error", message: "You have reached your usage limit" },
    };
    await using api = await startFakeAnthropicApi({ turns: [], fallback: limit });
    const env = { ...LOOPBACK, ANTHROPIC_BASE_URL: api.url };

    const first = await runGates(project, ["run"], { env });
    const asked = api.requests.length;
    const second = await runGates(project, ["run"], { env });

    expect(first.outcomes[0]).toMatchObject({ detail: expect.stringContaining("reached its usage limit") });
    expect(second.outcomes[0]).toMatchObject({ detail: expect.stringContaining("left alone until") });
    expect(api.requests).toHaveLength(asked);
  });
});

test("Codex gets a 200 KB change whole, cannot write, and its answer becomes findings", async ({ skip }) => {
  if (codex?.ok !== true) return skip(codex?.reason ?? "");
  await using project = await projectFor("codex", codex.bin);
  const command = { cmd: "touch written.txt", command: ["touch", "written.txt"] };
  await using model = await startFakeReviewerModel([{ tool: "exec_command", args: command }, ANSWER]);
  const setUp = CODEX.setUp({
    home: project.home,
    project: project.root,
    modelUrl: model.url,
  });
  const careless = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n';
  await inHome(project, { ".codex/config.toml": `${careless}${setUp.files[".codex/config.toml"]}` });

  const run = await runGates(project, ["run"], { env: setUp.env });

  expect(run.outcomes[0]?.review?.open).toMatchObject([{ file: "src/sum.js", line: 3 }]);
  expect(model.questions).toHaveLength(2);
  expect(model.questions[1]).toMatch(/Read-only file system|Permission denied|Operation not permitted/);
  expect(isWhole(model.questions[0] ?? "")).toBe(true);
  expect(await readdir(project.root)).not.toContain("written.txt");
  expect(await readdir(project.root)).not.toContain("hook-ran");
});

test("Gemini CLI gets a 200 KB change whole, has only reading tools, and its answer becomes findings", async ({
  skip,
}) => {
  if (gemini?.ok !== true) return skip(gemini?.reason ?? "");
  await using project = await projectFor("gemini", gemini.bin, "model: gemini-2.5-flash\n");
  const path = join(project.root, "written.txt");
  await using model = await startFakeReviewerModel([
    { tool: "write_file", args: { file_path: path, content: "x" } },
    ANSWER,
  ]);
  const setUp = GEMINI.setUp({
    home: project.home,
    project: project.root,
    modelUrl: model.url,
  });
  const own = JSON.parse(setUp.files[".gemini/settings.json"] ?? "") as object; // the rig's own settings
  const trace = JSON.parse(hooks("AfterAgent", `touch ${join(project.root, "hook-ran")}`)) as object; // ours
  await inHome(project, { ".gemini/settings.json": JSON.stringify({ ...own, ...trace }) });

  const run = await runGates(project, ["run"], { env: setUp.env });

  expect(run.outcomes[0]?.review?.open).toMatchObject([{ file: "src/sum.js", line: 3 }]);
  expect(isWhole(model.questions[0] ?? "")).toBe(true);
  expect(model.tools().toSorted()).toEqual(["glob", "grep_search", "list_directory", "read_file"]);
  expect(await readdir(project.root)).not.toContain("written.txt");
  expect(await readdir(project.root)).not.toContain("hook-ran");
});

test("Copilot CLI gets a 200 KB change whole, has only reading tools, and its answer becomes findings", async ({
  skip,
}) => {
  if (copilot?.ok !== true) return skip(copilot?.reason ?? "");
  await using project = await projectFor("github-copilot", copilot.bin);
  await using model = await startFakeReviewerModel([ANSWER]);
  const setUp = COPILOT.setUp({
    home: project.home,
    project: project.root,
    modelUrl: model.url,
  });

  const run = await runGates(project, ["run"], {
    env: { ...setUp.env, COPILOT_PROVIDER_API_KEY: "a-key-for-loopback" },
  });

  expect(run.outcomes[0]?.review?.open).toMatchObject([{ file: "src/sum.js", line: 3 }]);
  expect(isWhole(model.questions[0] ?? "")).toBe(true);
  expect(model.tools().toSorted()).toEqual(["glob", "grep", "view"]);
  expect(await readdir(project.root)).not.toContain("hook-ran");
});
