import { dirname, join, resolve } from "node:path";
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
  const named = env["GIT_CONFIG_GLOBAL"];
  const configs = withIncluded(
    [
      join(commonDir, "config"),
      join(gitDir, "config.worktree"),
      ...(named ? [named] : [join(home, ".gitconfig"), join(user, "config")]),
    ],
    home,
  );
  const lists = [
    ...["attributes", "exclude"].map((name) => join(commonDir, "info", name)),
    join(gitDir, "info/sparse-checkout"),
    ...["attributes", "ignore"].map((name) => join(user, name)),
  ];
  const others = configs.flatMap((path) => filesNamedIn(readIfFile(path) ?? "", home));
  const isConfig = new Set(configs);
  return [...new Set([...configs, ...lists, ...others])].map((path) => ({
    path,
    stamp: stampOf(path).stamp,
    hash: hashOf(path, isConfig.has(path)),
  }));
}

/** The hash of the variables that give git settings; empty without any. */
export function gitVariablesHash(env: Environment): string {
  const set = gitVariables(env).map((name) => `${name}=${env[name]}`);
  return set.length === 0 ? "" : shortHash(set.join("\n"));
}

export function gitVariables(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => /^GIT_(?:CONFIG|ATTR)/.test(name))
    .toSorted();
}

/** With the files that they include, and so on. */
function withIncluded(configs: readonly string[], home: string): readonly string[] {
  const found = new Set(configs);
  for (const path of found) {
    if (found.size > MOST_CONFIGS) break;
    for (const included of includedIn(readIfFile(path) ?? "", { path, home })) found.add(included);
  }
  return [...found];
}

const MOST_CONFIGS = 50;

function includedIn(config: string, { path, home }: { readonly path: string; readonly home: string }) {
  const sections = config.matchAll(/^\s*\[\s*include(?:if)?\b[^\n]*\]([^[]*)/gim);
  return [...sections].flatMap(([, lines = ""]) =>
    [...lines.matchAll(/^\s*path\s*=\s*"?([^"\n]+)/gim)].map(([, name = ""]) =>
      resolve(dirname(path), name.trim().replace(/^~(?=\/)/, home)),
    ),
  );
}

export function changedIgnoreSettings(files: readonly IgnoreSettingsFile[]): readonly IgnoreSettingsFile[] {
  return files.flatMap((file) => {
    const hash = hashOf(file.path, file.hash.startsWith(CONFIG));
    return hash === file.hash ? [] : [{ ...file, hash }];
  });
}

function hashOf(path: string, isConfig: boolean): string {
  const text = readIfFile(path) ?? "";
  return isConfig ? `${CONFIG}${shortHash(ignoringLines(text))}` : shortHash(text);
}

/** Tells settings from lists of names in a hash. */
const CONFIG = "config:";

function shortHash(text: string): string {
  return sha256(text).slice(0, 16);
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
