import { expect, test } from "vitest";
import type { GateOutcome } from "../../src/gates/outcome.ts";
import { projectPath } from "../../src/path.ts";
import type { RunResult } from "../../src/run/result.ts";
import { type Notice, Notices, noticesOfResult } from "../../src/stop/notices.ts";
import { NEW_SESSION, type Session } from "../../src/stop/session.ts";

const ROOT = "/p";

function notice(rank: Notice["rank"], text: string, more: Partial<Notice> = {}): Notice {
  return { rank, key: text, text, ...more };
}

function choose(session: Session, ...given: readonly Notice[]) {
  const notices = new Notices();
  notices.add(...given);
  const { text, whole, remember } = notices.choose(ROOT, session);
  return { text, whole, session: remember(session) };
}

test("the worst comes first, whatever came in first", () => {
  const { text } = choose(
    NEW_SESSION,
    notice("configuration", "c"),
    notice("guards", "g"),
    notice("tampering", "t"),
  );

  expect(text).toBe("t\ng\nc");
});

test("three lines are shown, and what did not fit comes at the next stop", () => {
  const given = ["a", "b", "c", "d"].map((text) => notice("guards", text));

  const first = choose(NEW_SESSION, ...given);
  const second = choose(first.session, ...given);

  expect(first.text).toBe("a\nb\nAnd 2 more: `agent-gauntlet explain` shows everything.");
  expect(first.whole).toBe("a\nb\nc\nd");
  expect(second.text).toBe("c\nd");
});

test("each fact is shown once per session; a notice without a key whenever it is given", () => {
  const fact = notice("guards", "fact");
  const verdict: Notice = { rank: "gave up", text: "gave up" };

  const first = choose(NEW_SESSION, fact, verdict);
  const second = choose(first.session, fact, verdict);

  expect([first.text, second.text]).toEqual(["gave up\nfact", "gave up"]);
});

test("a skipped test is named before the verdict that we gave up", () => {
  const gaveUp: Notice = { rank: "gave up", text: "gave up\ntest failed" };

  const { text } = choose(
    NEW_SESSION,
    gaveUp,
    notice("guards", "other"),
    notice("weakened tests", "skipped"),
  );

  expect(text).toBe("skipped\ngave up\nAnd 2 more: `agent-gauntlet explain` shows everything.");
});

test("a lasting notice that ended is shown again when it is back", () => {
  const lasting = notice("tampering", "hook removed", { isLasting: true });

  const first = choose(NEW_SESSION, lasting);
  const still = choose(first.session, lasting);
  const ended = choose(still.session);
  const back = choose(ended.session, lasting);

  expect([first, still, ended, back].map(({ text }) => text)).toEqual([
    "hook removed",
    undefined,
    undefined,
    "hook removed",
  ]);
});

test("a fact is one line, however its text is broken", () => {
  expect(choose(NEW_SESSION, notice("guards", "one\n  two")).text).toBe("one two");
});

test("what is given up is named to the user", () => {
  const outcomes = ["packages/api", "packages/web"].map((scope): GateOutcome => ({
    id: `check:${scope}:test`,
    gate: "check",
    name: "test",
    scope: projectPath(scope),
    workingDirectory: projectPath(scope),
    warnOnly: false,
    durationMs: 1,
    kind: "failed",
    detail: "exit code 1",
  }));
  const result = { kind: "ran", status: "retry_limit_exceeded", message: "gave up", outcomes, warnings: [] };

  const [first] = noticesOfResult(result as unknown as RunResult); // the rest of a result says nothing here

  expect(first?.rank).toBe("gave up");
  expect(first?.text).toContain("test in packages/api failed: exit code 1; test in packages/web failed");
});
