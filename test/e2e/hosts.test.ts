import { describe, expect, test } from "vitest";
import type { GauntletProject } from "../rig/gauntlet-project.ts";

import {
  CODEX,
  COPILOT,
  DROID,
  GEMINI,
  GROK,
  KIMI,
  OLD_QWEN,
  OPENCODE,
  PI,
  QWEN,
} from "../rig/hosts/clients.ts";

import { type Answer } from "../rig/hosts/fake-model.ts";

import { gatedProject, play } from "../rig/hosts/gated-project.ts";
import { beginnings } from "../rig/state-files.ts";

const CLIENTS = [CODEX, GEMINI, QWEN, OLD_QWEN, COPILOT, DROID, OPENCODE, GROK, PI];

const FEEDBACK = "Gauntlet gates did not pass";

describe.each(CLIENTS)("the real $host $release.version", (client) => {
  test("is blocked once, its model reads why, and it may stop after the fix", async ({ skip }) => {
    await using project = await gatedProject();

    const { asked } = await play(client, project, { answer: fixingWhenBlocked(project), skip });

    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toContain(FEEDBACK);
    expect(asked[1]).toContain(FEEDBACK);
    expect(await project.json(["explain"])).toMatchObject({
      event: { host: client.host },
      verdict: { decision: "allow", status: "passed" },
    });
    const tree = client.isNotAwaited ? {} : { tree: expect.any(String) as unknown };
    expect(beginnings(project)).toMatchObject([{ root: project.root, ...tree }]);
  });

  test("may stop when the budget is spent, before it stops listening by itself", async ({ skip }) => {
    await using project = await gatedProject({ maxRetries: 10 });
    const cap = CAPS[client.host] ?? 10 + 1;

    const { asked } = await play(client, project, { answer: unhelpful, skip });

    expect(asked).toHaveLength(cap);
    expect(asked.at(-1)).toMatch(/Attempt (\d+) of \1\. If you cannot fix it/);
    expect(await project.json(["explain"])).toMatchObject({
      verdict: { decision: "allow", status: "retry_limit_exceeded" },
    });
  });
});

describe.each([COPILOT, GROK])("the real $host $release.version", (client) => {
  test("runs the hook of Claude Code's settings, and only once", async ({ skip }) => {
    await using project = await gatedProject();

    const { asked } = await play(client, project, {
      answer: fixingWhenBlocked(project),
      registered: ["claude-code", client.host],
      skip,
    });

    expect(project.has(PROJECT_FILES[client.host] ?? "")).toBe(false);
    expect(asked).toHaveLength(2);
    expect(project.has("gauntlet_logs/console.2.log")).toBe(true);
    expect(project.has("gauntlet_logs/console.3.log")).toBe(false);
  });
});

describe.each([OPENCODE, PI])("the real $host $release.version", (client) => {
  test("is blocked by the plugin in the home directory too, in a project that is allowed", async ({
    skip,
  }) => {
    await using project = await gatedProject();

    const { asked } = await play(client, project, {
      answer: fixingWhenBlocked(project),
      inHome: true,
      skip,
    });

    expect(project.has(PROJECT_FILES[client.host] ?? "")).toBe(false);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain(FEEDBACK);
  });
});

describe("the real Gemini CLI", () => {
  test("may stop after a block by default, although it forgets its flag after a tool call", async ({
    skip,
  }) => {
    await using project = await gatedProject({ whenActive: "allow" });

    const { asked } = await play(GEMINI, project, {
      answer: (question) => (question === 2 ? { shell: "true" } : unhelpful(question)),
      skip,
    });

    expect(asked).toHaveLength(3);
    expect(asked[1]).toContain(FEEDBACK);
    expect(await project.json(["explain"])).toMatchObject({
      event: { host: "gemini", continued: true },
      verdict: { decision: "allow", status: "stop_hook_active" },
    });
  });
});

describe("the real Kimi Code", () => {
  test("is blocked once in a turn, reads exactly the reason, and does not ask about the stop after it", async ({
    skip,
  }) => {
    await using project = await gatedProject();

    const { asked } = await play(KIMI, project, { answer: unhelpful, skip });

    expect(asked).toHaveLength(2);
    expect(lastMessage(asked[1])).toMatch(
      /^Gauntlet gates did not pass: [^]*you can be sent back 2 more times\.$/,
    );
    expect(await project.json(["explain"])).toMatchObject({
      event: { host: "kimi" },
      verdict: { decision: "block" },
    });
  });
});

function fixingWhenBlocked(project: GauntletProject): Answer {
  return async (question) => {
    if (question === 2) await project.write({ "state.txt": "fixed\n" });
    return question === 1 ? "All done." : "Fixed.";
  };
}

/** Not always the same words: Gemini CLI ends a turn by itself when its model repeats itself. */
function unhelpful(question: number): string {
  return UNHELPFUL[question % UNHELPFUL.length] ?? "";
}

const UNHELPFUL = ["I like it as it is.", "Nothing to do.", "The check is wrong, not me.", "Later, perhaps."];

/** The blocks these hosts obey in a row; one fewer is given. */
const CAPS: Readonly<Record<string, number>> = { qwen: 8, copilot: 8, grok: 8 };

/** Where their hooks lie in a project. */
const PROJECT_FILES: Readonly<Record<string, string>> = {
  copilot: ".github/hooks/agent-gauntlet.json",
  grok: ".grok/hooks/agent-gauntlet.json",
  opencode: ".opencode/plugins/agent-gauntlet.js",
  pi: ".pi/extensions/agent-gauntlet.ts",
};

/** The text of the last message of an OpenAI Chat request. */
function lastMessage(body = "{}"): unknown {
  const { messages = [] } = JSON.parse(body) as { messages?: { content: unknown }[] }; // as the client sent it
  return messages.at(-1)?.content;
}
