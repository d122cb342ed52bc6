import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";

import { findHost } from "../../../src/hosts/host-table.ts";
import { CLI, GauntletProject } from "../gauntlet-project.ts";
import type { Client } from "./clients.ts";
import { type Answer, type FakeModel, startFakeModel } from "./fake-model.ts";
import { configureClient, installHost, runClient, type Start } from "./run-client.ts";

/** A project with one red check, which is green once `state.txt` says `fixed`. */
export async function gatedProject({
  maxRetries = 3,
  whenActive = "enforce",
} = {}): Promise<GauntletProject> {
  const project = await GauntletProject.create({
    ".gauntlet/config.yml": [
      `max_retries: ${maxRetries}`,
      "stop_hook:",
      `  when_active: ${whenActive}`,
      "checks:",
      `  ready: 'test "$(cat state.txt)" = fixed'`,
      "",
    ].join("\n"),
    "state.txt": "new\n",
  });
  await project.commit("start");
  await project.write({ "state.txt": "broken\n" });
  await writeProgram(join(project.home, "bin/agent-gauntlet"), `exec '${process.execPath}' '${CLI}' "$@"`);
  return project;
}

export interface Script {
  readonly answer: Answer;
  /** The hosts that are registered; the client's own where nothing is said. */
  readonly registered?: readonly string[];
  /** In the user's home, where a hook serves every project and each must be allowed; always so for a host without hooks per project. */
  readonly inHome?: boolean;
  readonly skip: (reason: string) => void;
}

/** Runs the client on one prompt; returns what its model was asked, and all it printed. */
export async function play(
  client: Client,
  project: GauntletProject,
  script: Script,
): Promise<{ readonly asked: readonly string[]; readonly output: string }> {
  await using ready = await prepare(client, project, script);
  if (ready === undefined) return { asked: [], output: "" };
  const run = await runClient(client, ready.start);
  expect(run).toMatchObject({ exitCode: 0 });
  return { asked: ready.model.questions, output: run.output };
}

export interface Ready extends AsyncDisposable {
  readonly model: FakeModel;
  readonly start: Start;
}

/** The client downloaded and configured, the stop hook registered with our own `install`; undefined where it cannot be had. */
export async function prepare(
  client: Client,
  project: GauntletProject,
  { answer, skip, registered = [client.host], inHome = isHomeOnly(registered) }: Script,
): Promise<Ready | undefined> {
  const installed = await installHost(client);
  if (!installed.ok) {
    skip(installed.reason);
    return undefined;
  }
  const model = await startFakeModel(answer);
  const command = installed.via === undefined ? [installed.bin] : [installed.via, installed.bin];
  const place = { home: project.home, project: project.root, modelUrl: model.url };
  await configureClient(client, place);
  await register(project, registered, inHome);
  const allowed = inHome ? await project.gauntlet(["allow", "--print"]) : undefined;
  const env: Record<string, string> =
    allowed === undefined ? {} : { AGENT_GAUNTLET_ALLOW: allowed.stdout.trim() };
  return {
    model,
    start: { ...place, command, path: pathOf(project), env },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

function isHomeOnly(hosts: readonly string[]): boolean {
  return hosts.every((name) => findHost(name)?.registration?.projectFile === undefined);
}

async function register(project: GauntletProject, hosts: readonly string[], inHome: boolean): Promise<void> {
  const args = [...hosts.flatMap((name) => ["--host", name]), ...(inHome ? ["--user"] : [])];
  const installed = await project.gauntlet(["install", ...args], { env: { PATH: pathOf(project) } });
  expect(installed.stdout).toContain("✓ Stop hook installed");
}

function pathOf(project: GauntletProject): string {
  return [join(project.home, "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
    ":",
  );
}

async function writeProgram(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}
