import { describe, expect, test } from "vitest";

import { claudeCode } from "../../src/hosts/claude-code.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

describe("a payload of Claude Code", () => {
  test("becomes a stop event with everything it says", () => {
    const { payload } = recording("claude-code", "stop");

    expect(claudeCode.parse(payload, surroundings)).toEqual({
      kind: "stop",
      event: {
        host: "claude-code",
        sessionId: "7e0ecc21-9913-42fd-8a32-8fbaf3ccbfe4",
        transcriptPath: "/home/user/.claude/projects/-tmp-project/7e0ecc21-9913-42fd-8a32-8fbaf3ccbfe4.jsonl",
        promptId: "b2884993-985e-456a-a894-8358571ac343",
        cwd: "/tmp/project",
        continued: false,
        lastMessage: "one",
        permissionMode: "bypassPermissions",
        backgroundTasks: [],
      },
    });
  });

  test("says that the agent goes on after a block, in the same prompt", () => {
    const first = claudeCode.parse(recording("claude-code", "stop").payload, surroundings);
    const second = claudeCode.parse(recording("claude-code", "stop-after-block").payload, surroundings);

    expect(first).toMatchObject({ event: { continued: false } });
    expect(second).toMatchObject({ event: { continued: true } });
    expect(second).toHaveProperty("event.promptId", "b2884993-985e-456a-a894-8358571ac343");
  });

  test("tells a background agent from a background shell", () => {
    const { payload } = recording("claude-code", "stop-with-background-tasks");

    expect(claudeCode.parse(payload, surroundings)).toMatchObject({
      event: {
        backgroundTasks: [
          { kind: "shell", description: "dev server" },
          { kind: "agent", description: "look around" },
        ],
      },
    });
  });

  test("says when it is in plan mode", () => {
    const { payload } = recording("claude-code", "stop-plan-mode");

    expect(claudeCode.parse(payload, surroundings)).toMatchObject({ event: { permissionMode: "plan" } });
  });

  test("is no stop when a sub-agent ends (C37)", () => {
    const { payload } = recording("claude-code", "subagent-stop");

    expect(claudeCode.parse(payload, surroundings)).toEqual({ kind: "other-event", name: "SubagentStop" });
  });

  test("without an event name counts as a stop, in our own directory when it names none (C37, G20)", () => {
    expect(claudeCode.parse({}, surroundings)).toEqual({
      kind: "stop",
      event: { host: "claude-code", cwd: "/where/we/run", continued: false, backgroundTasks: [] },
    });
  });

  test("with fields of the wrong type is read as if they were absent", () => {
    const odd = {
      hook_event_name: 7,
      session_id: { id: "x" },
      transcript_path: [],
      cwd: null,
      prompt_id: 3,
      stop_hook_active: "true",
      last_assistant_message: 1,
      permission_mode: false,
      background_tasks: ["subagent", null, { type: 5 }],
    };

    expect(claudeCode.parse(odd, surroundings)).toEqual({
      kind: "stop",
      event: {
        host: "claude-code",
        cwd: "/where/we/run",
        continued: false,
        backgroundTasks: [{ kind: "other", description: "" }],
      },
    });
  });
});

describe("the answer to Claude Code", () => {
  test("blocks with the reason for the agent and never says `continue`", () => {
    const answer = claudeCode.render(blocked);

    expect(answer).toMatchObject({ exitCode: 0, stderr: "" });
    expect(answer.stdout.endsWith("}\n")).toBe(true);
    expect(JSON.parse(answer.stdout)).toEqual({
      decision: "block",
      reason: blocked.feedback,
      status: "failed",
      message: blocked.message,
    });
  });

  test("allows with the status, without a word to the person", () => {
    expect(JSON.parse(claudeCode.render(allowed).stdout)).toEqual({
      decision: "approve",
      status: "passed",
      message: allowed.message,
    });
  });

  test("tells the person what must be known", () => {
    expect(JSON.parse(claudeCode.render(gaveUp).stdout)).toMatchObject({
      decision: "approve",
      status: "retry_limit_exceeded",
      systemMessage: gaveUp.notice,
    });
  });

  test("is one line, whatever the feedback holds", () => {
    const noisy = { ...blocked, feedback: "line\r\nline\u2028line\u0000 \ud800" };

    expect(claudeCode.render(noisy).stdout.split("\n")).toHaveLength(2);
  });
});
