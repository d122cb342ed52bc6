import { describe, expect, test } from "vitest";

import { absolutePath } from "../../src/path.ts";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

function read(file: string): unknown {
  return claudeCode.parse(recording("claude-code", file).payload, surroundings);
}

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

  test("says what ends besides a turn, under its own name, so that each has its own budget", () => {
    expect(read("subagent-stop")).toMatchObject({
      kind: "stop",
      event: {
        kind: "subagent_stop",
        agentType: "general-purpose",
        sessionId: "cc4aa63b-48b1-4b16-a3cb-a32189214884.a31a0b440e7e4329f",
        continued: false,
      },
    });
    expect(read("task-completed")).toMatchObject({
      kind: "stop",
      event: {
        kind: "task_completed",
        sessionId: "5c456eeb-8705-4969-a7d6-05bb3dde6c1d.1",
        isFlagless: true,
      },
    });
    expect(read("teammate-idle")).toMatchObject({
      kind: "stop",
      event: {
        kind: "teammate_idle",
        agentType: "mate",
        sessionId: "32e1f4e2-2f11-4b03-83e1-fbbe4aa82fee.amate-c78bc9c5d5f4e85f",
        isFlagless: true,
      },
    });
  });

  test.each(["stop-failure", "session-end"])("asks nothing when it is a %s", (file) => {
    expect(claudeCode.parse(recording("claude-code", file).payload, surroundings)).toMatchObject({
      kind: "ended",
    });
  });

  test("of another event is no question", () => {
    expect(claudeCode.parse({ hook_event_name: "PreToolUse" }, surroundings)).toEqual({
      kind: "other-event",
      name: "PreToolUse",
    });
  });

  test("lists an idle teammate as running, which puts nothing off", () => {
    const { payload } = recording("claude-code", "stop-with-idle-teammate");

    expect(claudeCode.parse(payload, surroundings)).toMatchObject({
      event: { backgroundTasks: [{ kind: "other", description: "sub" }] },
    });
  });

  test("without an event name counts as a stop, in our own directory when it names none", () => {
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

  test("says all but the first line of the reason as context, which the model is shown once", () => {
    const event = { host: "claude-code", cwd: absolutePath("/p"), continued: false, backgroundTasks: [] };
    const reasonOf = (more: object, verdict = blocked): unknown =>
      JSON.parse(claudeCode.render(verdict, { ...event, ...more }).stdout);

    expect(reasonOf({ promptId: "p" })).toMatchObject({
      decision: "block",
      reason: "Gauntlet gates did not pass",
      hookSpecificOutput: { hookEventName: "Stop", additionalContext: "- check:.:test failed: exit code 1" },
    });
    expect(reasonOf({ promptId: "p", kind: "subagent_stop" })).toMatchObject({
      hookSpecificOutput: { hookEventName: "SubagentStop" },
    });
    expect(claudeCode.take(claudeCode.render(blocked, { ...event, promptId: "p" }))).toEqual({
      agent: "goes-on",
      agentReads:
        "Stop hook feedback:\nGauntlet gates did not pass\n\nStop hook additional context: - check:.:test failed: exit code 1",
    });
  });

  test("says the whole reason in one where context would be refused, cut or not needed", () => {
    const event = { host: "claude-code", cwd: absolutePath("/p"), continued: false, backgroundTasks: [] };
    const long = { ...blocked, feedback: `first\n${"x".repeat(9_901)}` };
    const answerTo = (verdict: typeof blocked, more: object): unknown =>
      JSON.parse(claudeCode.render(verdict, { ...event, ...more }).stdout);

    expect(answerTo(blocked, {})).toMatchObject({ reason: blocked.feedback });
    expect(answerTo(long, { promptId: "p" })).toMatchObject({ reason: long.feedback });
    expect(answerTo(blocked, { promptId: "p", kind: "task_completed" })).toMatchObject({
      reason: blocked.feedback,
    });
    expect(answerTo(blocked, { promptId: "p", kind: "task_completed" })).not.toHaveProperty(
      "hookSpecificOutput",
    );
  });

  test("is empty where a sub-agent, task or teammate may end, but for what the user must know", () => {
    const event = { host: "claude-code", cwd: absolutePath("/p"), continued: false, backgroundTasks: [] };

    expect(claudeCode.render(allowed, { ...event, kind: "subagent_stop" }).stdout).toBe("{}\n");
    expect(JSON.parse(claudeCode.render(gaveUp, { ...event, kind: "teammate_idle" }).stdout)).toEqual({
      systemMessage: gaveUp.notice,
    });
  });

  test("allows with the status, without a notice to the user", () => {
    expect(JSON.parse(claudeCode.render(allowed).stdout)).toEqual({
      decision: "approve",
      status: "passed",
      message: allowed.message,
    });
  });

  test("shows the user the notice", () => {
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
