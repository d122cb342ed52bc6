import type { Environment } from "../../system/process/environment.ts";
import { join } from "node:path";
import { type AbsolutePath, absolutePath } from "../../path.ts";
import { findHost } from "../../hosts/host-table.ts";
import { type Host, movedFolder, type Registration } from "../../hosts/host.ts";
import { getNodeValue } from "jsonc-parser";
import { ONLY_ALLOWED_FLAG } from "../../hosts/protocol.ts";
import type { Result } from "../../trouble.ts";
import {
  type HookRegistration,
  type FileChange,
  findOurHooks,
  hostCommand,
  hostHooks,
  jsonHooks,
  type WantedHooks,
} from "../hook-registration.ts";
import { planInstall, planUninstall } from "../plan-hooks.ts";
import { pluginFormat } from "./plugin-file.ts";
import { isPlainJson } from "./settings-file.ts";
import { tomlFormat } from "./toml-hooks.ts";

export type Level = "project" | "shared" | "user";

export interface Places {
  readonly root: AbsolutePath;
  readonly home: AbsolutePath;
  readonly env: Environment;
}

export interface HostFile {
  readonly host: Host;
  readonly registration: Registration;
  readonly level: Level;
  readonly path: AbsolutePath;
  readonly shown: string;
}

export function hostFile(host: Host, level: Level, places: Places): HostFile | undefined {
  const { registration } = host;
  if (registration === undefined) return undefined;
  if (level !== "user") {
    const { projectFile, sharedFile = projectFile } = registration;
    const shown = level === "shared" ? sharedFile : projectFile;
    if (shown === undefined) return undefined;
    return { host, registration, level, path: absolutePath(join(places.root, shown)), shown };
  }
  const { folder, file } = registration.userFile;
  const moved = movedFolder(registration.userFile, places.env);
  const path = absolutePath(join(moved ?? join(places.home, folder), file));
  return { host, registration, level, path, shown: moved === undefined ? `~/${folder}/${file}` : path };
}

export function ownFiles(host: Host, places: Places): readonly HostFile[] {
  const project = hostFile(host, "project", places);
  const user = hostFile(host, "user", places);
  const files = project === undefined ? [] : withOthers(project, places);
  return user === undefined ? files : [...files, user];
}

export function alsoRead(
  { registration }: HostFile,
  places: Places,
): readonly (HostFile & { when: "always" | "opt-in" })[] {
  return (registration.alsoReads ?? []).flatMap(({ host, level, when }) => {
    const other = findHost(host);
    const found = other === undefined ? undefined : hostFile(other, level, places);
    return found === undefined ? [] : withOthers(found, places).map((file) => ({ ...file, when }));
  });
}

function withOthers(file: HostFile, { root }: Places): readonly HostFile[] {
  if (file.level !== "project") return [file];
  const others = (file.registration.otherProjectFiles ?? []).map((shown) => ({
    ...file,
    shown,
    path: absolutePath(join(root, shown)),
  }));
  return [file, ...others];
}

/** How our hooks get into one file of a host, are found there, and are taken out. `undefined` is a file that is not there. */
export interface FileFormat {
  readonly install: (text: string | undefined) => Result<FileChange>;
  readonly uninstall: (text: string | undefined) => Result<FileChange>;
  readonly find: (text: string) => readonly FoundEntry[];
  readonly isSkipped: (text: string) => boolean;
}

export interface FoundEntry {
  readonly event: string;
  readonly command: string;
  readonly timeout?: number;
  /** Whether another version of agent-gauntlet wrote it, in a form that `install` would replace. */
  readonly isOutdated?: boolean;
}

export function formatOf({ host, registration, shown, level }: HostFile, asked: WantedHooks): FileFormat {
  const isForAll = level === "user"; // it serves every project, including ones not allowed yet
  const wanted = isForAll ? { ...asked, command: `${asked.command} ${ONLY_ALLOWED_FLAG}` } : asked;
  switch (registration.format) {
    case "json":
      return jsonFormat(jsonHooks(host, registration, wanted, shown), registration);
    case "toml":
      return tomlFormat(hostHooks(host, wanted), shown);
    case "plugin":
      return pluginFormat({ host, registration, command: hostCommand(host, wanted.command), file: shown });
  }
}

function jsonFormat(
  registration: HookRegistration,
  { takesComments }: { readonly takesComments?: boolean },
): FileFormat {
  return {
    install: (text) => planInstall(text, registration),
    uninstall: (text) => planUninstall(text, registration),
    find: (text) =>
      findOurHooks(text.replace(/^\uFEFF/, ""), registration).map(({ event, command, node }) => ({
        event,
        command,
        timeout: timeoutOf(getNodeValue(node)),
      })),
    isSkipped: (text) => !isPlainJson(text, { comments: takesComments }),
  };
}

function timeoutOf(hook: unknown): number | undefined {
  const { timeout } = hook as { timeout?: unknown }; // our hooks are objects
  return typeof timeout === "number" ? timeout : undefined;
}
