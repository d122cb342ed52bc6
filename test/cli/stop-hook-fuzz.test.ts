import * as fc from "fast-check";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { runs } from "../rig/property-runs.ts";
import { strangeEvents } from "../rig/strange-events.ts";

test(
  "strange events: one valid line, exit 0, never a block while the gates pass",
  { timeout: 300_000 },
  async () => {
    await using project = await GauntletProject.withChecks({ pass: "true" });
    await project.write({ "a.txt": "1" });
    const texts = fc.sample(strangeEvents, runs(15));

    for (let start = 0; start < texts.length; start += 6) {
      const batch = texts.slice(start, start + 6).map((stdin) => project.gauntlet(["stop-hook"], { stdin }));
      for (const done of await Promise.all(batch)) {
        expect(done.exitCode).toBe(0);
        expect(done.stdout.indexOf("\n")).toBe(done.stdout.length - 1);
        expect(JSON.parse(done.stdout)).not.toMatchObject({ decision: "block" });
      }
    }
  },
);
