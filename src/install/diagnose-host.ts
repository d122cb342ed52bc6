import type { Status } from "../stop/status.ts";
import type { HookKind, Host } from "../hosts/host.ts";
import { type HostHook, HOOK_TIMEOUT_MS, hostHooks } from "./hook-registration.ts";
import { skippedFile } from "./plan-hosts.ts";
import { getNodeValue } from "jsonc-parser";
import type { AbsolutePath } from "../path.ts";
import { now } from "../system/clock.ts";
import { ago } from "../words.ts";
import { ONLY_ALLOWED_FLAG } from "../hosts/protocol.ts";
import { alsoRead, hostFile, type HostFile, ownFiles, type Places, formatOf } from "./files/host-files.ts";
import { findProperty, isNode, parseSettings, properties } from "./files/settings-file.ts";

export interface Judgement {
  readonly level: "ok" | "warning" | "problem";
  readonly text: string;
}

export interface Finding extends Judgement {
  readonly check: "registered" | "command" | "program" | "timeout" | "fired" | "round-trip";
}

export interface HostFacts {
  readonly host: Host;
  readonly registrations: readonly ProbedRegistration[];
  readonly neededMs: number;
  readonly lastStop?: LastStop | undefined;
  readonly missing?: readonly HostHook[];
  /** What else was found out about it. */
  readonly more?: readonly Finding[];
}

export interface ProbedRegistration extends FoundRegistration, Probed {}

export interface Probed {
  readonly problem?: string | undefined;
  readonly program?: HookProgram | undefined;
}

interface HookProgram {
  readonly kind: "Node" | "native";
  readonly costMs: number;
}

interface LastStop {
  readonly at: number;
  readonly status: Status;
  readonly hostVersion?: string | undefined;
}

export function diagnoseHost(facts: HostFacts): readonly Finding[] {
  const { host, registrations } = facts;
  if (registrations.length === 0) return [notRegistered(facts)];
  return [
    registered(facts),
    ...registrations.filter((one) => one.isSkipped).map((one) => skipped(host, one.where)),
    ...registrations.filter((one) => one.isOutdated).map((one) => outdated(host, one.where)),
    ...registrations.filter((one) => one.runsAnything).map((one) => unasked(host, one.where)),
    ...(facts.missing ?? []).map((hook) => missing(host, hook)),
    ...registrations.map(commandFinding),
    ...registrations.flatMap((one) => programFinding(facts, one)),
    ...registrations.map((one) => timeoutFinding(facts, one)),
    firedFinding(facts),
    ...(facts.more ?? []),
    roundTripFinding(facts),
  ];
}

function notRegistered({ host }: HostFacts): Finding {
  const text = `not registered. \`agent-gauntlet install --host ${host.name}${host.registration?.projectFile === undefined ? " --user" : ""}\` registers it`;
  return { check: "registered", level: "warning", text };
}

function registered({ registrations }: HostFacts): Finding {
  const places = registrations.map(({ where, isOptional }) =>
    isOptional ? `${where} (if you allow it)` : where,
  );
  const certain = registrations.filter(({ isOptional }) => !isOptional);
  if (certain.length <= 1)
    return { check: "registered", level: "ok", text: `registered in ${places.join(", ")}` };
  const text = `registered ${certain.length} times: ${places.join(", ")}. Each stop runs it as often; \`agent-gauntlet uninstall\` takes ours out of one`;
  return { check: "registered", level: "warning", text };
}

function skipped(host: Host, where: string): Finding {
  return { check: "registered", level: "problem", text: skippedFile(host, where) };
}

function missing(host: Host, { kind, event }: HostHook): Finding {
  const lost = LOST_WITHOUT[kind];
  const why =
    lost === undefined ? "is gated by stop_hook.on but not registered" : `is not registered: ${lost}`;
  const text = `${event} ${why}. \`agent-gauntlet install --host ${host.name}\` registers it`;
  return { check: "registered", level: lost === undefined ? "problem" : "warning", text };
}

