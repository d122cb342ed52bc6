import { describe, expect, test } from "vitest";
import { ControlledCommand, type Invocation } from "../rig/controlled-command.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { kill } from "../rig/processes.ts";

type Gates = Readonly<Record<string, string>>;

/** Checks that all wait for the test; `more` is what stands beside each command. */
async function project(gate: ControlledCommand, gates: Gates, config = ""): Promise<GauntletProject> {
  const checks = Object.entries(gates).map(
    ([name, more]) => `  ${name}: { command: ${JSON.stringify(gate.command(name))}${more} }\n`,
  );
  return GauntletProject.create({ ".gauntlet/config.yml": `${config}checks:\n${checks.join("")}` });
}

async function take(gate: ControlledCommand, count: number): Promise<readonly Invocation[]> {
  const taken: Invocation[] = [];
  while (taken.length < count) taken.push(await gate.started());
  return taken;
}

const IN_TURN = ", parallel: false";

describe("order and concurrency", () => {
  test("parallel gates run at the same time", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, { a: "", b: "", c: "" });
    const running = here.json(["run"]);

    const together = await take(gate, 3);
    for (const one of together) one.exit(0);

    expect(together.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
    expect((await running)["status"]).toBe("passed");
  });

  test("never more than max_parallel at once, and the next starts when one ends", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, { a: "", b: "", c: "", d: "" }, "max_parallel: 2\n");
    const running = here.json(["run"]);

    const [first, second] = await take(gate, 2);
    const waitingAtTwo = gate.waiting;
    first?.exit(0);
    const third = await gate.started();
    const waitingAtThree = gate.waiting;
    for (const one of [second, third]) one?.exit(0);
    (await gate.started()).exit(0);

    expect([waitingAtTwo, waitingAtThree]).toEqual([0, 0]);
    expect((await running)["status"]).toBe("passed");
  });

  test("parallel: false gates run one after another, beside the parallel ones, in the order of the file", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, { first: IN_TURN, second: IN_TURN, third: IN_TURN, beside: "" });
    const running = here.json(["run"]);
    const order: string[] = [];

    const atOnce = await take(gate, 2);
    const waiting = gate.waiting;
    for (let next = atOnce.find(({ name }) => name === "first"); next !== undefined;) {
      order.push(next.name);
      next.exit(0);
      next = order.length < 3 ? await gate.started() : undefined;
    }
    atOnce.find(({ name }) => name === "beside")?.exit(0);

    expect(atOnce.map(({ name }) => name).toSorted()).toEqual(["beside", "first"]);
    expect(waiting).toBe(0);
    expect(order).toEqual(["first", "second", "third"]);
    expect((await running)["status"]).toBe("passed");
  });

  test.each(["allow_parallel: false\n", "max_parallel: 1\n"])(
    "%s runs everything in turn",
    async (config) => {
      await using gate = await ControlledCommand.create();
      await using here = await project(gate, { a: "", b: IN_TURN, c: "" }, config);
      const running = here.json(["run"]);
      const order: string[] = [];
      const waiting: number[] = [];

      for (let turn = 0; turn < 3; turn++) {
        const one = await gate.started();
        order.push(one.name);
        waiting.push(gate.waiting);
        one.exit(0);
      }

      expect(order).toEqual(["a", "b", "c"]);
      expect(waiting).toEqual([0, 0, 0]);
      expect((await running)["status"]).toBe("passed");
    },
  );

  test("a fail_fast gate that fails keeps later sequential gates from starting, not the parallel ones", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, {
      first: `${IN_TURN}, fail_fast: true`,
      second: IN_TURN,
      beside: "",
    });
    const running = here.json(["run"]);

    const both = await take(gate, 2);
    both.find(({ name }) => name === "first")?.exit(1);
    both.find(({ name }) => name === "beside")?.exit(0);
    const run = await running;

    expect(run).toMatchObject({
      status: "failed",
      outcomes: [
        { name: "first", outcome: "failed" },
        { name: "second", outcome: "skipped", detail: "first failed and has fail_fast", blocks: false },
        { name: "beside", outcome: "passed" },
      ],
    });
    expect(gate.waiting).toBe(0);
  });

  test.each([
    ["passes", `${IN_TURN}, fail_fast: true`, 0],
    ["only warns", `${IN_TURN}, fail_fast: true, warn_only: true`, 1],
    ["has no fail_fast", IN_TURN, 1],
  ])("a sequential gate that %s lets the next one start", async (_, more, code) => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, { first: more, second: IN_TURN });
    const running = here.json(["run"]);

    (await gate.started()).exit(code);
    const second = await gate.started();
    second.exit(0);

    expect(second.name).toBe("second");
    expect(await running).toMatchObject({ outcomes: [{}, { outcome: "passed" }] });
  });

  test("a cancelled run starts nothing more", async () => {
    await using gate = await ControlledCommand.create();
    await using here = await project(gate, { first: IN_TURN, second: IN_TURN });
    let pid = 0;
    const running = here.gauntlet(["run"], { onSpawn: (own) => (pid = own) });
    await gate.started();

    kill(pid, "SIGTERM");
    const run = await running;

    expect(run).toMatchObject({ exitCode: 143, stdout: expect.stringContaining("Interrupted") as unknown });
    expect(here.read("gauntlet_logs/console.1.log")).toContain(
      "check:.:second (0 ms) cancelled: not started",
    );
    expect(gate.waiting).toBe(0);
  });

  test("fifty gates at once make no noise of their own", async () => {
    const checks = Array.from({ length: 50 }, (_, index) => `  c${index}: "true"\n`).join("");
    await using here = await GauntletProject.create({
      ".gauntlet/config.yml": `max_parallel: 50\nchecks:\n${checks}`,
    });

    const run = await here.gauntlet(["run", "--quiet"]);

    expect(run).toMatchObject({ exitCode: 0, stderr: "", stdout: "Status: Passed\n" });
  });
});
