import { isDeepStrictEqual } from "node:util";
import { type Node, getNodeValue } from "jsonc-parser";
import { type Result, fail, ok } from "../trouble.ts";
import {
  type FileChange,
  type HookRegistration,
  type HookShape,
  type RegisteredHook,
  type FoundHook,
  findEvents,
  findOurHooks,
} from "./hook-registration.ts";
import {
  appendItem,
  endOf,
  replaceItem,
  DEFAULT_LAYOUT,
  detectLayout,
  existsOnlyFor,
  removeItem,
} from "./files/jsonc-container.ts";
import {
  type SettingsProblem,
  findProperty,
  isNode,
  isProblem,
  parseSettings,
  placeOf,
} from "./files/settings-file.ts";

/**
 * Adds the hooks that are missing, corrects the command of ours that call something else, drops ours that are surplus; touches
 * nothing else. `text` is undefined where there is no file.
 */
export function planInstall(text: string | undefined, registration: HookRegistration): Result<FileChange> {
  if (text === undefined) return ok({ kind: "written", text: freshFile(registration) });
  return edit(text, registration, install);
}

/** Takes our hooks out, with whatever was only there for them: an emptied entry, list, object, and the file itself. */
export function planUninstall(text: string | undefined, registration: HookRegistration): Result<FileChange> {
  if (text === undefined) return ok({ kind: "unchanged" });
  return edit(text, registration, (body) => removeHooks(body, registration, () => true));
}

/** Takes out chosen hooks among those that the registration finds, in the same way. */
export function planRemoval(
  text: string,
  registration: HookRegistration,
  isUnwanted: (found: FoundHook) => boolean,
): Result<FileChange> {
  return edit(text, registration, (body) => removeHooks(body, registration, isUnwanted));
}

function snippet(registration: HookRegistration): string {
  return JSON.stringify(freshValue(registration), null, 2);
}

type Edited = string | undefined | SettingsProblem;

/** `work` gets text without byte order mark that is known to parse; undefined from it means: no file. */
function edit(
  text: string,
  registration: HookRegistration,
  work: (body: string, registration: HookRegistration) => Edited,
): Result<FileChange> {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const parsed = parseSettings(body);
  const edited = parsed.ok ? work(body, registration) : parsed.problem;
  if (edited === undefined) return ok({ kind: "removed" });
  if (typeof edited === "string")
    return ok(edited === body ? { kind: "unchanged" } : { kind: "written", text: mark + edited });
  return fail({
    kind: "host-settings-invalid",
    diagnostic: {
      severity: "error",
      file: registration.file,
      message: edited.message,
      ...placeOf(body, edited.offset),
    },
    snippet: snippet(registration),
  });
}

function install(body: string, registration: HookRegistration): Edited {
  if (body.trim() === "") return body + freshFile(registration).trimEnd();
  const problem = obstacle(body, registration);
  if (problem !== undefined) return problem;
  const tidied = removeHooks(body, registration, (found, all) => isSurplus(found, all, registration));
  if (tidied === undefined) return freshFile(registration);
  return registration.hooks.reduce((text, hook) => register(text, hook, registration), tidied);
}

function freshFile(registration: HookRegistration): string {
  return `${JSON.stringify(freshValue(registration), null, DEFAULT_LAYOUT.indent)}\n`;
}

function freshValue({ hooks, shape }: HookRegistration): object {
  const events = Object.fromEntries(hooks.map((hook) => [hook.event, [entryFor(hook, shape)]]));
  return shape.eventsKey === undefined ? events : { [shape.eventsKey]: events, ...shape.companion };
}

function entryFor(hook: RegisteredHook, shape: HookShape): object {
  if (!shape.grouped) return hook.fields;
  return hook.matcher === undefined
    ? { hooks: [hook.fields] }
    : { matcher: hook.matcher, hooks: [hook.fields] };
}

/** What keeps the hooks from having a place: a property of the wrong type, or one that is there twice. */
function obstacle(body: string, { hooks, shape }: HookRegistration): SettingsProblem | undefined {
  const events = findEvents(rootOf(body), shape);
  if (isProblem(events)) return events;
  if (events === undefined) return undefined;
  if (events.type !== "object")
    return { offset: events.offset, message: `"${shape.eventsKey}" must be an object` };
  for (const { event } of hooks) {
    const list = findProperty(events, event);
    if (isProblem(list)) return list;
    if (list !== undefined && list.type !== "array")
      return { offset: list.offset, message: `"${event}" must be a list` };
  }
  return undefined;
}

/** Ours in an event where none belongs, the second of ours in one, or one to be rewritten. */
function isSurplus(
  found: FoundHook,
  all: readonly FoundHook[],
  { hooks, isStale = () => false }: HookRegistration,
): boolean {
  const isWanted = hooks.some((hook) => hook.event === found.event);
  const isFirst = all.find((other) => other.event === found.event) === found;
  return !isWanted || !isFirst || isStale(found);
}

