import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** Counts its runs in `runs`, and passes from the given one on. */
function passingFrom(run: number, output: string): string {
  return [
    "echo x >> runs",
    `[ "$(wc -l < runs)" -ge ${run} ] && exit 0`,
    ...output.split("\n").map((line) => `echo '${line}'`),
    "exit 1",
    "",
  ].join("\n");
}

const RED_TEST = "TAP version 13\nok 1 - subtracts\nnot ok 2 - adds\n1..2\n# tests 2\n# pass 1\n# fail 1";
const RED_FILE = "src/a.c:3:1: error: boom\n1 error generated.";

async function projectWith(script: string, more = "reruns: 2"): Promise<GauntletProject> {
  const keys = more.split("\n").map((line) => `    ${line}`);
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": ["checks:", "  unit:", "    command: sh ./unit.sh", ...keys, ""].join("\n"),
    ".gitignore": "runs\nargs\n",
    "unit.sh": script,
    "src/a.c": "int a;\n",
    "src/b.c": "int b;\n",
  });
  await project.commit("start");
  await project.write({ "src/b.c": "int changed;\n" });
  return project;
}

test("a check that passes when repeated is a pass with a warning that names the tests", async () => {
  await using project = await projectWith(passingFrom(2, RED_TEST));

  const { answer } = await project.stop();

  expect(answer).toMatchObject({
    decision: "approve",
    status: "passed_with_warnings",
    message: expect.stringContaining("passed when it was repeated: adds"),
  });
  expect(project.read("runs")).toBe("x\nx\n");
  expect(readdirSync(join(project.root, "gauntlet_logs"))).toContain("check_._unit.rerun-1.1.log");
});

test("it rests on a rerun in the ledger, and status, report and log list it", async () => {
  await using project = await projectWith(passingFrom(2, RED_TEST));
  await project.stop();

  const [verdict] = (await project.json(["log"]))["verdicts"] as [{ rests: unknown; outcomes: unknown }];
  const status = await project.gauntlet(["status"]);
  const report = await project.gauntlet(["report"]);
  const log = await project.gauntlet(["log", "--flaky"]);
  const today = new Date().toISOString().slice(0, 10);
  const line = `Flaky: adds (check:.:unit), 1 time on ${today}\n`;

  expect(verdict).toMatchObject({ rests: ["rerun"], outcomes: [{ rests: "rerun", flaky: ["adds"] }] });
  expect(status.stdout).toContain(line);
  expect(report.stdout).toContain(line);
  expect(log.stdout).toBe(line);
  expect(await project.json(["status"])).toMatchObject({ flaky: [{ test: "adds", times: 1 }] });
  expect(await project.json(["log", "--flaky"])).toMatchObject({ flaky: [{ test: "adds" }], verdicts: [] });
  expect((await project.gauntlet(["log", "--export"])).stdout).not.toContain("adds");
});

