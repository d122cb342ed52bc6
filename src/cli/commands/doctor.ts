import { loadSettings } from "../../config/gauntlet/load.ts";
import type { AbsolutePath } from "../../core/path.ts";
import type { Settings } from "../../core/settings.ts";
import type { StopRecord } from "../../core/stop-record.ts";
import { adviseReport } from "../../feedback/advise-report.ts";
import type { Host } from "../../hosts/host.ts";
import {
  diagnoseHost,
  type Finding,
  type HostFacts,
  type ProbedRegistration,
} from "../../install/diagnose-host.ts";
import {
  findRegistrations,
  type FoundRegistration,
  registrationFiles,
} from "../../install/find-registrations.ts";
import { HOOK_TIMEOUT_MS } from "../../install/host-registration.ts";
import { findProject } from "../../machine/find-project.ts";
import { runProcess } from "../../machine/process.ts";
import { readStopRecords } from "../../machine/stop-records.ts";
import { readUserFile } from "../../machine/user-file.ts";
import { doctorJson, type HostDiagnosis } from "../../report/host-json.ts";
import { detectHosts, REGISTRABLE } from "../choose-hosts.ts";
import { EXIT } from "../exit-code.ts";
import { placesOf } from "../host-request.ts";
import { isHere } from "../is-here.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface DoctorOptions {
  readonly json?: boolean;
}

interface Diagnosis {
  readonly host: Host;
  readonly isRegistered: boolean;
  readonly findings: readonly Finding[];
}

/** Looks at every agent that is installed or registered. Fails when a hook will not work, or when there is none at all. */
export async function doctorCommand(terminal: Terminal, { json }: DoctorOptions): Promise<number> {
  const diagnoses = await diagnose(terminal);
  const isGated = diagnoses.some(({ isRegistered }) => isRegistered);
  const isSound = diagnoses.every(({ findings }) => findings.every(({ level }) => level !== "problem"));
  if (json) printLine(terminal.stdout, doctorJson(diagnoses.map(named)));
  else {
    for (const diagnosis of diagnoses) printDiagnosis(terminal, diagnosis);
    for (const advice of await reportAdvice(terminal)) printLine(terminal.stdout, advice);
    if (!isGated)
      printLine(
        terminal.stdout,
        "No agent has the stop hook. `agent-gauntlet install --host claude-code` registers it; other agents: `agent-gauntlet install --help`.",
      );
  }
  return isGated && isSound ? EXIT.ok : EXIT.notOk;
}

async function diagnose(terminal: Terminal): Promise<readonly Diagnosis[]> {
  const detected = detectHosts(terminal);
  const records = readStopRecords(terminal.env).filter((one) => isHere(one, terminal.cwd));
  const neededMs = await neededTime(terminal);
  const diagnoses = await Promise.all(
    REGISTRABLE.map(async (host): Promise<readonly Diagnosis[]> => {
      const registrations = await registrationsOf(terminal, host);
      const facts: HostFacts = { host, registrations, neededMs, lastStop: lastStopOf(host, records) };
      const isMeant = detected.includes(host) || registrations.some(({ isBorrowed }) => !isBorrowed);
      return isMeant ? [{ host, isRegistered: registrations.length > 0, findings: diagnoseHost(facts) }] : [];
    }),
  );
  return diagnoses.flat();
}

/** What the project says; what we install otherwise. */
async function neededTime(terminal: Terminal): Promise<number> {
  return (await settingsOf(terminal))?.stopHook.timeoutMs ?? HOOK_TIMEOUT_MS;
}

/** Checks whose tool could write a report for machines. */
async function reportAdvice(terminal: Terminal): Promise<readonly string[]> {
  const gates = (await settingsOf(terminal))?.entryPoints.flatMap((entryPoint) => entryPoint.gates) ?? [];
  const advice = gates.flatMap((gate) => {
    const said = gate.kind === "check" ? adviseReport(gate) : undefined;
    return said === undefined ? [] : [`check ${gate.name}: ${said}`];
  });
  return [...new Set(advice)];
}

async function settingsOf({ cwd, env }: Terminal): Promise<Settings | undefined> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, env);
  return loaded?.ok ? loaded.value.settings : undefined;
}

async function registrationsOf(terminal: Terminal, host: Host): Promise<readonly ProbedRegistration[]> {
  const places = placesOf(terminal);
  const texts = new Map<AbsolutePath, string | undefined>();
  for (const { path } of registrationFiles(host, places)) {
    const text = await readUserFile(path);
    texts.set(path, text.ok ? text.value : undefined);
  }
  const found = findRegistrations(host, places, texts);
  return Promise.all(found.map(async (one) => ({ ...one, problem: await probe(terminal, one) })));
}

const PROBE_TIMEOUT_MS = 15_000;

/** Runs the command as a host does, but told to answer at once: no gate runs, no state is touched. */
async function probe({ cwd, env }: Terminal, { command }: FoundRegistration): Promise<string | undefined> {
  if (command === "") return undefined;
  const said = { stdout: "", stderr: "" };
  const end = await runProcess({
    argv: process.platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["sh", "-c", command],
    cwd,
    env: { ...env, GAUNTLET_STOP_HOOK_ACTIVE: "1" },
    stdin: "{}\n",
    timeoutMs: PROBE_TIMEOUT_MS,
    onOutput: (chunk, stream) => void (said[stream] += chunk.toString()),
  });
  if (end.kind === "exited" && end.exitCode === 0 && /^\{.*\}\n$/.test(said.stdout)) return undefined;
  return said.stderr.trim().split("\n").at(-1) || end.kind;
}

function lastStopOf(host: Host, records: readonly StopRecord[]): HostFacts["lastStop"] {
  const record = records.find(({ event }) => event.host === host.name);
  if (record === undefined) return undefined;
  return { at: record.at, status: record.verdict.status, hostVersion: record.event.hostVersion };
}

const MARKS = { ok: "✓", warning: "!", problem: "✗" } as const;

function printDiagnosis({ stdout, colours }: Terminal, { host, findings }: Diagnosis): void {
  printLine(stdout, colours.bold(host.title));
  for (const { level, text } of findings) printLine(stdout, `  ${MARKS[level]} ${text}`);
}

function named({ host, isRegistered, findings }: Diagnosis): HostDiagnosis {
  return { host: host.name, registered: isRegistered, findings };
}
