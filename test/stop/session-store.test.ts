import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { array, assert, constantFrom, oneof, property, record, string, tuple, uuid } from "fast-check";
import { expect, test } from "vitest";
import { absolutePath, projectPath } from "../../src/path.ts";
import { OpenSession } from "../../src/stop/open-session.ts";
import { NOTHING_SPENT } from "../../src/stop/retry-state.ts";
import { type Session, startOver } from "../../src/stop/session.ts";
import { listSessions, readSession, updateSession, updateSessions } from "../../src/stop/session-store.ts";
import { logDirOf } from "../../src/system/logs/log-dir.ts";
import { tempDir } from "../rig/temp-dir.ts";

const named = (sessionId: string) => ({ sessionId, cwd: "/p" });

function stopped(sessionId: string, at = 1): Session {
  return {
    shown: [],
    lastStop: {
      at,
      door: "stop-hook",
      event: { host: "codex", sessionId, cwd: absolutePath("/p"), continued: false, backgroundTasks: [] },
      verdict: { decision: "allow", status: "passed", message: "fine" },
      answer: { stdout: "{}\n", exitCode: 0 },
    },
  };
}

function write(sessionId: string, session: object, env: { readonly XDG_STATE_HOME: string }): void {
  updateSession(named(sessionId), env, () => session as Session);
}

test("each session has one record, and the one that stopped last is listed first", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  write("a", stopped("a", 1), env);
  write("b", stopped("b", 2), env);
  write("a", stopped("a", 3), env);

  expect(listSessions(env)).toEqual([
    { id: "a", session: stopped("a", 3) },
    { id: "b", session: stopped("b", 2) },
  ]);
  expect(readSession(named("b"), env).value).toEqual(stopped("b", 2));
  expect(readSession(named("c"), env)).toEqual({ value: undefined });
});

const START = { root: "/p", at: 1 };
const { lastStop: STOP } = stopped("a");
const SPENT = { attempts: 2, openFailures: [], told: {} };

test.each<[string, object]>([
  ["a start's tree", { starts: [{ ...START, tree: {} }] }],
  ["a start's gates", { starts: [{ ...START, gates: 1 }] }],
  ["a start's hooks", { starts: [{ ...START, hooks: [null] }] }],
  ["what git ignored", { starts: [{ ...START, ignoreSettings: [{}] }] }],
  ["what was asked", { asked: { skip: 1 } }],
  ["the prompt of a block", { blocked: { whenActive: "enforce", root: "/p", promptId: 1 } }],
  ["a stop's directory", { lastStop: { ...STOP, event: { ...STOP?.event, cwd: 0 } } }],
  ["a stop's time", { lastStop: { ...STOP, at: 1e300 } }],
  [
    "a stop's outcomes",
    { lastStop: { ...STOP, run: { files: [], planned: [], skipped: [], outcomes: [1] } } },
  ],
  ["a negative count of attempts", { retries: { "/p": { ...SPENT, attempts: -1 } } }],
  ["a count of attempts that is text", { retries: { "/p": { ...SPENT, attempts: "2" } } }],
  ["a failure without an id", { retries: { "/p": { ...SPENT, openFailures: [{}] } } }],
  ["what the agent was told", { retries: { "/p": { ...SPENT, told: { a: 7 } } } }],
])("a session in which %s is not as we write it counts as absent, with a warning", async (_what, damage) => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  write("a", { ...stopped("a"), ...damage }, env);

  expect(readSession(named("a"), env)).toEqual({
    value: undefined,
    warning: expect.stringContaining("session-a.json") as string,
  });
});

test("only its owner can read it", async () => {
  await using home = await tempDir();
  write("a", stopped("a"), { XDG_STATE_HOME: home.path });

  const directory = join(home.path, "agent-gauntlet/sessions");
  const [file = ""] = (await readdir(directory)).filter((name) => name.endsWith(".json"));

  expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
});

test("a link in its place is replaced, not followed", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  write("a", stopped("a"), env);
  const file = join(home.path, "agent-gauntlet/sessions/session-a.json");
  await writeFile(join(home.path, "elsewhere"), "untouched");
  await rm(file);
  await symlink(join(home.path, "elsewhere"), file);

  write("a", stopped("a"), env);

  expect(readSession(named("a"), env).value).toEqual(stopped("a"));
  expect(await readFile(join(home.path, "elsewhere"), "utf8")).toBe("untouched");
});

test("the oldest sessions are dropped", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };

  for (let session = 0; session < 130; session++) write(`s${session}`, stopped(`s${session}`), env);

  expect(listSessions(env).length).toBeLessThanOrEqual(100);
});

