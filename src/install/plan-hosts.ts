import type { AbsolutePath } from "../path.ts";
import type { Trouble } from "../trouble.ts";
import type { FileChange, WantedHooks } from "./hook-registration.ts";
import { type HostFile, type Places, alsoRead, ownFiles, formatOf } from "./files/host-files.ts";
import type { Host } from "../hosts/host.ts";

export interface HostPlan {
  readonly files: readonly PlannedFile[];
  readonly troubles: readonly Trouble[];
  readonly notes: readonly string[];
}

export interface PlannedFile extends HostFile {
  readonly before: string | undefined;
  readonly change: FileChange;
}

/** Everything a plan is made from; `texts` holds every file of `filesOf`, undefined if missing. */
export interface HostRequest extends WantedHooks {
  readonly targets: readonly HostFile[];
  readonly places: Places;
  readonly texts: ReadonlyMap<AbsolutePath, string | undefined>;
}

export function filesOf(targets: readonly HostFile[], places: Places): readonly AbsolutePath[] {
  const paths = targets.flatMap((target) =>
    [target, ...ofProject(target, places), ...alsoRead(target, places)].map((file) => file.path),
  );
  return [...new Set(paths)];
}

/** Registers each host once: not at all where it obeys another host's file that has the hook or is about to get it. */
export function planHostInstall(request: HostRequest): HostPlan {
  const wanted = onePerFile(request.targets.filter((target) => coveringFile(target, request) === undefined));
  const plan = planFiles(wanted, request, "install");
  const changed = plan.files.filter((file) => file.change.kind !== "unchanged");
  return {
    ...plan,
    notes: [
      ...request.targets.flatMap((target) => firingNotes(target, request)),
      ...plan.files.flatMap((file) => skippedNote(file, request)),
      ...changed.flatMap(({ registration }) => registration.afterwards ?? []),
    ],
  };
}

function skippedNote(file: PlannedFile, request: HostRequest): readonly string[] {
  const text = file.change.kind === "written" ? file.change.text : file.before;
  if (text === undefined || !formatOf(file, request).isSkipped(text)) return [];
  return [skippedFile(file.host, file.shown)];
}

/** Takes our hooks out of every file of these hosts. */
export function planHostUninstall(request: HostRequest): HostPlan {
  return planFiles(onePerFile(request.targets), request, "uninstall");
}

function isRegistered(file: HostFile, request: HostRequest): boolean {
  const text = request.texts.get(file.path);
  return text !== undefined && formatOf(file, request).find(text).length > 0;
}

function planFiles(
  targets: readonly HostFile[],
  request: HostRequest,
  action: "install" | "uninstall",
): HostPlan {
  const files: PlannedFile[] = [];
  const troubles: Trouble[] = [];
  for (const target of targets) {
    const before = request.texts.get(target.path);
    const planned = formatOf(target, request)[action](before);
    if (planned.ok) files.push({ ...target, before, change: planned.value });
    else troubles.push(planned.trouble);
  }
  return { files, troubles, notes: [] };
}

/** Two hosts may share a file. */
function onePerFile(targets: readonly HostFile[]): readonly HostFile[] {
  return targets.filter((target, index) => targets.findIndex(({ path }) => path === target.path) === index);
}

/** The team's file, or another host's, that makes this host run the hook, unless it has its own registration already. */
function coveringFile(target: HostFile, request: HostRequest): HostFile | undefined {
  if (isRegistered(target, request)) return undefined;
  const ofTeam = target.level === "project" ? otherRegistrations(target, request)[0] : undefined;
  return ofTeam ?? obeyed(target, request).find(({ when }) => when === "always");
}

/** The host's other files of this project that have the hook now: its personal one, or the team's. */
function otherRegistrations(target: HostFile, request: HostRequest): readonly HostFile[] {
  return ofProject(target, request.places).filter(
    (file) => file.path !== target.path && isRegistered(file, request),
  );
}

function ofProject({ host, level }: HostFile, places: Places): readonly HostFile[] {
  return level === "user" ? [] : ownFiles(host, places).filter((file) => file.level !== "user");
}

function obeyed(target: HostFile, request: HostRequest): ReturnType<typeof alsoRead> {
  const isWanted = (path: AbsolutePath): boolean => request.targets.some((other) => other.path === path);
  return alsoRead(target, request.places).filter(
    (other) => isWanted(other.path) || isRegistered(other, request),
  );
}

function firingNotes(target: HostFile, request: HostRequest): readonly string[] {
  const { title } = target.host;
  const covering = coveringFile(target, request);
  if (covering !== undefined)
    return [
      `${title} also runs the hooks of ${covering.shown}, so it is not registered in ${target.shown} as well.`,
    ];
  const personal = otherRegistrations(target, request).map(
    ({ shown }) =>
      `${title} runs the hook twice: from ${target.shown} and from ${shown}. The second answers at once; \`agent-gauntlet uninstall --host ${target.host.name}\` takes it out of ${target.registration.projectFile}.`,
  );
  const borrowed = obeyed(target, request).map(({ when, shown }) =>
    when === "always"
      ? `${title} runs the hook twice: from ${target.shown} and from ${shown}. The second answers at once; \`agent-gauntlet uninstall --host ${target.host.name}\` takes the first out.`
      : `${title} runs the hook twice if it may use Claude Code's hooks ("Third-party skills" in its settings): from ${target.shown} and from ${shown}.`,
  );
  return [...personal, ...borrowed];
}

/** What to say about a file that the host will not read although we can. */
export function skippedFile(host: Host, file: string): string {
  const refused =
    host.registration?.format === "json" && host.registration.takesComments
      ? "trailing commas"
      : "comments or trailing commas";
  return `${host.title} silently skips a file with ${refused}. The hook fires once you take them out of ${file}.`;
}
