import { parseJson, isRecord } from "../../json.ts";
import { explain, fail, ok, type Result } from "../../trouble.ts";
import { allow } from "../../stop/verdict.ts";
import { recordStop } from "../../stop/record-stop.ts";
import { withOwnRecord } from "../../stop/same-prompt.ts";
import { handleStop } from "../../stop/handle-stop.ts";
import { beginSession } from "../../stop/session-start.ts";
import { jsonAnswer } from "../../hosts/protocol.ts";
import { blockCapOf, type Host, type HostAnswer, type Payload, type Taken } from "../../hosts/host.ts";
import { findHost, HOSTS, refusal } from "../../hosts/host-table.ts";
import { readSessionEvent } from "../../hosts/read-session.ts";
import { readText } from "../../system/files/files.ts";
import { type Rehearsal, startRehearsal } from "../../system/files/scratch.ts";
import { elapsedMs } from "../../system/clock.ts";
import { Commits } from "../../system/git/compare/base.ts";
import { Git } from "../../system/git/git.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings } from "../../report/open-settings.ts";
import { printLine, printText, type Terminal } from "../../report/terminal.ts";
import { Prompt } from "../../report/prompt.ts";

export interface SimulateOptions {
  readonly host: string;
  readonly event?: string;
  readonly times?: number;
  readonly start?: string | true;
}

/** Plays stops as a host would and shows what its agent and its user would see. The gates run for real; only their logs stay, in a temporary directory. */
export async function simulateCommand(terminal: Terminal, options: SimulateOptions): Promise<number> {
  const host = findHost(options.host);
  if (host === undefined) return refuse(terminal, refusal(options.host, HOSTS));
  const recorded = options.event === undefined ? undefined : await readPayload(options.event);
  if (typeof recorded === "string") return refuse(terminal, recorded);
  const settings = await openSettings(terminal, { command: "simulate" });
  if (typeof settings === "number") return settings;

  await using rehearsal = await startRehearsal(settings.root, settings.logDir, terminal.env);
  const scene = { host, recorded, rehearsal, times: options.times ?? 1 };
  if (options.start !== undefined) {
    const begun = await playStart(terminal, scene, options.start);
    if (!begun.ok) return refuse(terminal, explain(begun.trouble));
    if (!begun.value) return EXIT.ok;
  }
  await play(terminal, scene);
  return EXIT.ok;
}

async function playStart(terminal: Terminal, scene: Play, from: string | true): Promise<Result<boolean>> {
  const { cwd, stdout } = terminal;
  const session = readSessionEvent(JSON.stringify(payloadOf(terminal, scene, 0)), cwd);
  const seen = from === true ? ok(undefined) : await commitTree(cwd, from);
  if (!seen.ok) return seen;
  using cancel = cancellation();
  const env = { ...terminal.env, XDG_STATE_HOME: scene.rehearsal.stateHome };
  await beginSession({ session: session ?? { cwd }, env, seen: seen.value }, cancel.signal);
  printLine(stdout, `The session starts with the files ${from === true ? "as they are now" : `of ${from}`}.`);
  const isWaiting = from === true && terminal.isInteractive;
  if (!isWaiting) return ok(true);
  using prompt = new Prompt(terminal);
  return ok((await prompt.ask("Change something as an agent would. Play its stop now?", "yes")) === "yes");
}

async function commitTree(cwd: string, revision: string) {
  const git = new Git(cwd);
  const head = await new Commits(git).resolve(revision);
  if (head === undefined) return fail({ kind: "unknown-revision", revision });
  const tree = await git.output(["rev-parse", "--verify", `${head}^{tree}`]);
  return tree.ok ? ok({ head, tree: tree.value.toString().trim() }) : tree;
}

interface Play {
  readonly host: Host;
  readonly recorded: Payload | undefined;
  readonly rehearsal: Rehearsal;
  readonly times: number;
}

async function play(terminal: Terminal, scene: Play): Promise<void> {
  const { host, rehearsal, times } = scene;
  for (let number = 1; number <= times; number++) {
    const payload = payloadOf(terminal, scene, number - 1);
    const answer = await answerOf(terminal, payload, scene);
    const taken = host.take(answer);
    const told = describeStop({ host, number, payload, answer, taken });
    printText(terminal.stdout, told.replaceAll(rehearsal.logDir, rehearsal.logs));
    if (taken.agent === "stops") return;
  }
}

/** Every later stop follows a block, so only the host's own mark for that changes. */
function payloadOf({ cwd }: Terminal, { host, recorded }: Play, blockedBefore: number): Payload {
  const sample = host.sample({
    cwd,
    sessionId: "simulated-session",
    promptId: "simulated-prompt",
    blockedBefore,
    lastMessage: "All done.",
  });
  if (recorded === undefined) return sample;
  if (blockedBefore === 0) return recorded;
  const marks = ["stop_hook_active", "loop_count"].filter((key) => key in sample);
  return { ...recorded, ...Object.fromEntries(marks.map((key) => [key, sample[key]])) };
}

async function answerOf(
  terminal: Terminal,
  payload: Payload,
  { host, rehearsal }: Play,
): Promise<HostAnswer> {
  const env = { ...terminal.env, XDG_STATE_HOME: rehearsal.stateHome };
  const parsed = host.parse(payload, { env, cwd: terminal.cwd });
  if (parsed.kind === "other-event")
    return host.render(allow("invalid_input", { detail: `${parsed.name} is not a stop` }));
  if (parsed.kind === "ended") return jsonAnswer({});
  using cancel = cancellation();
  const { logDir } = rehearsal;
  const event = withOwnRecord(parsed.event, env);
  const stop = { event, env, blockCap: blockCapOf(host, env), logDir };
  const since = elapsedMs();
  const answered = await handleStop(stop, cancel.signal);
  const answer = host.render(answered.verdict, event);
  await recordStop(stop, answered, { ...answer, door: "stop-hook", since });
  return answer;
}

async function readPayload(file: string): Promise<Payload | string> {
  const text = readText(file);
  if (!text.ok) return `Cannot read ${file}.`;
  const value = parseJson(text.value);
  if (!isRecord(value)) return `${file} does not hold one JSON object.`;
  return isRecord(value["payload"]) ? value["payload"] : value;
}

function refuse(terminal: Terminal, message: string): number {
  printLine(terminal.stderr, message);
  return EXIT.notOk;
}

interface PlayedStop {
  readonly host: Host;
  readonly number: number;
  readonly payload: Payload;
  readonly answer: HostAnswer;
  readonly taken: Taken;
}

function describeStop({ host, number, payload, answer, taken }: PlayedStop): string {
  const { agentReads, personSees, problem } = taken;
  const lines = [
    `Stop ${number}, as ${host.title} sends it:`,
    `  ${JSON.stringify(payload)}`,
    `The answer (exit code ${answer.exitCode}):`,
    `  ${answer.stdout.trimEnd()}`,
  ];
  if (answer.stderr !== "") lines.push("On stderr:", ...indented(answer.stderr.trimEnd()));
  if (problem !== undefined) lines.push(`${host.title} does not take it: ${problem}`);
  if (agentReads === undefined) lines.push("The agent stops.");
  else lines.push("The agent continues and reads:", ...indented(agentReads));
  if (personSees === undefined) lines.push("The user sees nothing.");
  else lines.push("The user sees:", ...indented(personSees));
  return [...lines, "", ""].join("\n");
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