function register(body: string, hook: RegisteredHook, registration: HookRegistration): string {
  const present = findOurHooks(body, registration).find((found) => found.event === hook.event);
  if (present === undefined) return add(body, hook, registration.shape);
  return registration.exact === true ? replace(body, present, hook) : correct(body, present, hook.command);
}

function replace(body: string, { node }: FoundHook, hook: RegisteredHook): string {
  const present: unknown = getNodeValue(node);
  const value = { ...hook.fields, ...raisedTimeout(present, hook.fields) };
  if (isDeepStrictEqual(present, value)) return body;
  return replaceItem(body, node, { value, layout: detectLayout(body) });
}

/** Keeps a longer timeout that the user has set. */
function raisedTimeout(present: unknown, { timeout }: RegisteredHook["fields"]): { timeout?: number } {
  const current = (present as { timeout?: unknown }).timeout; // our hooks are objects
  const isRaised = typeof current === "number" && typeof timeout === "number" && current > timeout;
  return isRaised ? { timeout: current } : {};
}

/** Keeps arguments that the user added to our command. */
function correct(body: string, { commandNode, command: current }: FoundHook, command: string): string {
  if (current === command || current.startsWith(`${command} `)) return body;
  return body.slice(0, commandNode.offset) + JSON.stringify(command) + body.slice(endOf(commandNode));
}

function add(body: string, hook: RegisteredHook, shape: HookShape): string {
  const layout = detectLayout(body);
  const root = rootOf(body);
  const events = findEvents(root, shape);
  const entry = entryFor(hook, shape);
  if (!isNode(events))
    return appendItem(body, root, { key: shape.eventsKey, value: { [hook.event]: [entry] }, layout });
  const list = findProperty(events, hook.event);
  if (!isNode(list)) return appendItem(body, events, { key: hook.event, value: [entry], layout });
  return appendItem(body, list, { value: entry, layout });
}

function rootOf(body: string): Node {
  const parsed = parseSettings(body);
  if (!parsed.ok || parsed.root === undefined) throw new Error("edited settings no longer parse");
  return parsed.root;
}

/** Takes out those of our hooks that are unwanted; undefined when nothing of the file is left. */
function removeHooks(
  body: string,
  registration: HookRegistration,
  isUnwanted: (found: FoundHook, ours: readonly FoundHook[]) => boolean,
): string | undefined {
  const ours = findOurHooks(body, registration);
  const unwanted = ours.findLast((found) => isUnwanted(found, ours));
  if (unwanted === undefined) return body;
  const rest = removeHook(body, unwanted.node, registration.shape);
  return rest === undefined ? undefined : removeHooks(rest, registration, isUnwanted);
}

/** Climbs from the hook to the largest thing that exists only for it, and takes that out. */
function removeHook(body: string, hook: Node, shape: HookShape): string | undefined {
  let item = emptiedGroup(hook) ?? hook;
  for (let container = item.parent; container !== undefined; container = item.parent) {
    const mayGo = container.type === "property" || existsOnlyFor(body, container, item);
    if (!mayGo && !isFileWeMade(body, item, shape)) return removeItem(body, item);
    item = container;
  }
  return withoutRoot(body, item);
}

/** Whether nothing but the events and what we write beside them is there, laid out as we do it: events first. */
function isFileWeMade(body: string, item: Node, { eventsKey, companion }: HookShape): boolean {
  const root = item.parent;
  if (companion === undefined || eventsKey === undefined || root === undefined || root.parent !== undefined)
    return false;
  const value: unknown = getNodeValue(root);
  const ours = JSON.stringify({ [eventsKey]: {}, ...companion });
  const isLaidOutByUs = body === `${JSON.stringify(value, null, DEFAULT_LAYOUT.indent)}\n`;
  return isLaidOutByUs && JSON.stringify({ ...(value as object), [eventsKey]: {} }) === ours; // the root of settings is an object
}

/** The entry `{ hooks: [hook] }` around a hook that is alone in it, whatever else the entry says. */
function emptiedGroup(hook: Node): Node | undefined {
  const list = hook.parent;
  const group = list?.parent?.type === "property" ? list.parent.parent : undefined;
  return list?.children?.length === 1 && group?.parent?.type === "array" ? group : undefined;
}

/** A file that we made holds the object and one line end; around any other root the white space was there before us. */
function withoutRoot(body: string, root: Node): string | undefined {
  const before = body.slice(0, root.offset);
  const after = body.slice(endOf(root));
  if (`${before}${after}`.trim() !== "") return `${before}{}${after}`;
  return before === "" && /^\r?\n$/.test(after) ? undefined : before + after;
}
