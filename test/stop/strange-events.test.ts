import * as fc from "fast-check";
import { expect, test } from "vitest";
import { handleStop } from "../../src/stop/handle-stop.ts";
import { allow } from "../../src/stop/verdict.ts";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { readStop } from "../../src/hosts/host-table.ts";
import { runs } from "../rig/property-runs.ts";
import { strangeEvents } from "../rig/strange-events.ts";
import { tempDir } from "../rig/temp-dir.ts";

test(
  "random and mutated events: always one valid line, exit 0, never a block when no gate failed",
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const surroundings = { env: { HOME: dir.path, XDG_STATE_HOME: dir.path }, cwd: dir.path };

    await fc.assert(
      fc.asyncProperty(strangeEvents, async (text) => {
        const read = readStop(text, surroundings);
        const verdict =
          read.kind === "stop"
            ? (await handleStop({ event: read.event, env: surroundings.env }, AbortSignal.abort())).verdict
            : allow("invalid_input", read.kind === "no-stop" ? read : {});
        const { stdout, exitCode } = (read.host ?? claudeCode).render(verdict);

        expect(verdict.decision).toBe("allow");
        expect(exitCode).toBe(0);
        expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
        expect(JSON.parse(stdout)).toBeTypeOf("object");
      }),
      { numRuns: runs(1_000) },
    );
  },
);
