import { type Node, getNodeValue } from "jsonc-parser";
import type { HookRegistration, HookShape } from "./hook-registration.ts";
import { type SettingsProblem, findProperty, isNode, parseSettings, properties } from "./settings-text.ts";

/** A hook of ours in somebody's settings. */
export interface FoundHook {
  readonly event: string;
  readonly node: Node;
  readonly commandNode: Node;
  readonly command: string;
}

/** Ours in every event, in the order of the file; whatever has an unknown shape is not ours. */
export function findOurHooks(body: string, { shape, isOurs }: HookRegistration): readonly FoundHook[] {
  const parsed = parseSettings(body);
  if (!parsed.ok || parsed.root === undefined) return [];
  const events = findEvents(parsed.root, shape);
  if (!isNode(events) || events.type !== "object") return [];
  return properties(events)
    .flatMap(({ key: event, value: list }) => elements(list).map((entry) => ({ event, entry })))
    .flatMap(({ event, entry }) => hooksOf(entry).map((node) => ({ event, node })))
    .flatMap(({ event, node }) => withCommand(event, node, shape))
    .filter((found) => isOurs(found.command));
}

/** The object whose properties are the events. */
export function findEvents(root: Node, { eventsKey }: HookShape): Node | SettingsProblem | undefined {
  return eventsKey === undefined ? root : findProperty(root, eventsKey);
}

/** The hooks of an entry: those of its group, or itself. */
function hooksOf(entry: Node): readonly Node[] {
  const group = entry.type === "object" ? findProperty(entry, "hooks") : undefined;
  return isNode(group) ? elements(group) : [entry];
}

function elements(node: Node): readonly Node[] {
  return node.type === "array" ? (node.children ?? []) : [];
}

function withCommand(event: string, node: Node, shape: HookShape): readonly FoundHook[] {
  const commandNode = node.type === "object" ? findProperty(node, shape.commandKey) : undefined;
  if (!isNode(commandNode) || commandNode.type !== "string") return [];
  return [{ event, node, commandNode, command: String(getNodeValue(commandNode)) }];
}
