import type { Block, Verdict } from "../../../src/stop/verdict.ts";

export const blocked: Block = {
  decision: "block",
  status: "failed",
  message: "✗ Gauntlet failed — issues must be fixed before stopping.",
  feedback: "Gauntlet gates did not pass\n- check:.:test failed: exit code 1",
};

export const allowed: Verdict = {
  decision: "allow",
  status: "passed",
  message: "✓ Gauntlet passed — all gates completed successfully.",
};

export const gaveUp: Verdict = {
  decision: "allow",
  status: "retry_limit_exceeded",
  message: "⚠ Gauntlet terminated — retry limit exceeded.",
  notice: "The gates still fail after 3 attempts.",
};
