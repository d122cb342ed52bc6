import { expect, test } from "vitest";

import { recogniseHost } from "../../src/hosts/host-table.ts";
import { vscode } from "../../src/hosts/copilot.ts";
import { allowed, blocked, gaveUp } from "../rig/hosts/verdicts.ts";

const surroundings = { env: {}, cwd: "/where/we/run" };

/** The fields VS Code's documentation and source name (2026-11-15): there is no client to record here. */
const documented = {
  timestamp: "2026-11-15T10:30:00.000Z",
  cwd: "/tmp/project",
  sessionId: "vscode-chat-session://local/1",
  hookEventName: "Stop",
  transcript_path: "/home/user/transcript.json",
  stop_hook_active: false,
};

test("is recognised by its time stamp and flag", () => {
  expect(recogniseHost(documented, surroundings).name).toBe("vscode");
});

test("reads a stop", () => {
  expect(vscode.parse(documented, surroundings)).toEqual({
    kind: "stop",
    event: {
      host: "vscode",
      sessionId: "vscode-chat-session://local/1",
      transcriptPath: "/home/user/transcript.json",
      cwd: "/tmp/project",
      continued: false,
      backgroundTasks: [],
    },
  });
});

test("reads an empty directory as none", () => {
  expect(vscode.parse({ ...documented, cwd: "" }, surroundings)).toMatchObject({
    event: { cwd: "/where/we/run" },
  });
});

test("is no stop when a sub-agent ends", () => {
  expect(vscode.parse({ ...documented, hookEventName: "SubagentStop" }, surroundings)).toEqual({
    kind: "other-event",
    name: "SubagentStop",
  });
});

test("is blocked by exit code 2 with the reason on stderr", () => {
  const answer = vscode.render(blocked);

  expect(answer.exitCode).toBe(2);
  expect(answer.stderr).toBe(`${blocked.feedback}\n`);
  expect(JSON.parse(answer.stdout)).toEqual({
    hookSpecificOutput: { hookEventName: "Stop", decision: "block", reason: blocked.feedback },
  });
});

test("is allowed with exit code 0, and shows the user the notice", () => {
  expect(vscode.render(allowed)).toEqual({ stdout: "{}\n", stderr: "", exitCode: 0 });
  expect(JSON.parse(vscode.render(gaveUp).stdout)).toEqual({ systemMessage: gaveUp.notice });
});
