import { join, resolve } from "node:path";
import { sha256 } from "#runtime";
import type { IgnoreSettingsFile } from "../../stop/session.ts";
import { readIfFile } from "../files/files.ts";
import { stampOf } from "../files/file-stamp.ts";
import { gitUserPlaces } from "../files/xdg.ts";
import type { Environment } from "../process/environment.ts";
import type { GitPlaces } from "./places.ts";

export function ignoreSettingsFiles(
  { commonDir, gitDir }: GitPlaces,
  env: Environment,
): readonly IgnoreSettingsFile[] {
  const { home, user } = gitUserPlaces(env);
  const configs = [
    join(commonDir, "config"),
    join(gitDir, "config.worktree"),
    join(home, ".gitconfig"),
    join(user, "config"),
  ];
  const lists = [
    ...["attributes", "exclude"].map((name) => join(commonDir, "info", name)),
    join(gitDir, "info/sparse-checkout"),
    ...["attributes", "ignore"].map((name) => join(user, name)),
  ];
  const named = configs.flatMap((path) => filesNamedIn(readIfFile(path) ?? "", home));
  return [...new Set([...configs, ...lists, ...named])].map((path) => ({
    path,
    stamp: stampOf(path).stamp,
    hash: hashOf(path),
  }));
}

export function changedIgnoreSettings(files: readonly IgnoreSettingsFile[]): readonly IgnoreSettingsFile[] {
  return files.flatMap((file) => {
    const hash = hashOf(file.path);
    return hash === file.hash ? [] : [{ ...file, hash }];
  });
}

function hashOf(path: string): string {
  const text = readIfFile(path) ?? "";
  return sha256(/config(?:\.worktree)?$/.test(path) ? ignoringLines(text) : text).slice(0, 16);
}

const KEYS = /\b(?:excludesfile|attributesfile|worktree|sparsecheckout\w*|autocrlf|eol)\b/i;

/** The few settings that decide what git sees: pushing a branch adds others all the time. */
function ignoringLines(config: string): string {
  let section = "";
  const lines = config.split("\n").filter((line) => {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    return /^(?:filter|include|includeif)\b/.test(section) || (section === "core" && KEYS.test(line));
  });
  return lines.join("\n");
}

function filesNamedIn(config: string, home: string): readonly string[] {
  const named = config.matchAll(/^\s*(?:excludes|attributes)file\s*=\s*"?([^"\n]+)/gim);
  return [...named].map(([, path = ""]) => resolve(home, path.trim().replace(/^~\//, "")));
}
