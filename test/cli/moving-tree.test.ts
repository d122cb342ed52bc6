import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** Checks in turn, unless they say otherwise. */
async function project(
  checks: Readonly<Record<string, string>>,
  more = "parallel: false",
): Promise<GauntletProject> {
  const lines = Object.entries(checks).map(
    ([name, command]) => `  ${name}: { command: ${JSON.stringify(command)}, ${more} }\n`,
  );
  const made = await GauntletProject.create({
    ".gauntlet/config.yml": `checks:\n${lines.join("")}`,
    ".gitignore": "*.good\n",
    "a.txt": "BAD\n",
    "a.good": "fine\n",
    "c.txt": "fine\n",
  });
  await made.commit("start");
  await made.write({ "b.txt": "1" });
  return made;
}

/** The status of a stop, what it names, and whether the next one is answered from it or the work is verified. */
async function outcomeOf(made: GauntletProject) {
  const { answer } = await made.stop();
  const again = await made.stop();
  const verified = await made.gauntlet(["verify"]);
  return {
    status: answer.status,
    named: /\(([^)]*)\)/.exec(answer.message)?.[1],
    isReused: again.answer.message.includes("nothing changed since"),
    isVerified: verified.exitCode === 0,
  };
}

const IN_DOUBT = { status: "passed_with_warnings", isReused: false, isVerified: false };

describe("a tree that is as before only after the gates", () => {
  test("one gate makes a bad file good, the next checks it, the third puts it back", async () => {
    await using made = await project({
      mend: "cp a.txt a.bad.good && cp a.good a.txt",
      words: "grep -q fine a.txt",
      restore: "cp a.bad.good a.txt",
    });

    expect(await outcomeOf(made)).toEqual({ ...IN_DOUBT, named: "a.txt" });
  });

  test("the same with a copy that takes the file's place, and its old time", async () => {
    await using made = await project({
      mend: "cp -p a.txt a.bad.good && cp -p a.good a.txt",
      words: "grep -q fine a.txt",
      restore: "mv a.bad.good a.txt",
    });

    expect(await outcomeOf(made)).toEqual({ ...IN_DOUBT, named: "a.txt" });
  });

  test("one gate makes a file without which another fails, and the third removes it", async () => {
    await using made = await project({
      make: "touch needed.txt",
      look: "test -e needed.txt",
      remove: "rm needed.txt",
    });

    expect(await outcomeOf(made)).toEqual({ ...IN_DOUBT, named: "needed.txt" });
  });

  test("one gate removes a file that another must not find, and the third puts it back", async () => {
    await using made = await project({
      remove: "cp c.txt c.good && rm c.txt",
      look: "test ! -e c.txt",
      restore: "cp c.good c.txt",
    });

    expect(await outcomeOf(made)).toEqual({ ...IN_DOUBT, named: "c.txt" });
  });

  test("what something else wrote while a gate ran is put back by a gate that runs after it", async () => {
    await using gate = await ControlledCommand.create();
    await using made = await project({
      first: gate.command("first"),
      second: gate.command("second"),
    });
    const stopping = made.stop();
    const first = await gate.started();
    await made.write({ "a.txt": "fine\n" });
    first.exit(0);
    const second = await gate.started();
    await made.write({ "a.txt": "BAD\n" });
    second.exit(0);

    const { answer } = await stopping;

    expect(answer).toMatchObject({
      status: "passed_with_warnings",
      message: expect.stringContaining("(a.txt)") as string,
    });
  });

  test("gates beside each other: what one has changed when another ends was not there for all", async () => {
    await using gate = await ControlledCommand.create();
    await using made = await project({ mend: gate.command("mend"), restore: gate.command("restore") }, "");
    const stopping = made.stop();
    const started = [await gate.started(), await gate.started()];
    const [mend, restore] = started.toSorted((one, other) => one.name.localeCompare(other.name));
    await made.write({ "a.txt": "fine\n" });
    mend?.exit(0);
    await expect.poll(() => made.read("gauntlet_logs/console.1.log")).toContain("[PASS] check:.:mend");
    await made.write({ "a.txt": "BAD\n" });
    restore?.exit(0);

    const { answer } = await stopping;

    expect(answer).toMatchObject({
      status: "passed_with_warnings",
      message: expect.stringContaining("(a.txt)") as string,
    });
  });

  test("a check with `inputs` is not reused for what it did not judge", async () => {
    await using made = await GauntletProject.create({
      ".gauntlet/config.yml": `checks:
  mend: { command: "cp a.txt a.bad.good && cp a.good a.txt", parallel: false }
  words: { command: "grep -q fine a.txt", inputs: ["a.txt"], parallel: false }
  restore: { command: "cp a.bad.good a.txt", parallel: false }
`,
      ".gitignore": "*.good\n",
      "a.txt": "BAD\n",
      "a.good": "fine\n",
    });
    await made.gauntlet(["run"]);

    const again = await made.gauntlet(["run"]);

    expect(again.stdout).not.toContain("same inputs");
  });
});

describe("a pass is used again although", () => {
  test("one of several gates writes what was there before, however often", async () => {
    await using made = await project({
      first: "true",
      generate: "cp c.txt x.good && cp x.good c.txt && cp x.good c.txt",
      last: "true",
    });

    expect(await outcomeOf(made)).toMatchObject({ status: "passed", isReused: true, isVerified: true });
  });

  test("gates beside each other leave files that come and go", async () => {
    await using gate = await ControlledCommand.create();
    await using made = await project({ one: gate.command("one"), other: gate.command("other") }, "");
    const stopping = made.stop();
    const started = [await gate.started(), await gate.started()];
    const [one, other] = started.toSorted((first, second) => first.name.localeCompare(second.name));
    await made.write({ "temporary.txt": "" });
    one?.exit(0);
    await expect.poll(() => made.read("gauntlet_logs/console.1.log")).toContain("[PASS] check:.:one");
    rmSync(join(made.root, "temporary.txt"));
    other?.exit(0);

    expect((await stopping).answer.status).toBe("passed");
    expect((await made.stop()).answer.message).toContain("nothing changed since");
  });
});
