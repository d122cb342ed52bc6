import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { outputSchema } from "../schema/json-schema.ts";
import { type Finished, GauntletProject } from "../rig/gauntlet-project.ts";

const schema = outputSchema();

/** The one line a command prints, after it has been held against the schema. */
function parsed(done: Finished): Record<string, unknown> {
  expect(done.stdout.endsWith("}\n") && done.stdout.indexOf("\n") === done.stdout.length - 1).toBe(true);
  const value: unknown = JSON.parse(done.stdout);
  expect(schema.safeParse(value).error?.issues ?? []).toEqual([]);
  return value as Record<string, unknown>; // an object: every member of the schema is one
}

const CONFIG = `base_branch: main
checks:
  good: "true"
  bad: { command: "echo no; exit 3", warn_only: false }
  soft: { command: "false", warn_only: true }
  slow: { command: "sleep 60", timeout: 0.2 }
  nowhere: { command: "true", working_directory: missing }
  elsewhere: { command: "true", run_locally: false }
`;

async function project(config = CONFIG): Promise<GauntletProject> {
  const created = await GauntletProject.create({ ".gauntlet/config.yml": config, "src/a": "content of a" });
  await created.commit("start");
  await created.git("switch", "--quiet", "--create", "work");
  await created.git("mv", "src/a", "src/b");
  await created.write({ new: "1" });
  return created;
}

test("schema/output.schema.json is up to date", async () => {
  await expect(jsonSchemaText()).toMatchFileSnapshot("../../schema/output.schema.json");
});

test("every field of every output says what it is", () => {
  expect(undescribed(JSON.parse(jsonSchemaText()) as Node)).toEqual([]); // what z.toJSONSchema has just made
});

