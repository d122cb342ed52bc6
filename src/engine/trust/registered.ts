import { join } from "node:path";
import { HOSTS } from "../../hosts/host-table.ts";
import type { Registration } from "../../hosts/host.ts";
import { homeDirectory } from "../../machine/files/xdg.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { startsUs } from "../../machine/state/sessions.ts";

/** The settings files of agents, of a project and of its user, that have our stop hook. */
export function registeredIn(root: string, env: Environment): readonly string[] {
  const files = HOSTS.flatMap(({ registration }) =>
    registration === undefined || registration.format === "plugin" ? [] : filesOf(registration, root, env),
  );
  return [...new Set(files)].filter(startsUs);
}

function filesOf(registration: Registration, root: string, env: Environment): readonly string[] {
  const { projectFile, sharedFile, otherProjectFiles = [], userFile } = registration;
  const { variable, folder, file } = userFile;
  const moved = variable === undefined ? undefined : env[variable];
  const inProject = [projectFile, sharedFile, ...otherProjectFiles].flatMap((path) =>
    path === undefined ? [] : [join(root, path)],
  );
  return [...inProject, join(moved ?? join(homeDirectory(env), folder), file)];
}
