import { expect, test } from "vitest";
import { matrixOf } from "../../../src/features/proof/ci-workflow.ts";
import type { PlannedGate } from "../../../src/gates/gate.ts";
import { projectPath } from "../../../src/path.ts";

function planned(
  name: string,
  { parallel = true, scope = ".", needs }: { parallel?: boolean; scope?: string; needs?: string[] } = {},
): PlannedGate {
  const gate = {
    kind: "check",
    name,
    command: "true",
    parallel,
    failFast: false,
    timeoutMs: 1,
    warnOnly: false,
    runInCi: true,
    runLocally: true,
    env: {},
    ...(needs === undefined ? {} : { needs }),
  } as const;
  const at = projectPath(scope);
  return { id: `check:${scope}:${name}`, gate, scope: at, workingDirectory: at, files: [], reason: "" };
}

test("each gate gets a job, and those that run one after another or need each other share one", () => {
  const gates = [
    planned("a"),
    planned("b", { parallel: false }),
    planned("c", { scope: "web" }),
    planned("d", { parallel: false }),
    planned("e", { needs: ["f"] }),
    planned("f"),
  ];

  expect(matrixOf(gates)).toEqual([
    { name: "b and 3 more", gates: "check:.:b\ncheck:.:d\ncheck:.:e\ncheck:.:f" },
    { name: "a", gates: "check:.:a" },
    { name: "c (web)", gates: "check:web:c" },
  ]);
});

test.for([0, 1, 255, 256, 257, 1000])("%i gates fit into 256 jobs, each gate in exactly one", (count) => {
  const gates = Array.from({ length: count }, (_, at) => planned(`g${at}`, { parallel: at !== 7 }));

  const matrix = matrixOf(gates);

  expect(matrix.length).toBeLessThanOrEqual(256);
  const run = matrix.flatMap((entry) => entry.gates.split("\n"));
  expect(run.toSorted()).toEqual(gates.map(({ id }) => id).toSorted());
});