describe.concurrent("every --json output is one line that follows the schema", () => {
  test("run, with every outcome there is", async () => {
    await using repo = await project();

    const done = await repo.gauntlet(["run", "--json"]);
    const { status, outcomes, skipped, changes, attemptsLeft } = parsed(done);

    expect({ status, attemptsLeft, exitCode: done.exitCode }).toEqual({
      status: "failed",
      attemptsLeft: 2,
      exitCode: 1,
    });
    expect(outcomes).toEqual([
      outcome("good", { outcome: "passed", detail: null }),
      outcome("bad", { outcome: "failed", detail: "exit code 3", blocks: true }),
      outcome("soft", { outcome: "failed", detail: "exit code 1", warnOnly: true }),
      outcome("slow", { outcome: "timed-out", detail: "after 0.2 s", blocks: true }),
      outcome("nowhere", {
        outcome: "errored",
        workingDirectory: "missing",
        detail: expect.any(String),
        logPath: null,
        review: null,
        baseline: null,
      }),
    ]);
    expect(skipped).toEqual([{ id: "check:.:elsewhere", reason: "run_locally is false" }]);
    expect(changes).toMatchObject({
      files: [
        { path: "src/b", change: "renamed", from: "src/a" },
        { path: "new", change: "untracked", from: null },
      ],
    });
  });

  test("run, with the problems of the gates that did not pass", async () => {
    await using repo = await project(`base_branch: main
checks:
  build: { command: "echo 'src/a.ts(3,9): error TS2322: s3cret-of-a-kind'; exit 1" }
  test: { command: "echo 'not ok 1 - adds'; exit 1" }
  good: "echo 'src/a.c:1:2: error: ignored'"
`);

    const { outcomes } = parsed(
      await repo.gauntlet(["run", "--json"], { env: { API_KEY: "s3cret-of-a-kind" } }),
    );

    const nothing = { file: null, line: null, column: null, code: null, test: null, excerpt: null };
    expect(outcomes).toMatchObject([
      {
        problems: [
          {
            ...nothing,
            file: "src/a.ts",
            line: 3,
            column: 9,
            severity: "error",
            code: "TS2322",
            message: "***",
          },
        ],
      },
      { problems: [{ ...nothing, severity: "error", test: "adds", message: "failed" }] },
      { problems: [] },
    ]);
  });

  test("progress goes to stderr, so that stdout stays one line", async () => {
    await using repo = await project();

    const { stderr } = await repo.gauntlet(["run", "--json", "--gate", "good"]);

    expect(stderr).toContain("[PASS] good");
  });

  test("check names itself", async () => {
    await using repo = await project();

    expect(parsed(await repo.gauntlet(["check", "--json", "-g", "good"]))).toMatchObject({
      command: "check",
      status: "passed",
    });
  });

  test("run without changes, without applicable gates, with an unknown gate, revision or configuration", async () => {
    await using repo = await project(
      "base_branch: main\nchecks: { a: 'true' }\nentry_points: [{ path: lib, checks: [a] }]\n",
    );

    expect(parsed(await repo.gauntlet(["run", "--json"]))).toMatchObject({
      status: "no_applicable_gates",
      run: null,
    });
    expect(parsed(await repo.gauntlet(["run", "--json", "-g", "zzz"]))).toMatchObject({ status: "error" });
    expect(parsed(await repo.gauntlet(["run", "--json", "-b", "zzz"]))).toMatchObject({ status: "error" });
    await repo.commit("all");
    await repo.git("branch", "--force", "main");
    expect(parsed(await repo.gauntlet(["run", "--json"]))).toMatchObject({ status: "no_changes" });
    await repo.write({ ".gauntlet/config.yml": "checks: 7\n" });
    expect(parsed(await repo.gauntlet(["run", "--json"]))).toMatchObject({ status: "error" });
    rmSync(join(repo.root, ".gauntlet"), { recursive: true });
    expect(parsed(await repo.gauntlet(["run", "--json"]))).toMatchObject({ status: "no_config" });
  });

  test("detect, also without git", async () => {
    await using repo = await project();
    await using plain = await GauntletProject.create({ ".gauntlet/config.yml": CONFIG }, { git: false });

    const { gates } = parsed(await repo.gauntlet(["detect", "--json"]));

    expect(gates).toContainEqual({
      id: "check:.:good",
      kind: "check",
      name: "good",
      scope: ".",
      workingDirectory: ".",
      reason: "2 files changed, among them src/b",
      files: ["src/b", "new"],
    });
    expect(parsed(await plain.gauntlet(["detect", "--json"]))).toMatchObject({
      changes: { baseCommit: null },
    });
  });

  test("list", async () => {
    await using repo = await project();

    expect(parsed(await repo.gauntlet(["list", "--json"]))).toMatchObject({
      entryPoints: [
        {
          path: ".",
          exclude: [],
          gates: expect.arrayContaining([expect.objectContaining({ name: "soft", warnOnly: true })]),
        },
      ],
    });
  });

  test("validate, with errors, with warnings, with nothing to say", async () => {
    await using repo = await project();

    expect(parsed(await repo.gauntlet(["validate", "--json"]))).toMatchObject({
      valid: true,
      diagnostics: [{ severity: "warning", message: "the working directory `missing` does not exist" }],
    });
    await repo.write({ ".gauntlet/config.yml": "chekcs: {}\nchecks: { a: 'true' }\n" });
    expect(parsed(await repo.gauntlet(["validate", "--json"]))).toMatchObject({
      valid: true,
      diagnostics: [{ severity: "warning", line: 1, column: 1 }],
    });
    await repo.write({ ".gauntlet/config.yml": "checks: { a: {} }\nmax_retries: x\n" });
    const done = await repo.gauntlet(["validate", "--json"]);
    expect(parsed(done)).toMatchObject({ valid: false });
    expect(done.exitCode).toBe(1);
    rmSync(join(repo.root, ".gauntlet/config.yml"));
    mkdirSync(join(repo.root, ".gauntlet/config.yml"));
    expect(parsed(await repo.gauntlet(["validate", "--json"]))).toMatchObject({ valid: false });
  });

  test("status, before a run, after a failed one and after a pass; clean", async () => {
    await using repo = await project("base_branch: main\nchecks: { a: test -e fixed }\n");

    expect(parsed(await repo.gauntlet(["status", "--json"]))).toMatchObject({
      lastRun: null,
      lastPass: null,
      sessions: [],
    });
    await repo.stop();
    expect(parsed(await repo.gauntlet(["status", "--json"]))).toMatchObject({
      lastRun: { run: 1, status: "failed", branch: "work" },
      lastPass: null,
      sessions: [
        { id: "session-1", attempts: 1, attemptsLeft: 2, gaveUp: false, openFailures: ["check:.:a"] },
      ],
    });
    await repo.git("switch", "--quiet", "--detach");
    await repo.write({ fixed: "" });
    await repo.stop();
    expect(parsed(await repo.gauntlet(["status", "--json"]))).toMatchObject({
      lastRun: { status: "passed", branch: null },
      lastPass: { status: "passed" },
      sessions: [],
    });
    expect(parsed(await repo.gauntlet(["clean", "--json"]))).toMatchObject({
      previous: "gauntlet_logs/previous",
    });
  });

  test("review, with findings", async () => {
    const reviewer = `command: echo '${JSON.stringify({ findings: [FINDING] })}'`;
    await using repo = await project(
      `base_branch: main\ncli: { default_preference: [${JSON.stringify(reviewer)}] }\n`,
    );
    await repo.write({ ".gauntlet/reviews/quality.md": "---\nnum_reviews: 1\n---\nLook well.\n" });

    expect(parsed(await repo.gauntlet(["review", "--json"]))).toMatchObject({
      command: "review",
      status: "failed",
      outcomes: [{ kind: "review", review: { open: [{ issue: "Wrong.", line: 1, status: "new" }] } }],
    });
    parsed(await repo.gauntlet(["status", "--json"]));
  });

  test("health, doctor and explain, before and after a stop", async () => {
    await using repo = await project();

    parsed(await repo.gauntlet(["health", "--json"]));
    parsed(
      await repo
        .gauntlet(["install", "--host", "claude-code", "--yes"])
        .then(() => repo.gauntlet(["doctor", "--json"])),
    );
    expect(parsed(await repo.gauntlet(["explain", "--json"]))).toMatchObject({ status: "error" });
    await repo.stop({ cwd: repo.home });
    expect(parsed(await repo.gauntlet(["explain", "--anywhere", "--json"]))).toMatchObject({ run: null });
    await repo.stop();
    expect(parsed(await repo.gauntlet(["explain", "--json"]))).toMatchObject({
      verdict: { decision: "block", status: "failed" },
      run: { number: 1, attemptsLeft: 2 },
    });
  });

  test.for(["detect", "list", "validate", "status", "clean"])(
    "%s without a configuration",
    async (command) => {
      await using empty = await GauntletProject.create();

      const done = await empty.gauntlet([command, "--json"]);

      expect(parsed(done)).toMatchObject({ command, status: "no_config" });
      expect(done.exitCode).toBe(1);
      expect(done.stderr).toContain("agent-gauntlet init");
    },
  );

  test.for(["detect", "list", "status", "clean"])("%s with a broken configuration", async (command) => {
    await using broken = await project("checks: [\n");

    expect(parsed(await broken.gauntlet([command, "--json"]))).toMatchObject({ command, status: "error" });
  });
});

