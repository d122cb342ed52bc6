import { delimiter } from "node:path";
import { shellCommand } from "../../system/process/executables.ts";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { GATES_NOTHING } from "../../config/gauntlet/read-entry-points.ts";
import { diagnosticLine } from "../../trouble.ts";
import type { AbsolutePath } from "../../path.ts";
import type { StopRecord } from "../../stop/session.ts";
import type { Settings } from "../../config/settings.ts";
import { diagnoseBase } from "../../config/diagnose-base.ts";
import { adviseReport } from "../../feedback/advise-report.ts";
import { silencersAround } from "../../features/firing/unheard.ts";
import { claudeCode } from "../../hosts/claude-code.ts";
import type { Host } from "../../hosts/host.ts";
import {
  diagnoseHost,
  type Finding,
  type Judgement,
  type Probed,
  type HostFacts,
  type ProbedRegistration,
  whyItFailed,
  findRegistrations,
  type FoundRegistration,
  missingEvents,
  registrationFiles,
} from "../diagnose-host.ts";
import type { Places } from "../files/host-files.ts";
import { tryBlock } from "../live-block.ts";
import { pathOfHooks } from "../hook-command.ts";
import { HOOK_TIMEOUT_MS } from "../hook-registration.ts";
import { findProject, CONFIG_FILE } from "../../system/files/find-project.ts";
import { Git } from "../../system/git/git.ts";
import { type ProcessEnd, runProcess } from "../../system/process/run-process.ts";
import { listSessions } from "../../stop/session-store.ts";
import { readUserFile } from "../../system/files/user-file.ts";
import { doctorJson, type HostDiagnosis } from "../json.ts";
import { countedGates } from "../../report/plain-lines.ts";
import { checkReviewers } from "./health.ts";
import { detectHosts, REGISTRABLE, placesOf, wantedIn } from "../host-request.ts";
import { EXIT } from "../../report/exit-code.ts";
import { examineZed, isZedGated, ZED } from "../zed.ts";
import { isHere } from "../../ledger/past.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface DoctorOptions {
  readonly json?: boolean;
  /** Starts the real client. */
  readonly live?: boolean;
}

interface Diagnosis {
  readonly host: Pick<Host, "name" | "title">;
  readonly isRegistered: boolean;
  readonly findings: readonly Finding[];
}

/** Looks at every agent that is installed or registered. Fails when a hook will not work, or when no hook is registered. */
export async function doctorCommand(terminal: Terminal, { json, live }: DoctorOptions): Promise<number> {
  const project = await examineProject(terminal);
  const diagnoses = await diagnose(terminal, project.neededMs, live);
  const isGated = diagnoses.some(({ isRegistered }) => isRegistered);
  const findings = [project.finding, ...diagnoses.flatMap((diagnosis) => diagnosis.findings)];
  const isSound = findings.every(({ level }) => level !== "problem");
  let hasReviewers = true;
  if (json) printLine(terminal.stdout, doctorJson(project.finding, diagnoses.map(named)));
  else {
    const { level, text } = project.finding;
    printLine(terminal.stdout, `${markOf(terminal, level)} ${text}`);
    for (const diagnosis of diagnoses) printDiagnosis(terminal, diagnosis);
    for (const advice of await reportAdvice(terminal)) printLine(terminal.stdout, advice);
    hasReviewers = await checkReviewers(terminal);
    if (!isGated)
      printLine(
        terminal.stdout,
        `${markOf(terminal, "problem")} No agent has the stop hook. \`agent-gauntlet install --host claude-code\` registers it; other agents: \`agent-gauntlet install --help\`.`,
      );
  }
  return isGated && isSound && hasReviewers ? EXIT.ok : EXIT.notOk;
}

async function diagnose(
  terminal: Terminal,
  neededMs: number,
  live: boolean | undefined,
): Promise<readonly Diagnosis[]> {
  const detected = detectHosts(terminal);
  const records = listSessions(terminal.env)
    .flatMap(({ session }) => session.lastStop ?? [])
    .filter((one) => isHere(one, terminal.cwd));
  const places = placesOf(terminal);
  const { hooks } = await wantedIn(places.root, places.env);
  const diagnoses: Diagnosis[] = [];
  for (const host of REGISTRABLE) {
    const texts = await textsOf(host, places);
    const registrations = await probeAll(terminal, findRegistrations(host, places, texts));
    const missing = missingEvents(host, places, texts, hooks);
    const lastStop = lastStopOf(host, records);
    const isMeant = detected.includes(host) || registrations.some(({ isBorrowed }) => !isBorrowed);
    if (!isMeant) continue;
    const more = host === claudeCode && registrations.length > 0 ? await inClaudeCode(places, live) : [];
    const facts: HostFacts = { host, registrations, neededMs, missing, lastStop, more };
    diagnoses.push({ host, isRegistered: registrations.length > 0, findings: diagnoseHost(facts) });
  }
  const zed = await examineZed(terminal);
  if (zed !== undefined) diagnoses.push({ host: ZED, isRegistered: isZedGated(zed), findings: zed });
  return diagnoses;
}

/** What keeps its hooks from being asked, and whether a block goes through. */
async function inClaudeCode({ root, env }: Places, live: boolean | undefined): Promise<readonly Finding[]> {
  const silencers = silencersAround({ root, env }).map(({ text, undo, isCertain }): Finding => {
    return { check: "fired", level: isCertain ? "problem" : "warning", text: `${text}. ${undo}` };
  });
  return live === true ? [...silencers, await tryBlock(root, env)] : silencers;
}