const NOTHING_AFTER_EDITS = "nothing runs ahead of a stop, and no check runs after an edit";
const LOST_WITHOUT: Partial<Readonly<Record<HookKind, string>>> = {
  session_start: "where a session begins is not known before its first stop",
  session_end: "what runs ahead, or waits for an agent, is not stopped when its session ends",
  edit: NOTHING_AFTER_EDITS,
  shell_edit: NOTHING_AFTER_EDITS,
  config_change: "nobody is told when its hooks are switched off during a session",
};

function outdated(host: Host, where: string): Finding {
  const text = `${where} was written by another version. \`agent-gauntlet install --host ${host.name}\` rewrites it`;
  return { check: "registered", level: "warning", text };
}

/** As older versions registered it. */
function unasked(host: Host, where: string): Finding {
  const text = `${where} serves every project and runs the gates of those you never allowed, too. \`agent-gauntlet install --host ${host.name} --user\` rewrites it so that \`agent-gauntlet allow\` decides`;
  return { check: "registered", level: "warning", text };
}

function commandFinding({ command, where, problem }: ProbedRegistration): Finding {
  if (problem === undefined)
    return { check: "command", level: "ok", text: `its command answers: ${command || where}` };
  return { check: "command", level: "problem", text: `its command does not work: ${command}: ${problem}` };
}

function programFinding({ registrations }: HostFacts, { program, where }: ProbedRegistration): Finding[] {
  if (program === undefined) return [];
  const name = program.kind === "native" ? "the native program" : "Node";
  const which = registrations.length > 1 ? ` (${where})` : "";
  const text = `starts ${name}${which}: a stop with nothing to do takes ${Math.round(program.costMs)} ms`;
  return [{ check: "program", level: "ok", text }];
}

/** The line of a failed start that says why: programs end with stack traces and versions. */
export function whyItFailed(stderr: string): string | undefined {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^\[trace\]|^Node\.js v\d/.test(line));
  return said.find((line) => /^(?:Uncaught )?\w*Error\b.*: ./.test(line)) ?? said.at(-1);
}

const DAY_MS = 86_400_000;

function timeoutFinding({ host, neededMs }: HostFacts, { timeoutMs, where }: ProbedRegistration): Finding {
  const given = timeoutMs ?? host.defaultTimeoutMs;
  const origin = timeoutMs === undefined ? `${host.title}'s default` : where;
  const inUnit = `${host.timeoutUnit === "ms" ? neededMs : neededMs / 1000}`;
  if (given < neededMs)
    return {
      check: "timeout",
      level: "problem",
      text: `${host.title} waits ${given / 1000} s (${origin}), the gates may take ${neededMs / 1000} s: then it stops in silence. Set "timeout": ${inUnit}, or a smaller stop_hook.timeout`,
    };
  if (given > DAY_MS)
    return {
      check: "timeout",
      level: "warning",
      text: `a timeout of ${given / 1000} s (${origin}) looks like the wrong unit; ${host.title} counts in ${host.timeoutUnit}`,
    };
  return { check: "timeout", level: "ok", text: `${host.title} waits ${given / 1000} s (${origin})` };
}

function firedFinding({ host, lastStop }: HostFacts): Finding {
  if (lastStop === undefined) {
    const todo = host.registration?.afterwards ?? `Let ${host.title} finish an answer, then look again`;
    return { check: "fired", level: "warning", text: `never fired here. ${todo}` };
  }
  const version = lastStop.hostVersion === undefined ? "" : ` (${host.title} ${lastStop.hostVersion})`;
  const text = `last fired ${ago(lastStop.at, now())}${version}: ${lastStop.status}`;
  return { check: "fired", level: "ok", text };
}

/** A made-up stop is parsed, blocked and allowed, and the host's own rules say what it would do. */
function roundTripFinding({ host }: HostFacts): Finding {
  const stop = { cwd: "/", sessionId: "doctor", promptId: "doctor", blockedBefore: 0, lastMessage: "" };
  const parsed = host.parse(host.sample(stop), { env: {}, cwd: "/" });
  const block = host.take(
    host.render({ decision: "block", status: "failed", message: "m", feedback: "fix it" }),
  );
  const allow = host.take(host.render({ decision: "allow", status: "passed", message: "m" }));
  const isSound = parsed.kind === "stop" && block.agent === "goes-on" && allow.agent === "stops";
  if (isSound)
    return {
      check: "round-trip",
      level: "ok",
      text: `its answers are as ${host.title} was seen to obey them`,
    };
  return {
    check: "round-trip",
    level: "problem",
    text: `a block does not go through: ${block.problem ?? "not obeyed"}`,
  };
}

