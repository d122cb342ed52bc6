import { getNodeValue } from "jsonc-parser";
import type { AbsolutePath } from "../core/path.ts";
import { ONLY_ALLOWED_FLAG } from "../hosts/protocol.ts";
import type { Host } from "../hosts/host.ts";
import { alsoRead, hostFile, type HostFile, ownFiles, type Places, formatOf } from "./files/host-files.ts";
import { HOOK_TIMEOUT_MS, type HostHook, hostHooks } from "./hook-registration.ts";
import type { HostRequest } from "./plan-hosts.ts";
import { findProperty, isNode, parseSettings, properties } from "./files/settings-file.ts";

/** A stop hook of ours that a host will run. */
export interface FoundRegistration {
  /** The file, as people know it. */
  readonly where: string;
  readonly command: string;
  /** Undefined where the file leaves it to the host. */
  readonly timeoutMs?: number;
  /** Whether it runs only if the user switched something on. */
  readonly isOptional: boolean;
  /** Whether the host will not read the file, because of comments or trailing commas. */
  readonly isSkipped: boolean;
  /** Whether `install` would rewrite it in the form of this version. */
  readonly isOutdated: boolean;
  /** Whether it serves every project and would run one that nobody allowed. */
  readonly runsAnything?: boolean;
  /** Whether it is in a file of another host that this one reads too. */
  readonly isBorrowed: boolean;
}

interface ReadFile extends HostFile {
  readonly isOptional: boolean;
  readonly isBorrowed: boolean;
}

/** Every file that decides whether this host runs our hook. */
export function registrationFiles(host: Host, places: Places): readonly ReadFile[] {
  const project = hostFile(host, "project", places);
  const others = project === undefined ? [] : alsoRead(project, places);
  return [
    ...ownFiles(host, places).map((file) => ({ ...file, isOptional: false, isBorrowed: false })),
    ...others.map((file) => ({ ...file, isOptional: file.when === "opt-in", isBorrowed: true })),
  ];
}

/** Our hooks in those files; `texts` holds them, undefined if missing. */
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

/** The hooks that are wanted and that this host has events for, but that none of its own files registers. */
export function missingEvents(
  host: Host,
  { places, texts, hooks }: Pick<HostRequest, "places" | "texts" | "hooks">,
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
      ...(timeout === undefined ? {} : { timeoutMs: host.timeoutUnit === "ms" ? timeout : timeout * 1000 }),
    }));
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