test("starting over forgets the budgets and blocks of one project and nothing else", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const blocked = { root: "/p", whenActive: "enforce" as const };
  const open = {
    ...NOTHING_SPENT,
    attempts: 2,
    openFailures: [{ gate: { kind: "check" as const, scope: projectPath("."), name: "t" }, runNumber: 1 }],
  };
  write("here", { ...stopped("here"), blocked, retries: { "/p": open, "/q": open } }, env);
  write("there", { shown: [], blocked: { ...blocked, root: "/q" } }, env);

  updateSessions(env, startOver("/p", undefined));

  expect(readSession(named("here"), env).value).toEqual({
    ...stopped("here"),
    isEnforced: true,
    retries: { "/q": open },
  });
  expect(readSession(named("there"), env).value?.blocked?.root).toBe("/q");
});

test("starting over is noted in the sessions of the project if it was not the user's doing", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const blocked = { root: "/q", whenActive: "enforce" as const };
  write("here", { shown: [], root: "/p", blocked }, env);
  write("begun", { shown: [], starts: [{ root: "/p", at: 1 }] }, env);
  write("there", { shown: [], root: "/q" }, env);

  updateSessions(env, startOver("/p", 7));

  expect(readSession(named("here"), env).value).toMatchObject({ cleaned: 7, blocked });
  expect(readSession(named("begun"), env).value).toMatchObject({ cleaned: 7 });
  expect(readSession(named("there"), env).value).not.toHaveProperty("cleaned");
});

test("two who opened the same session lose none of their changes, whoever saves first", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const change = record({ by: constantFrom(0, 1, 2), key: string({ minLength: 1 }) });
  const step = oneof(change, constantFrom<"save" | "reload">("save", "reload"));

  assert(
    property(array(tuple(step, constantFrom(0, 1, 2)), { maxLength: 30 }), uuid(), (steps, id) => {
      const open = [0, 1, 2].map(() => OpenSession.open({ sessionId: id, cwd: "/p" }, env));
      const made = new Set<string>();
      for (const [one, by] of steps) {
        const session = open[by];
        if (one === "save") session?.save();
        else if (one === "reload") session?.reload();
        else {
          made.add(one.key);
          session?.change((stored) => ({ ...stored, shown: [...stored.shown, one.key] }));
        }
      }
      for (const session of open) session.save();
      expect(new Set(readSession({ sessionId: id, cwd: "/p" }, env).value?.shown ?? [])).toEqual(made);
    }),
    { numRuns: 60 },
  );
});

test("if nothing can be written in the state directory, the session lies in the log directory, and only then counts", async () => {
  await using home = await tempDir();
  await writeFile(join(home.path, "file"), "");
  const broken = { XDG_STATE_HOME: join(home.path, "file") };
  const logDir = logDirOf(absolutePath(home.path), projectPath("logs"));
  const first = OpenSession.open(named("a"), broken);
  first.fallBackTo(logDir);
  first.change((stored) => ({ ...stored, shown: ["x"] }));

  const saved = first.save();
  const second = OpenSession.open(named("a"), broken);
  const third = OpenSession.open(named("a"), { XDG_STATE_HOME: home.path });

  expect(saved).toEqual({ ok: true, value: "saved-with-the-logs" });
  expect([second.fallBackTo(logDir), second.value.shown]).toEqual(["found", ["x"]]);
  expect([third.fallBackTo(logDir), third.value.shown]).toEqual(["nothing", []]);
  expect(await readdir(logDir.stateDir)).toEqual([]);
});

test("files that cannot be trusted count as absent, and a place that cannot be written is trouble", async () => {
  await using home = await tempDir();
  const env = { XDG_STATE_HOME: home.path };
  const directory = join(home.path, "agent-gauntlet/sessions");
  write("a", stopped("a"), env);
  const whole = await readFile(join(directory, "session-a.json"), "utf8");
  for (const version of [0, 99])
    await writeFile(
      join(directory, `session-${version}.json`),
      whole.replace(/"version":\d+/, `"version":${version}`),
    );
  await rm(join(directory, "session-a.json"));
  await writeFile(join(directory, "session-cut.json"), whole.slice(0, whole.length / 2));
  await writeFile(join(home.path, "file"), "");

  const unwritable = updateSession(named("a"), { XDG_STATE_HOME: join(home.path, "file") }, (one) => one);

  expect(unwritable).toMatchObject({ ok: false, trouble: { kind: "file-failed", action: "write" } });
  expect(listSessions(env)).toEqual([]);
  expect(listSessions({ XDG_STATE_HOME: join(home.path, "nowhere") })).toEqual([]);
});