export interface FoundRegistration {
  readonly where: string;
  readonly command: string;
  readonly timeoutMs?: number;
  readonly isOptional: boolean;
  /** Whether the host will not read the file, because of comments or trailing commas. */
  readonly isSkipped: boolean;
  readonly isOutdated: boolean;
  readonly runsAnything?: boolean;
  /** Whether it is in a file of another host that this one reads too. */
  readonly isBorrowed: boolean;
}

interface ReadFile extends HostFile {
  readonly isOptional: boolean;
  readonly isBorrowed: boolean;
}

export function registrationFiles(host: Host, places: Places): readonly ReadFile[] {
  const project = hostFile(host, "project", places);
  const others = project === undefined ? [] : alsoRead(project, places);
  return [
    ...ownFiles(host, places).map((file) => ({ ...file, isOptional: false, isBorrowed: false })),
    ...others.map((file) => ({ ...file, isOptional: file.when === "opt-in", isBorrowed: true })),
  ];
}

export function findRegistrations(
  host: Host,
  places: Places,
  texts: ReadonlyMap<AbsolutePath, string | undefined>,
): readonly FoundRegistration[] {
  return registrationFiles(host, places).flatMap((file) => {
    const text = texts.get(file.path);
    return text === undefined ? [] : [...hooksIn(text, file), ...pluginIn(text, file)];
  });
}

export function missingEvents(
  host: Host,
  places: Places,
  texts: ReadonlyMap<AbsolutePath, string | undefined>,
  hooks: readonly HookKind[],
): readonly HostHook[] {
  const wanted = hostHooks(host, { hooks, command: "" });
  const files = registrationFiles(host, places).filter(({ isBorrowed }) => !isBorrowed);
  const found = files.flatMap((file) =>
    formatOf(file, { command: "", hooks }).find(texts.get(file.path) ?? ""),
  );
  const isByPlugin = files.some((file) => pluginIn(texts.get(file.path) ?? "", file).length > 0);
  return isByPlugin ? [] : wanted.filter(({ event }) => found.every((entry) => entry.event !== event));
}

function hooksIn(text: string, file: ReadFile): readonly FoundRegistration[] {
  const { host, shown, level, registration, isOptional, isBorrowed } = file;
  const isForAll = level === "user" && registration.format !== "plugin";
  const format = formatOf(file, { command: "", hooks: ["stop"] });
  return format
    .find(text)
    .filter(({ event }) => host.stopEvents.includes(event))
    .map(({ command, timeout, isOutdated = false }) => ({
      where: shown,
      command,
      isOptional,
      isBorrowed,
      isOutdated,
      runsAnything: isForAll && !command.includes(ONLY_ALLOWED_FLAG),
      isSkipped: format.isSkipped(text),
      timeoutMs: inMs(timeout, host),
    }));
}

function inMs(timeout: number | undefined, { timeoutUnit }: Host): number | undefined {
  if (timeout === undefined) return undefined;
  return timeoutUnit === "ms" ? timeout : timeout * 1000;
}

/** The plugin of any marketplace: ours, or a team's own. */
const PLUGIN = "gauntlet@";

/** Claude Code names the plugins it loads in the same files. */
function pluginIn(text: string, { host, shown, isBorrowed }: ReadFile): readonly FoundRegistration[] {
  if (host.name !== "claude-code" || isBorrowed) return [];
  const parsed = parseSettings(text.replace(/^\uFEFF/, ""));
  const plugins =
    parsed.ok && parsed.root !== undefined ? findProperty(parsed.root, "enabledPlugins") : undefined;
  if (!isNode(plugins) || plugins.type !== "object") return [];
  return properties(plugins)
    .filter(({ key, value }) => key.startsWith(PLUGIN) && getNodeValue(value) === true)
    .map(({ key }) => ({
      where: `the plugin ${key} (${shown})`,
      command: "",
      timeoutMs: HOOK_TIMEOUT_MS,
      isOptional: false,
      isBorrowed: false,
      isSkipped: false,
      isOutdated: false,
    }));
}
