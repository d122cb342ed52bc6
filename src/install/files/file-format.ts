import { getNodeValue } from "jsonc-parser";
import { ONLY_ALLOWED_FLAG } from "../../hosts/answer.ts";
import type { Result } from "../../core/trouble.ts";
import { type HookRegistration, type FileChange, findOurHooks } from "../hook-registration.ts";
import type { HostFile } from "./host-files.ts";
import { hostCommand, hostHooks, jsonHooks, type WantedHooks } from "../host-registration.ts";
import { planInstall, planUninstall } from "../plan-hooks.ts";
import { pluginFormat } from "./plugin-file.ts";
import { isPlainJson } from "./settings-text.ts";
import { tomlFormat } from "./toml-hooks.ts";

/** How our hooks get into one file of a host, are found there, and are taken out. `undefined` is a file that is not there. */
export interface FileFormat {
  readonly install: (text: string | undefined) => Result<FileChange>;
  readonly uninstall: (text: string | undefined) => Result<FileChange>;
  readonly find: (text: string) => readonly FoundEntry[];
  /** Whether the host silently skips the file because of its syntax. */
  readonly isSkipped: (text: string) => boolean;
}

/** A hook of ours in a file. */
export interface FoundEntry {
  readonly event: string;
  readonly command: string;
  /** In the host's unit; undefined where the file leaves it to the host. */
  readonly timeout?: number;
  /** Whether another version of agent-gauntlet wrote it, in a form that `install` would replace. */
  readonly isOutdated?: boolean;
}

export function formatOf(
  { host, registration, shown, level }: HostFile,
  asked: Omit<WantedHooks, "file">,
): FileFormat {
  const isForAll = level === "user"; // it serves every project, including ones not allowed yet
  const wanted = isForAll ? { ...asked, command: `${asked.command} ${ONLY_ALLOWED_FLAG}` } : asked;
  switch (registration.format) {
    case "json":
      return jsonFormat(jsonHooks(host, registration, { ...wanted, file: shown }), registration);
    case "toml":
      return tomlFormat(hostHooks(host, wanted), shown);
    case "plugin":
      return pluginFormat({ host, registration, command: hostCommand(host, wanted.command), file: shown });
  }
}

function jsonFormat(
  registration: HookRegistration,
  { takesComments }: { readonly takesComments: boolean },
): FileFormat {
  return {
    install: (text) => planInstall(text, registration),
    uninstall: (text) => planUninstall(text, registration),
    find: (text) =>
      findOurHooks(text.replace(/^\uFEFF/, ""), registration).map(({ event, command, node }) => ({
        event,
        command,
        ...timeoutOf(getNodeValue(node)),
      })),
    isSkipped: (text) => !isPlainJson(text, { comments: takesComments }),
  };
}

function timeoutOf(hook: unknown): { timeout?: number } {
  const { timeout } = hook as { timeout?: unknown }; // our hooks are objects
  return typeof timeout === "number" ? { timeout } : {};
}
