import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { jvmMissing, startJvm, startNbb, type RunningServer } from "../rig/nrepl-servers.ts";

const missing = jvmMissing();
const SERVERS = [
  { title: "nbb", extension: "cljs", start: startNbb, skip: undefined },
  { title: "JVM Clojure", extension: "clj", start: startJvm, skip: missing },
];

const hook = (code: string, more = ""): string =>
  `{:stop [{:type :repl :name "it" :code ${JSON.stringify(code)} :retry-on-failure? true :required? true ${more}}]}`;

describe.each(SERVERS)("a real nREPL server: $title", ({ title, extension, start, skip }) => {
  let server: RunningServer;
  beforeAll(async () => {
    if (skip === undefined) server = await start();
  }, 120_000); // a JVM on a busy machine takes its time
  afterAll(async () => {
    if (skip === undefined) await server[Symbol.asyncDispose]();
  });
  const live = test.skipIf(skip !== undefined);
  const because = skip === undefined ? "" : ` (skipped: ${skip})`;

  async function projectWith(hooks?: string) {
    const project = await GauntletProject.withHooks(hooks);
    await project.write({ ".nrepl-port": `${server.port}` });
    return project;
  }

  live(`evaluates and lets the agent stop${because}`, async () => {
    await using project = await projectWith(hook('(println "grün") (+ 1 2)'));

    expect(await project.breplStop()).toEqual({
      exitCode: 0,
      signal: null,
      stdout: '{"decision": "approve"}\n',
      stderr: "",
    });
  });

  live(`sends the agent back with the exception${because}`, async () => {
    await using project = await projectWith(hook('(throw (ex-info "so nicht" {:a 1}))'));

    const run = await project.breplStop();

    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("so nicht");
  });

  live(`sends the agent back for code that does not parse${because}`, async () => {
    await using project = await projectWith(hook("(defn broken [] (+ 1 2)"));

    const run = await project.breplStop();

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("EOF while reading");
  });

  async function writeTest(expected: number): Promise<void> {
    await mkdir(`${server.dir}/my`, { recursive: true });
    const code = `(ns my.app-test (:require [clojure.test :refer [deftest is]]))
(deftest adds (is (= ${expected} (+ 1 2))))`;
    await writeFile(`${server.dir}/my/app.${extension}`, "(ns my.app)");
    await writeFile(`${server.dir}/my/app_test.${extension}`, code);
  }

  live(
    `keeps the agent working on the template's own example until its tests are green${because}`,
    async () => {
      await using project = await projectWith();
      await project.brepl(["hook", "install"]);
      const template = project.read(".brepl/hooks.edn");
      await project.write({
        ".brepl/hooks.edn": template.replace("#_{:type :repl", "{:type :repl"),
      });

      await writeTest(4);
      const red = await project.breplStop();
      await writeTest(3);
      const green = await project.breplStop();

      expect(red.exitCode).toBe(2);
      expect(red.stderr).toContain("expected: (= 4 (+ 1 2))");
      expect(green).toEqual({
        exitCode: 0,
        signal: null,
        stdout: '{"decision": "approve"}\n',
        stderr: "",
      });
    },
  );

  live(`does not take a red run-tests for a pass${because}`, async () => {
    const run = "(require '[clojure.test :as t]) (require 'my.app-test :reload) (t/run-tests 'my.app-test)";
    await using project = await projectWith(hook(run));
    await writeTest(5);

    const red = await project.breplStop();

    expect(red.exitCode).toBe(2);
    expect(red.stderr).toContain("1 failure, 0 errors");
  });

  live(`gives up in time on code without end${because}`, async () => {
    await using project = await projectWith(hook("(loop [] (recur))", ":timeout 1"));

    const run = await project.breplStop();

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("timed out after 1 s");
  });

  if (title !== "JVM Clojure") return;

  live(`interrupts what runs over its time${because}`, async () => {
    const sleep = '(try (Thread/sleep 60000) (catch InterruptedException _ (spit "interrupted" "yes")))';
    await using project = await projectWith(
      hook(sleep.replace("interrupted", `${server.dir}/interrupted`), ":timeout 1"),
    );

    await project.breplStop();

    await using witness = await projectWith(
      hook(`(assert (.exists (java.io.File. "${server.dir}/interrupted")))`),
    );
    await expect.poll(async () => (await witness.breplStop()).exitCode).toBe(0);
  });

  live(`fails on (/ 1 0), gives the end of input to what reads${because}`, async () => {
    await using division = await projectWith(hook("(/ 1 0)"));
    await using reading = await projectWith(hook("(assert (nil? (read-line)))"));

    const divided = await division.breplStop();

    expect(divided.exitCode).toBe(2);
    expect(divided.stderr).toContain("Divide by zero");
    expect(await reading.breplStop()).toMatchObject({ exitCode: 0 });
  });
});
