import { type Node, getNodeValue } from "jsonc-parser";
import {
  type SettingsProblem,
  findProperty,
  isNode,
  parseSettings,
  properties,
} from "./files/settings-text.ts";

/** What a product keeps in a host's settings file: which hooks, in which shape, and how to know its own again. */
export interface HookRegistration {
  /** The file, as shown to people. */
  readonly file: string;
  readonly hooks: readonly RegisteredHook[];
  readonly isOurs: (command: string) => boolean;
  /** One of ours that is not exactly as registered is replaced; otherwise only its command is corrected. */
  readonly exact?: boolean;
  /** Ours that must be rewritten because of how it runs, not only what it runs. */
  readonly isStale?: (found: { readonly event: string; readonly command: string }) => boolean;
  readonly shape: HookShape;
}

export interface RegisteredHook {
  readonly event: string;
  readonly command: string;
  /** The hook object that is written; holds `command` under the shape's key. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How a host writes hooks down. */
export interface HookShape {
  /** The property that holds the events; absent where they are the root's own. */
  readonly eventsKey?: string;
  /** Whether an event lists groups (`{ hooks: [hook] }`) or the hooks themselves. */
  readonly grouped: boolean;
  readonly commandKey: string;
  /** What a file must also say at its root; written only into a file that we create, behind the events. */
  readonly companion?: Readonly<Record<string, unknown>>;
  /** Whether the host refuses a file with comments or trailing commas; we keep them all the same. */
  readonly isStrictJson?: boolean;
}

/** What a file must become. */
export type FileChange =
  | { readonly kind: "unchanged" }
  | { readonly kind: "written"; readonly text: string }
  | { readonly kind: "removed" };

/** A hook of ours in a settings file. */
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
