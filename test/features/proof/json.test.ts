import { expect, test } from "vitest";
import type { VerdictRecord } from "../../../src/ledger/verdict-record.ts";
import { forSharing } from "../../../src/report/json/verdict-json.ts";

function record(facts: Partial<VerdictRecord> = {}): VerdictRecord {
  return {
    at: 1,
    ms: 1,
    door: "stop-hook",
    status: "passed",
    tree: "t",
    version: "0.1.0",
    prev: "",
    ...facts,
  };
}

test("what is shared has numbers for sessions, no names, and nothing that a later version adds", () => {
  const shared = forSharing([
    Object.assign(
      record({ session: "b", branch: "private", worktree: "private", reason: "private", prev: "private" }),
      {
        outcomes: [{ id: "check:.:a", kind: "passed", ms: 1, rests: "rerun", flaky: ["private"] }],
        later: "private, of a version to come",
      },
    ),
    record({ session: "a" }),
    record({ session: "b" }),
    record(),
  ]);

  expect(shared.map((one) => ("session" in one ? one.session : undefined))).toEqual([
    "session-1",
    "session-2",
    "session-1",
    undefined,
  ]);
  expect(JSON.stringify(shared)).not.toContain("private");
  expect(shared[0]).toMatchObject({
    status: "passed",
    tree: "t",
    outcomes: [{ id: "check:.:a", rests: "rerun" }],
  });
});
