import { join } from "node:path";
import { type AbsolutePath, absolutePath } from "../../core/path.ts";
import { findHost } from "../../hosts/host-table.ts";
import type { Host, Registration } from "../../hosts/host.ts";

/** For one project, for its whole team, or for all projects of one user. */
export type Level = "project" | "shared" | "user";

/** Where registrations are looked for. */
export interface Places {
  readonly root: AbsolutePath;
  readonly home: AbsolutePath;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The file where one host finds its hooks at one level. */
export interface HostFile {
  readonly host: Host;
  readonly registration: Registration;
  readonly level: Level;
  readonly path: AbsolutePath;
  /** As people write it: relative to the project, or from `~`. */
  readonly shown: string;
}

/** Undefined for a host that has no place for hooks at this level. */
export function hostFile(host: Host, level: Level, places: Places): HostFile | undefined {
  const { registration } = host;
  if (registration === undefined) return undefined;
  if (level !== "user") {
    const { projectFile, sharedFile = projectFile } = registration;
    const shown = level === "shared" ? sharedFile : projectFile;
    if (shown === undefined) return undefined;
    return { host, registration, level, path: absolutePath(join(places.root, shown)), shown };
  }
  const { variable, folder, file } = registration.userFile;
  const moved = variable === undefined ? undefined : places.env[variable];
  const path = absolutePath(join(moved ?? join(places.home, folder), file));
  return { host, registration, level, path, shown: moved === undefined ? `~/${folder}/${file}` : path };
}

/** The host's own files in which it looks for hooks. */
export function ownFiles(host: Host, places: Places): readonly HostFile[] {
  const project = hostFile(host, "project", places);
  const user = hostFile(host, "user", places);
  return [
    ...(project === undefined ? [] : withOthers(project, places)),
    ...(user === undefined ? [] : [user]),
  ];
}

/** The files of other hosts that this host obeys as well. */
export function alsoRead(
  { registration }: HostFile,
  places: Places,
): readonly (HostFile & { when: "always" | "opt-in" })[] {
  return registration.alsoReads.flatMap(({ host, level, when }) => {
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
