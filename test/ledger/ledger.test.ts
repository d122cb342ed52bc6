import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Unchained } from "../../src/ledger/verdict-record.ts";
import { findBreak, type LedgerLines, readLedger, verdictsIn } from "../../src/ledger/ledger-lines.ts";
import { appendVerdict, forgetLedger, type Ledger, ledgerOf } from "../../src/ledger/ledger.ts";
import { writePass } from "../../src/stop/work-tree-store.ts";
import { tempDir } from "../rig/temp-dir.ts";

interface Kept extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly add: (...runs: readonly number[]) => void;
  readonly lines: () => LedgerLines;
  readonly runs: () => readonly (number | undefined)[];
}

async function keep(maxBytes?: number): Promise<Kept> {
  const dir = await tempDir();
  const root = join(dir.path, "project");
  await mkdir(root);
  const ledger = ledgerOf(root, { HOME: dir.path });
  const lines = (): LedgerLines => {
    const read = readLedger(ledger);
    if (!read.ok) throw new Error(read.trouble.kind);
    return read.value;
  };
  return {
    ledger,
    lines,
    add: (...runs) => {
      for (const run of runs)
        expect(appendVerdict(ledger, verdict(run), maxBytes)).toMatchObject({ ok: true });
    },
    runs: () => [...verdictsIn(lines())].map(({ run }) => run).toReversed(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

function verdict(run: number): Unchained {
  return {
    at: 1_763_251_200_000 + run,
    ms: 12,
    door: "stop-hook",
    host: "claude-code",
    session: "sitzung-ü",
    status: "passed",
    decision: "allow",
    run,
    version: "0.1.0",
  };
}

test("keeps verdicts in order, each with the hash of the one before, readable for the user alone", async () => {
  await using kept = await keep();

  kept.add(1, 2, 3);

  const verdicts = [...verdictsIn(kept.lines())];
  expect(kept.runs()).toEqual([1, 2, 3]);
  expect(new Set(verdicts.map(({ prev }) => prev)).size).toBe(3);
  expect(verdicts[0]?.session).toBe("sitzung-ü");
  expect(findBreak(kept.lines())).toBeUndefined();
  expect(statSync(kept.ledger.file).mode & 0o777).toBe(0o600);
});

test("only parses the lines that hold a text, the newest first", async () => {
  await using kept = await keep();
  kept.add(1, 2, 12);

  const found = [...verdictsIn(kept.lines(), '"run":1')];

  expect(found.map(({ run }) => run)).toEqual([12, 1]);
});

test.for([
  ["a changed line", 3, (text: string) => text.replace('"run":2', '"run":9')],
  ["a removed line", 2, (text: string) => without(text, 1)],
  ["two lines in the other order", 2, (text: string) => swapped(text, 1, 2)],
  ["the first line gone", 1, (text: string) => without(text, 0)],
  ["a line of another ledger", 5, (text: string) => `${text}${text.split("\n")[1]}\n`],
  ["a line that cannot be read", 3, (text: string) => text.replace(/^\{(?=.*"run":3)/m, "")],
  ["a cut tail", 2, (text: string) => without(without(text, 3), 2)],
  ["a changed last line", 4, (text: string) => text.replace('"run":4', '"run":9')],
] as const)("finds %s", async ([, line, tamper]) => {
  await using kept = await keep();
  kept.add(1, 2, 3, 4);

  writeFileSync(kept.ledger.file, tamper(readFileSync(kept.ledger.file, "utf8")));

  expect(findBreak(kept.lines())).toMatchObject({ line });
});

test("a break stays visible when more verdicts follow", async () => {
  await using kept = await keep();
  kept.add(1, 2, 3, 4);
  truncateSync(kept.ledger.file, Math.floor(statSync(kept.ledger.file).size / 2) - 5);

  kept.add(5, 6);

  expect(findBreak(kept.lines())).toBeDefined();
  expect(kept.runs().slice(-2)).toEqual([5, 6]);
});

test("misses the record of the last line, and a ledger that is gone while it is there", async () => {
  await using kept = await keep();
  kept.add(1, 2);
  for (const head of kept.ledger.heads) rmSync(head);
  const headless = findBreak(kept.lines());
  kept.add(3);
  const after = findBreak(kept.lines());
  rmSync(kept.ledger.file);
  const gone = findBreak(kept.lines());

  expect(headless).toMatchObject({ line: 2, why: "the record of the last line is missing" });
  expect(after).toMatchObject({ line: 3 });
  expect(gone).toBeDefined();
});

test("what is before a verdict says nothing about it", async () => {
  await using kept = await keep();
  kept.add(1, 2, 3, 4);
  writeFileSync(kept.ledger.file, readFileSync(kept.ledger.file, "utf8").replace('"run":1', '"run":9'));
  const [last, , second] = [...verdictsIn(kept.lines())];

  expect(findBreak(kept.lines())).toMatchObject({ line: 2 });
  expect(findBreak(kept.lines(), second)).toBeUndefined();
  expect(findBreak(kept.lines(), last)).toBeUndefined();
});

test("wherever a writer is killed, the line it had begun is finished by the next, and readers see it meanwhile", async () => {
  await using whole = await keep();
  whole.add(1, 2, 3);
  const { size } = statSync(whole.ledger.file);
  const lastLine = readFileSync(whole.ledger.file, "utf8").split("\n")[2] ?? "";

  for (let missing = 0; missing <= lastLine.length + 1; missing += 7) {
    await using kept = await keep();
    kept.add(1, 2, 3);
    truncateSync(kept.ledger.file, size - missing);
    const seen = missing === lastLine.length + 1 ? kept.runs() : [1, 2, 3];
    kept.add(4);

    expect(seen).toEqual([1, 2, 3]);
    expect(kept.runs()).toEqual([1, 2, 3, 4]);
    expect(findBreak(kept.lines())).toBeUndefined();
  }
});

test("a writer killed before its very first line has it finished too", async () => {
  await using kept = await keep();
  kept.add(1);
  rmSync(kept.ledger.file);

  expect(kept.runs()).toEqual([1]);
  kept.add(2);
  expect(kept.runs()).toEqual([1, 2]);
  expect(findBreak(kept.lines())).toBeUndefined();
});

test("wherever a writer is killed while it writes the head, the one before counts", async () => {
  await using kept = await keep();
  kept.add(1, 2, 3);
  const written = kept.ledger.heads.map((path) => readFileSync(path, "utf8"));
  const file = readFileSync(kept.ledger.file, "utf8");
  const newest = written.findIndex((text) => text.includes('"count":3'));
  const path = kept.ledger.heads[newest] ?? "";

  for (let done = 0; done < (written[newest]?.length ?? 0); done += 11) {
    writeFileSync(kept.ledger.file, without(file, 2)); // the line follows its head
    writeFileSync(path, `${written[newest]?.slice(0, done)}${"old".repeat(400)}\n`);
    const seen = kept.runs();
    const whole = findBreak(kept.lines());
    kept.add(4);

    expect([seen, kept.runs()]).toEqual([
      [1, 2],
      [1, 2, 4],
    ]);
    expect([whole, findBreak(kept.lines())]).toEqual([undefined, undefined]);
  }
});

test("stays bounded: a full file becomes the older one, and the new one begins with the hash of what was dropped", async () => {
  await using kept = await keep(1_000);

  kept.add(...Array.from({ length: 60 }, (_, index) => index + 1));

  const first = JSON.parse(readFileSync(kept.ledger.file, "utf8").split("\n")[0] ?? "") as object;
  const runs = kept.runs();
  expect(statSync(kept.ledger.file).size + statSync(kept.ledger.older).size).toBeLessThan(3_500);
  expect(first).toMatchObject({ dropped: expect.stringMatching(/^[\w-]{43}$/) });
  expect(runs.at(-1)).toBe(60);
  expect(runs).toEqual(Array.from({ length: runs.length }, (_, index) => 61 - runs.length + index));
  expect(findBreak(kept.lines())).toBeUndefined();
});

test("an old file makes room too", async () => {
  await using kept = await keep();
  kept.add(1);

  appendVerdict(kept.ledger, { ...verdict(2), at: verdict(2).at + 200 * 86_400_000 });

  expect(readFileSync(kept.ledger.older, "utf8")).toContain('"run":1');
  expect(kept.runs()).toEqual([1, 2]);
});

test("a writer killed while files change places has that finished as well; a missing older file is seen", async () => {
  await using kept = await keep(1_000);
  kept.add(1, 2, 3, 4, 5, 6);
  const rotated = readFileSync(kept.ledger.file, "utf8").split("\n")[0] ?? "";
  const next = readFileSync(kept.ledger.file, "utf8").split("\n")[1] ?? "";

  // as it was after the new head was written and before anything was renamed
  const { prev } = JSON.parse(next) as { prev: string };
  renameSync(kept.ledger.older, kept.ledger.file);
  const state = {
    count: 1_000,
    hash: prev,
    line: rotated,
    size: rotated.length + 1,
    since: 1_763_251_200_000,
    rotates: true,
  };
  writeFileSync(kept.ledger.heads[0], `${JSON.stringify(state)}\n`);
  kept.add(7);

  expect(findBreak(kept.lines())).toBeUndefined();
  expect(kept.runs().at(-1)).toBe(7);
  rmSync(kept.ledger.older);
  expect(findBreak(kept.lines())).toMatchObject({ line: 1, why: "lines before it are missing" });
});

test("begins beside what else is kept about the project", async () => {
  await using kept = await keep();
  await mkdir(kept.ledger.directory, { recursive: true });

  kept.add(1);

  expect(kept.runs()).toEqual([1]);
});

test("all work trees of a repository share one ledger, other directories have their own", async () => {
  await using dir = await tempDir();
  const main = join(dir.path, "main");
  const linked = join(dir.path, "linked");
  await mkdir(join(main, ".git/worktrees/feature"), { recursive: true });
  await mkdir(linked);
  writeFileSync(join(main, ".git/config"), "");
  writeFileSync(join(main, ".git/worktrees/feature/commondir"), "../..\n");
  writeFileSync(join(linked, ".git"), `gitdir: ${main}/.git/worktrees/feature\n`);
  const env = { HOME: dir.path };

  expect(ledgerOf(linked, env)).toEqual({ ...ledgerOf(main, env), worktree: "feature" });
  expect(ledgerOf(dir.path, env).file).not.toBe(ledgerOf(main, env).file);
});

test("forgets everything when asked", async () => {
  await using kept = await keep();
  kept.add(1);

  expect(forgetLedger(kept.ledger)).toMatchObject({ ok: true });

  expect(kept.lines()).toEqual({ lines: [], older: 0 });
  expect(findBreak(kept.lines())).toBeUndefined();
});

test("what cannot be written is trouble, not a crash", async () => {
  await using kept = await keep();
  await mkdir(kept.ledger.file, { recursive: true });

  expect(appendVerdict(kept.ledger, verdict(1))).toMatchObject({ ok: false });
});

test.for([
  "null",
  "[]",
  '{"at":1,"prev":""}',
  '{"at":1e400,"ms":1,"status":"passed","prev":""}',
  '{"at":1,"ms":1,"status":"splendid","prev":""}',
  '{"at":1,"ms":1,"status":"passed","decision":"maybe","prev":""}',
  '{"at":1,"ms":1,"status":"passed","commit":7,"prev":""}',
  '{"at":1,"ms":1,"status":"passed","run":"7","prev":""}',
  '{"at":1,"ms":1,"status":"passed","rests":7,"prev":""}',
  '{"at":1,"ms":1,"status":"passed","outcomes":7,"prev":""}',
  '{"at":1,"ms":1,"status":"passed","outcomes":[null],"prev":""}',
  '{"at":1,"ms":1,"status":"passed","outcomes":[{"id":1,"kind":"passed","ms":1}],"prev":""}',
  '{"at":1,"ms":1,"status":"passed","outcomes":[{"id":"a","kind":"passed","ms":1,"flaky":[7]}],"prev":""}',
])("a line of others is not a verdict, and is found: %s", async (line) => {
  await using kept = await keep();
  kept.add(1);
  appendFileSync(kept.ledger.file, `${line}\n`);

  expect(kept.runs()).toEqual([1]);
  expect(findBreak(kept.lines())).toMatchObject({ line: 2 });
});

test.skipIf(process.platform === "win32")(
  "a pipe in its place blocks neither writers nor readers",
  async () => {
    await using kept = await keep();
    kept.add(1);
    rmSync(kept.ledger.file);
    execFileSync("mkfifo", [kept.ledger.file]);

    expect(appendVerdict(kept.ledger, verdict(2))).toMatchObject({ ok: false });
    expect(kept.lines().older).toBe(0);
  },
);

test("an unfinished line does not swallow the next", async () => {
  await using kept = await keep();
  kept.add(1, 2);
  appendFileSync(kept.ledger.file, '{"at":1');

  kept.add(3);

  expect(kept.runs()).toEqual([1, 2, 3]);
  expect(findBreak(kept.lines())).toMatchObject({ line: 3, why: "it cannot be read" });
});

function without(text: string, index: number): string {
  return `${text.trimEnd().split("\n").toSpliced(index, 1).join("\n")}\n`;
}

function swapped(text: string, one: number, other: number): string {
  const lines = text.trimEnd().split("\n");
  return `${lines
    .with(one, lines[other] ?? "")
    .with(other, lines[one] ?? "")
    .join("\n")}\n`;
}

test("survives when the passes of projects that are gone are forgotten", async () => {
  await using dir = await tempDir();
  const projects = join(dir.path, "projects");
  const key = { gates: "g", environment: "e", programs: "p" };
  const pass = { runNumber: 1, indexName: "t", key, passed: [], status: "passed", at: 1 } as const;
  for (let n = 0; n < 201; n++) {
    await mkdir(join(projects, `p${n}`), { recursive: true });
    writeFileSync(join(projects, `p${n}`, "pass.json"), "{}");
    if (n % 2 === 0) writeFileSync(join(projects, `p${n}`, "ledger.jsonl"), "");
  }

  writePass(join(projects, "current"), pass, () => undefined);

  const names = readdirSync(projects);
  const kept = readdirSync(projects, { recursive: true, encoding: "utf8" });
  expect(names.length).toBeLessThan(202);
  expect(kept.filter((name) => name.endsWith("ledger.jsonl"))).toHaveLength(101);
  expect(kept.filter((name) => name.endsWith("pass.json"))).toHaveLength(101);
});
