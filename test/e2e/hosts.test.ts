import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

import { GAUNTLET_LINE } from "../rig/program.ts";
import {
  type Client,
  CODEX,
  COPILOT,
  DROID,
  GEMINI,
  installHost,
  OLD_QWEN,
  QWEN,
  runClient,
} from "../rig/hosts/clients.ts";

import { type Answer, startFakeModel } from "../rig/hosts/fake-model.ts";

/** The others are several hundred MB: AGENT_GAUNTLET_E2E_ALL=1 runs them too. */
const CLIENTS = process.env["AGENT_GAUNTLET_E2E_ALL"]
  ? [CODEX, GEMINI, QWEN, OLD_QWEN, COPILOT, DROID]
  : [CODEX];

const FEEDBACK = "Gauntlet gates did not pass";

describe.each(CLIENTS)("the real $host $release.version", (client) => {
  test("is blocked once, its model reads why, and it may stop after the fix", async ({ skip }) => {
    await using project = await gatedProject(client, { maxRetries: 3 });

    const asked = await play(client, project, {
      answer: async (question) => {
        if (question === 2) await project.write({ "state.txt": "fixed\n" });
        return question === 1 ? "All done." : "Fixed.";
      },
      skip,
    });

    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toContain(FEEDBACK);
    expect(asked[1]).toContain(FEEDBACK);
    expect(await project.json(["explain"])).toMatchObject({
      event: { host: client.host },
      verdict: { decision: "allow", status: "passed" },
    });
  });

  test("is let go when the budget is spent, before it stops listening by itself", async ({ skip }) => {
    await using project = await gatedProject(client, { maxRetries: 20 });
    const cap = CAPS[client.host] ?? 20 + 1;

    const asked = await play(client, project, {
      answer: (question) => UNHELPFUL[question % UNHELPFUL.length] ?? "",
      skip,
    });

    expect(asked).toHaveLength(cap);
    expect(asked.at(-1)).toContain("This was the last attempt");
    expect(await project.json(["explain"])).toMatchObject({
      verdict: { decision: "allow", status: "retry_limit_exceeded" },
    });
  });
});

describe.runIf(CLIENTS.includes(COPILOT))("the real Copilot CLI", () => {
  test("runs the hook of Claude Code's settings, and only once", async ({ skip }) => {
    await using project = await gatedProject(COPILOT, {
      maxRetries: 3,
      registered: ["claude-code", "copilot"],
    });
    const asked = await play(COPILOT, project, {
      answer: async (question) => {
        if (question === 2) await project.write({ "state.txt": "fixed\n" });
        return "Done.";
      },
      skip,
    });

    expect(project.has(".github/hooks/agent-gauntlet.json")).toBe(false);
    expect(asked).toHaveLength(2);
    expect(project.has("gauntlet_logs/console.2.log")).toBe(true);
    expect(project.has("gauntlet_logs/console.3.log")).toBe(false);
  });
});

/** Not always the same words: Gemini CLI ends a turn by itself when its model repeats itself. */
const UNHELPFUL = ["I like it as it is.", "Nothing to do.", "The check is wrong, not me.", "Later, perhaps."];

/** The blocks these hosts obey in a row; one fewer is given. */
const CAPS: Readonly<Record<string, number>> = { qwen: 8, copilot: 8 };

/** A project with a red check, the stop hook registered by our own `install`. */
async function gatedProject(
  client: Client,
  { maxRetries, registered = [client.host] }: { maxRetries: number; registered?: readonly string[] },
): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": [
      `max_retries: ${maxRetries}`,
      "stop_hook:",
      "  when_active: enforce",
      "checks:",
      `  ready: 'test "$(cat state.txt)" = fixed'`,
      "",
    ].join("\n"),
    "state.txt": "new\n",
  });
  await project.commit("start");
  await project.write({ "state.txt": "broken\n" });
  await writeProgram(join(project.home, "bin/agent-gauntlet"), `exec ${GAUNTLET_LINE} "$@"`);
  const hosts = registered.flatMap((name) => ["--host", name]);
  const installed = await project.gauntlet(["install", ...hosts], { env: { PATH: pathOf(project) } });
  expect(installed.stdout).toContain("✓ Stop hook installed");
  return project;
}

interface Script {
  readonly answer: Answer;
  readonly skip: (reason: string) => void;
}

/** Runs the client on one prompt; returns what its model was asked. */
async function play(
  client: Client,
  project: GauntletProject,
  { answer, skip }: Script,
): Promise<readonly string[]> {
  const installed = await installHost(client);
  if (!installed.ok) {
    skip(installed.reason);
    return [];
  }
  await using model = await startFakeModel(answer);
  const command = installed.via === undefined ? [installed.bin] : [installed.via, installed.bin];
  const place = { home: project.home, project: project.root, modelUrl: model.url };
  const run = await runClient(client, { ...place, command, path: pathOf(project) });
  expect(run).toMatchObject({ exitCode: 0 });
  return model.questions;
}

function pathOf(project: GauntletProject): string {
  return [join(project.home, "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
    ":",
  );
}

async function writeProgram(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}
