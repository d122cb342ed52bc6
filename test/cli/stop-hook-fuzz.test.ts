import * as fc from "fast-check";
import { expect, test } from "vitest";
import { handleStop } from "../../src/stop/handle-stop.ts";
import { allow } from "../../src/stop/verdict.ts";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { readStop } from "../../src/hosts/host-table.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { runs } from "../rig/property-runs.ts";
import { tempDir } from "../rig/temp-dir.ts";

const FIELDS = [
  "session_id",
  "cwd",
  "hook_event_name",
  "stop_hook_active",
  "prompt_id",
  "background_tasks",
  "permission_mode",
  "turn_id",
  "prompt_response",
  "__proto__",
  "loop_count",
];

const strange = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("Stop", "AfterAgent", "agentStop", "/", "..", "\0", "plan", true, false, "9".repeat(5000)),
);
const event = fc.dictionary(fc.constantFrom(...FIELDS), strange).map((fields) => JSON.stringify(fields));
const mutated = fc
  .tuple(event, fc.nat(), fc.string({ maxLength: 3 }))
  .map(
    ([text, at, extra]) =>
      text.slice(0, at % (text.length + 1)) + extra + text.slice((at % (text.length + 1)) + 1),
  );
const binary = fc.array(fc.nat(0xff_ff)).map((units) => String.fromCharCode(...units));
const anything = fc.oneof(event, mutated, fc.string(), fc.json(), binary);

test(
  "random and mutated events: always one valid line, exit 0, never a block when no gate failed",
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const surroundings = { env: { HOME: dir.path, XDG_STATE_HOME: dir.path }, cwd: dir.path };

    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
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

test("the same through the process, in a project whose gates pass", { timeout: 300_000 }, async () => {
  await using project = await GauntletProject.withChecks({ pass: "true" });
  await project.write({ "a.txt": "1" });
  const texts = fc.sample(anything, runs(15));

  for (let start = 0; start < texts.length; start += 6) {
    const batch = texts.slice(start, start + 6).map((stdin) => project.gauntlet(["stop-hook"], { stdin }));
    for (const done of await Promise.all(batch)) {
      expect(done.exitCode).toBe(0);
      expect(done.stdout.indexOf("\n")).toBe(done.stdout.length - 1);
      expect(JSON.parse(done.stdout)).not.toMatchObject({ decision: "block" });
    }
  }
});