interface ProjectFacts {
  readonly finding: Judgement;
  readonly neededMs: number;
}

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

/** A hook that works gates nothing where the configuration has no gate that can run. */
async function examineProject({ cwd, env }: Terminal): Promise<ProjectFacts> {
  const neededMs = HOOK_TIMEOUT_MS;
  const root = findProject(cwd);
  if (root === undefined)
    return {
      finding: { level: "warning", text: `no ${CONFIG_FILE} here: \`agent-gauntlet init\`` },
      neededMs,
    };
  const loaded = await loadSettings(root, env);
  if (!loaded.ok) return { finding: { level: "problem", text: NOT_VALID }, neededMs };
  const { settings, warnings } = loaded.value;
  const gates = new Set(settings.entryPoints.flatMap((entryPoint) => entryPoint.gates)).size;
  const guards = Object.keys(settings.guards ?? {}).length;
  const gatesNothing = warnings.find(({ message }) => message === GATES_NOTHING);
  const [base] = await diagnoseBase(loaded.value);
  const hasGit = (await new Git(root).output(["--version"])).ok;
  const has = `${CONFIG_FILE} has ${countedGates(gates, guards)}`;
  const warning = base === undefined ? undefined : diagnosticLine(base);
  const text = hasGit ? warning : `${has}, but git cannot be started: ${WITHOUT_GIT}`;
  const sound: ProjectFacts["finding"] =
    text === undefined ? { level: "ok", text: has } : { level: "warning", text };
  const finding: ProjectFacts["finding"] =
    gatesNothing === undefined
      ? sound
      : { level: "problem", text: `${CONFIG_FILE}: ${GATES_NOTHING} → ${gatesNothing.hint}` };
  return { finding, neededMs: settings.stopHook.timeoutMs };
}

const WITHOUT_GIT = "every file counts as changed, and no pass is reused";

const NOT_VALID = `${CONFIG_FILE} is not valid, so no gate runs: \`agent-gauntlet validate\` shows why`;

async function textsOf(host: Host, places: Places): Promise<ReadonlyMap<AbsolutePath, string | undefined>> {
  const texts = new Map<AbsolutePath, string | undefined>();
  for (const { path } of registrationFiles(host, places)) {
    const text = await readUserFile(path);
    texts.set(path, text.ok ? text.value : undefined);
  }
  return texts;
}

/** One at a time, or they slow each other down. */
async function probeAll(
  terminal: Terminal,
  found: readonly FoundRegistration[],
): Promise<readonly ProbedRegistration[]> {
  const probed: ProbedRegistration[] = [];
  for (const one of found) probed.push({ ...one, ...(await probe(terminal, one)) });
  return probed;
}

const PROBE_TIMEOUT_MS = 15_000;

async function probe(terminal: Terminal, { command }: FoundRegistration): Promise<Probed> {
  if (command === "") return {};
  const first = await startOnce(terminal, command);
  return first.problem === undefined ? startOnce(terminal, command) : first;
}

/** Runs the command as a host does, but asks it to answer at once: no gate runs, no state is touched. */
async function startOnce({ cwd, env }: Terminal, command: string): Promise<Probed> {
  const startedAt = performance.now();
  const said = { stdout: "", stderr: "" };
  const end = await runProcess({
    argv: shellCommand(command),
    cwd,
    env: {
      ...env,
      PATH: pathOfHooks(env["PATH"] ?? "", delimiter),
      GAUNTLET_STOP_HOOK_ACTIVE: "1",
      AGENT_GAUNTLET_TRACE: "1",
    },
    stdin: "{}\n",
    timeoutMs: PROBE_TIMEOUT_MS,
    onOutput: (chunk, stream) => void (said[stream] += chunk.toString()),
  });
  const costMs = performance.now() - startedAt;
  if (end.kind === "exited" && end.exitCode === 0 && /^\{.*\}\n$/.test(said.stdout))
    return { program: programIn(said.stderr, costMs) };
  return { problem: whyItFailed(said.stderr) ?? endInWords(end) };
}

function endInWords(end: ProcessEnd): string {
  if (end.kind === "timed-out") return `no answer within ${PROBE_TIMEOUT_MS / 1000} s`;
  if (end.kind !== "exited") return end.kind;
  return end.exitCode === 0 ? "what it prints is no answer to a stop" : `exit code ${end.exitCode}`;
}

/** The program says on stderr which one it is; an older release or another program does not. */
function programIn(trace: string, costMs: number): ProbedRegistration["program"] {
  const name = /^\[trace\].* (Node|native program) started/m.exec(trace)?.[1];
  if (name === undefined) return undefined;
  return { kind: name === "Node" ? "Node" : "native", costMs };
}

function lastStopOf(host: Host, records: readonly StopRecord[]): HostFacts["lastStop"] {
  const record = records.find(({ event }) => event.host === host.name);
  if (record === undefined) return undefined;
  return { at: record.at, status: record.verdict.status, hostVersion: record.event.hostVersion };
}

function markOf({ colours }: Terminal, level: Finding["level"]): string {
  switch (level) {
    case "ok":
      return colours.green("✓");
    case "warning":
      return colours.yellow("!");
    case "problem":
      return colours.red("✗");
  }
}

function printDiagnosis(terminal: Terminal, { host, findings }: Diagnosis): void {
  const { stdout, colours } = terminal;
  printLine(stdout, colours.bold(host.title));
  for (const { level, text } of findings) printLine(stdout, `  ${markOf(terminal, level)} ${text}`);
}

function named({ host, isRegistered, findings }: Diagnosis): HostDiagnosis {
  return { host: host.name, registered: isRegistered, findings };
}
