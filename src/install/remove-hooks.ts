import { type Node, getNodeValue } from "jsonc-parser";
import type { HookRegistration, HookShape } from "./hook-registration.ts";
import { endOf, existsOnlyFor, removeItem } from "./jsonc-container.ts";
import { type FoundHook, findOurHooks } from "./our-hooks.ts";
import { DEFAULT_LAYOUT } from "./text-layout.ts";

/** Takes out those of our hooks that are unwanted; undefined when nothing of the file is left. */
export function removeHooks(
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
