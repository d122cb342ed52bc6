import { HOSTS } from "../hosts/host-table.ts";
import type { Settings } from "../config/settings.ts";
import { projectPath, type ProjectPath } from "../path.ts";
import { readText } from "../system/files/files.ts";

const OUR_DIRECTORIES = [".gauntlet/", ".validator/"];

/**
 * Whether a changed file is our configuration, or a settings file of an agent with our hook. It calls for no gate: the first
 * stop after `init` would otherwise run every gate of a monorepo. A script that a gate runs is the project's own.
 */
export function ownFileFinder({ root, scripts }: Settings): (path: ProjectPath) => boolean {
  const named = new Set(Object.keys(scripts).map((name) => projectPath(name)));
  return (path) => {
    if (named.has(path)) return false;
    return OUR_DIRECTORIES.some((directory) => path.startsWith(directory)) || hasOurHook(root, path);
  };
}

function hasOurHook(root: string, path: ProjectPath): boolean {
  if (!path.startsWith(".") || !hookFiles().has(path)) return false;
  const text = readText(`${root}/${path}`);
  return text.ok && text.value.includes("agent-gauntlet");
}

function hookFiles(): ReadonlySet<string> {
  return new Set(
    HOSTS.flatMap(({ registration }) => {
      const { projectFile, sharedFile, otherProjectFiles = [] } = registration ?? {};
      return [projectFile, sharedFile, ...otherProjectFiles].filter((file) => file !== undefined);
    }),
  );
}