const FINDING = { file: "new", line: 1, issue: "Wrong.", fix: "Right.", priority: "high" };

function outcome(name: string, facts: object): object {
  return {
    id: `check:.:${name}`,
    kind: "check",
    name,
    scope: ".",
    workingDirectory: ".",
    blocks: false,
    warnOnly: false,
    durationMs: expect.any(Number),
    logPath: `gauntlet_logs/check_._${name}.1.log`,
    review: null,
    baseline: null,
    problems: [],
    ...facts,
  };
}

function jsonSchemaText(): string {
  const title = "What agent-gauntlet prints with --json";
  const { $schema, ...rest } = z.toJSONSchema(outputSchema().meta({ title }), {
    target: "draft-07",
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties; // readers must tolerate new fields
      for (const bound of ["maximum", "minimum"] as const)
        if (Math.abs(jsonSchema[bound] ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema[bound];
    },
  });
  return `${JSON.stringify({ $schema, ...rest }, undefined, 2)}\n`;
}

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

function undescribed(node: Node, path = ""): readonly string[] {
  const inside = [...(node.anyOf ?? []), ...(node.items === undefined ? [] : [node.items])];
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([key, value]) => [
      ...(value.description === undefined ? [`${path}.${key}`] : []),
      ...undescribed(value, `${path}.${key}`),
    ]),
    ...inside.flatMap((one) => undescribed(one, path)),
  ];
}
