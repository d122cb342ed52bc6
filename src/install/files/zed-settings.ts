import { getNodeValue, type Node } from "jsonc-parser";
import { fail, ok, type Result } from "../../trouble.ts";
import type { FileChange } from "../hook-registration.ts";
import {
  appendItem,
  DEFAULT_LAYOUT,
  detectLayout,
  endOf,
  existsOnlyFor,
  removeItem,
  type TextLayout,
} from "./jsonc-container.ts";
import {
  findProperty,
  isNode,
  isProblem,
  parseSettings,
  placeOf,
  properties,
  type SettingsProblem,
} from "./settings-file.ts";

/** How Zed starts an agent: a program with its arguments, for no shell. */
export type AgentCommand = readonly [program: string, ...args: string[]];

/** An agent of Zed's settings (`agent_servers`) that is started by a command. */
export interface ZedAgent {
  readonly name: string;
  readonly isGated: boolean;
}

/** An agent that is added where the settings name none. */
export interface NewAgent {
  readonly name: string;
  readonly command: AgentCommand;
}

interface Found extends ZedAgent {
  readonly property: Node;
  readonly command: Node;
  readonly args: Node | undefined;
  /** How many of its words, the command included, are in front of the agent's own command, and that program itself. */
  readonly ours: number;
}

/** Agents that we added are named so, and are taken out whole. */
const ADDED = " (agent-gauntlet)";

export function zedAgents(text: string): readonly ZedAgent[] {
  return agentsIn(text.replace(/^\uFEFF/, "")).map(({ name, isGated }) => ({ name, isGated }));
}

/** Puts our command in front of every agent's own; where there is none, adds those that are there. */
export function planZedInstall(
  text: string | undefined,
  {
    own,
    found,
    file,
  }: { readonly own: AgentCommand; readonly found: readonly NewAgent[]; readonly file: string },
): Result<FileChange> {
  const added = found.map(
    ({ name, command }) => [`${name}${ADDED}`, entryFor([...own, ...command])] as const,
  );
  return edit(text, { file, snippet: { agent_servers: Object.fromEntries(added) } }, (body) => {
    const agents = agentsIn(body);
    if (agents.length === 0) return withAgents(body, added);
    return agents.toReversed().reduce((rest, agent) => (agent.isGated ? rest : wrap(rest, agent, own)), body);
  });
}

export function planZedUninstall(text: string | undefined, file: string): Result<FileChange> {
  if (text === undefined) return ok({ kind: "unchanged" });
  return edit(text, { file, snippet: {} }, (body) => {
    const gated = agentsIn(body).filter(({ isGated }) => isGated);
    return gated
      .toReversed()
      .reduce(
        (rest, agent) => (agent.name.endsWith(ADDED) ? withoutAgent(rest, agent.name) : unwrap(rest, agent)),
        body,
      );
  });
}

interface About {
  readonly file: string;
  /** What a person would write, if we cannot. */
  readonly snippet: object;
}

function edit(
  text: string | undefined,
  { file, snippet }: About,
  work: (body: string) => string,
): Result<FileChange> {
  const mark = text?.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = (text ?? "").slice(mark.length);
  const problem = problemIn(body);
  if (problem !== undefined) {
    const diagnostic = {
      severity: "error" as const,
      file,
      message: problem.message,
      ...placeOf(body, problem.offset),
    };
    return fail({ kind: "host-settings-invalid", diagnostic, snippet: JSON.stringify(snippet, null, 2) });
  }
  const edited = work(body);
  return ok(edited === body ? { kind: "unchanged" } : { kind: "written", text: mark + edited });
}

function problemIn(body: string): SettingsProblem | undefined {
  const parsed = parseSettings(body);
  if (!parsed.ok) return parsed.problem;
  const servers = parsed.root && findProperty(parsed.root, "agent_servers");
  if (isProblem(servers)) return servers;
  if (servers !== undefined && servers.type !== "object")
    return { offset: servers.offset, message: '"agent_servers" must be an object' };
  return undefined;
}