test("it proves nothing to others: attest does not sign it", async () => {
  await using project = await projectWith(passingFrom(2, RED_TEST));
  await project.commit("done");
  await project.gauntlet(["run", "--all"]);

  expect((await project.json(["log"]))["verdicts"]).toMatchObject([{ whole: true, rests: ["rerun"] }]);
  expect(await project.gauntlet(["attest"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("it rests on a rerun, which proves nothing to others") as string,
  });
});

test("a check that never passes blocks, and says that it was repeated", async () => {
  await using project = await projectWith(passingFrom(9, RED_TEST));

  const { answer } = await project.stop();

  expect(answer).toMatchObject({ decision: "block", status: "failed" });
  expect(answer.message).toContain("also when repeated");
  expect(answer.reason).toContain("adds");
  expect(project.read("runs")).toBe("x\nx\nx\n");
});

test("nothing is repeated without `reruns`, nor after a timeout", async () => {
  await using once = await projectWith(passingFrom(2, RED_TEST), "warn_only: false");
  await using slow = await projectWith("echo x >> runs\nsleep 30\n", "reruns: 2\ntimeout: 1s");

  expect((await once.stop()).answer.status).toBe("failed");
  expect((await slow.stop()).answer.message).toContain("timed out");
  expect(once.read("runs")).toBe("x\n");
  expect(slow.read("runs")).toBe("x\n");
});

test("a rerun that does not end leaves the failure as it was", async () => {
  const script = `echo x >> runs\n[ "$(wc -l < runs)" -gt 1 ] && sleep 30\necho 'not ok 1 - adds'\nexit 1\n`;
  await using project = await projectWith(script, "reruns: 2\ntimeout: 2s");

  const { answer } = await project.stop();

  expect(answer).toMatchObject({ decision: "block" });
  expect(answer.message).toContain("exit code 1; rerun timed out after 2 s");
  expect(project.read("runs")).toBe("x\nx\n");
});

test("rerun_command gets the files that failed, each as one argument", async () => {
  const keys = `reruns: 1\nrerun_command: printf '%s,' {failed_files} > args`;
  await using project = await projectWith(passingFrom(9, RED_FILE), keys);

  const { answer } = await project.stop();

  expect(answer.status).toBe("passed_with_warnings");
  expect(project.read("args")).toBe("src/a.c,");
});

test("everything is repeated where not every failure can be identified", async () => {
  const keys = "reruns: 1\nrerun_command: touch args {failed_files}";
  await using uncounted = await projectWith(passingFrom(9, "src/a.c:3:1: error: boom"), keys);
  await using unread = await projectWith(
    passingFrom(9, "src/a.c:3:1: error: boom\n2 errors generated."),
    keys,
  );
  await using elsewhere = await projectWith(
    passingFrom(9, "/usr/a.c:3:1: error: boom\n1 error generated."),
    keys,
  );

  for (const project of [uncounted, unread, elsewhere]) {
    expect((await project.stop()).answer.decision).toBe("block");
    expect(project.read("runs")).toBe("x\nx\n");
    expect(project.has("args")).toBe(false);
  }
});

const FLAKY_TEST = " FAIL  src/a.c > adds\nAssertionError: expected 1 to be 2\n ❯ src/a.c:3:1";
const COUNTS = " Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)";
const FEW_LINES = "ERROR: Coverage for lines (50%) does not meet";

test.each([
  ["a flaky test", `${FLAKY_TEST}\n${COUNTS}`, "passed_with_warnings", "x\n"],
  [
    "coverage is missed beside it",
    `${FLAKY_TEST}\n${COUNTS}\n${FEW_LINES} global threshold (80%)`,
    "failed",
    "x\nx\n",
  ],
  [
    "coverage of its own file is",
    `${FLAKY_TEST}\n${COUNTS}\n${FEW_LINES} threshold (80%) for src/a.c`,
    "failed",
    "x\nx\n",
  ],
  ["coverage of a file is alone", `${FEW_LINES} threshold (80%) for src/a.c`, "failed", "x\nx\n"],
  [
    "a compiler has a word, too",
    `${FLAKY_TEST}\n${COUNTS}\nsrc/b.c:3:1: error: boom\n1 error generated.`,
    "failed",
    "x\nx\n",
  ],
])("rerun_command repeats all that failed: %s", async (_, output, status, runs) => {
  await using project = await projectWith(
    passingFrom(9, output),
    "reruns: 1\nrerun_command: true {failed_files}",
  );

  const { answer } = await project.stop();

  expect(answer.status).toBe(status);
  expect(project.read("runs")).toBe(runs);
});

test("a pass that rests on a rerun is not remembered for the check's inputs", async () => {
  await using project = await projectWith(passingFrom(2, RED_TEST), "reruns: 1\ninputs: [src/**]");
  await project.gauntlet(["run"]);

  const again = await project.json(["run"]);

  expect(again).toMatchObject({ status: "passed", outcomes: [{ detail: null }] });
  expect(project.read("runs")).toBe("x\nx\nx\n");
});