/** Those of Zed's own registry have no command, and cannot be started by another program. */
function agentsIn(body: string): readonly Found[] {
  const servers = serversIn(body);
  if (servers === undefined) return [];
  return properties(servers).flatMap(({ key: name, value }) => {
    const command = value.type === "object" ? findProperty(value, "command") : undefined;
    const args = value.type === "object" ? findProperty(value, "args") : undefined;
    if (!isNode(command) || command.type !== "string" || value.parent === undefined) return [];
    if (isProblem(args) || (args !== undefined && args.type !== "array")) return [];
    const words = [command, ...(args?.children ?? [])].map((node) => String(getNodeValue(node)));
    const ours = ownWords(words);
    return [{ name, property: value.parent, command, args, ours, isGated: ours > 0 }];
  });
}

function serversIn(body: string): Node | undefined {
  const parsed = parseSettings(body);
  const servers = parsed.ok && parsed.root ? findProperty(parsed.root, "agent_servers") : undefined;
  return isNode(servers) && servers.type === "object" ? servers : undefined;
}

/** `agent-gauntlet acp … --` in front, however it is started. */
function ownWords(words: readonly string[]): number {
  const acp = words.indexOf("acp");
  const end = words.indexOf("--", acp);
  const isOurs = acp > 0 && end > 0 && words.slice(0, acp).some((word) => word.includes("agent-gauntlet"));
  return isOurs && words.slice(acp + 1, end).every((word) => word.startsWith("-")) ? end + 2 : 0;
}

function entryFor([command, ...args]: AgentCommand): object {
  return { type: "custom", command, args, env: {} };
}

/** Inserts text and leaves that of the user as it is, so that `unwrap` gives back the same bytes. */
function wrap(body: string, { command, args }: Found, [program, ...before]: AgentCommand): string {
  const own = [...before, String(getNodeValue(command))].map((word) => JSON.stringify(word));
  if (args === undefined) {
    const both = `${JSON.stringify(program)}, "args": [${own.join(", ")}]`;
    return spliced(body, { at: command.offset, remove: command.length, insert: both });
  }
  const [first] = args.children ?? [];
  const gap = first === undefined ? "" : body.slice(args.offset + 1, first.offset);
  const space = /^\s*\n\s*$/.test(gap) ? gap : " ";
  const listed = first === undefined ? own.join(", ") : own.map((word) => `${word},${space}`).join("");
  return spliced(
    body,
    { at: command.offset, remove: command.length, insert: JSON.stringify(program) },
    { at: first?.offset ?? args.offset + 1, remove: 0, insert: listed },
  );
}

function unwrap(body: string, { command, args, ours }: Found): string {
  const items = args?.children ?? [];
  const [first] = items;
  const program = items[ours - 2]; // the words begin with the command, which is ours as well
  if (args === undefined || first === undefined || program === undefined) return body;
  const insert = JSON.stringify(getNodeValue(program));
  const next = items[ours - 1];
  const between = body.slice(endOf(command), args.parent?.offset);
  if (next === undefined && between === ", ")
    return spliced(body, { at: command.offset, remove: endOf(args) - command.offset, insert });
  return spliced(
    body,
    { at: command.offset, remove: command.length, insert },
    { at: first.offset, remove: (next?.offset ?? endOf(program)) - first.offset, insert: "" },
  );
}

interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

function spliced(body: string, ...splices: readonly Splice[]): string {
  return splices
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove), body);
}

type Added = readonly (readonly [name: string, entry: object])[];

function withAgents(body: string, added: Added): string {
  if (added.length === 0) return body;
  const whole = { agent_servers: Object.fromEntries(added) };
  if (body.trim() === "") return `${JSON.stringify(whole, null, DEFAULT_LAYOUT.indent)}\n`;
  const layout: TextLayout = detectLayout(body);
  const parsed = parseSettings(body);
  const servers = serversIn(body);
  if (!parsed.ok || parsed.root === undefined) return body;
  if (servers === undefined)
    return appendItem(body, parsed.root, { key: "agent_servers", value: whole.agent_servers, layout });
  const [[key, value] = ["", {}], ...others] = added;
  return withAgents(appendItem(body, servers, { key, value, layout }), others);
}

/** With `agent_servers`, if it was only there for it. */
function withoutAgent(body: string, name: string): string {
  const item = agentsIn(body).find((agent) => agent.name === name)?.property;
  const servers = item?.parent;
  if (item === undefined || servers === undefined) return body;
  const whole = servers.parent;
  return existsOnlyFor(body, servers, item) && whole !== undefined
    ? removeItem(body, whole)
    : removeItem(body, item);
}
