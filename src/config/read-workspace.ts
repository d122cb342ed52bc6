import { projectPath, type ProjectPath, displayPath } from "../path.ts";
import { parse as parseYaml } from "yaml";
import { posix } from "node:path";
import { parse as parseToml } from "smol-toml";
import picomatch from "picomatch";
import { isRecord } from "../json.ts";
import type { ChangedFile } from "../system/git/change-set.ts";

export const MANIFEST_NAMES = [
  "package.json",
  "pnpm-workspace.yaml",
  "lerna.json",
  "nx.json",
  "project.json",
  "Cargo.toml",
  "go.work",
  "go.mod",
  "pyproject.toml",
];

export function readWorkspace(manifests: Manifests): readonly Package[] {
  const described = [readNode, readCargo, readGo, readUv].flatMap((read) => read(manifests));
  const directories = [...new Set(described.map(({ directory }) => directory))];
  return directories.map((directory): Package => {
    const those = described.filter((one) => one.directory === directory);
    const uses = those.flatMap((one) => one.uses);
    const needs = described.filter((one) => one.directory !== directory && isUsed(one, uses));
    const [first] = those;
    return {
      directory: projectPath(directory),
      name: first?.name ?? directory,
      manifest: first?.manifest ?? directory,
      needs: [...new Set(needs.map((one) => projectPath(one.directory)))],
    };
  });
}

function isUsed({ name, directory }: Described, uses: readonly string[]): boolean {
  return uses.includes(name) || uses.includes(directory);
}

const NODE_KINDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** Packages of npm, yarn, bun (`workspaces`), pnpm and lerna, and projects of Nx, which may have no package.json at all. */
function readNode(manifests: Manifests): readonly Described[] {
  const root = json(manifests, "package.json");
  const { workspaces } = mapAt(root);
  const globs = [
    ...textsIn(workspaces),
    ...textsIn(mapAt(workspaces)["packages"]),
    ...textsIn(mapAt(parsed(manifests.read("pnpm-workspace.yaml"), parseYaml))["packages"]),
    ...textsIn(mapAt(json(manifests, "lerna.json"))["packages"]),
  ];
  const packages =
    globs.length === 0
      ? []
      : members(manifests, "package.json", globs).map((one) => describe(manifests, one));
  return [...packages, ...nxProjects(manifests)];
}

function describe(
  manifests: Manifests,
  { directory, path }: { readonly directory: string; readonly path: string },
): Described {
  const manifest = json(manifests, path);
  const { name } = mapAt(manifest);
  const uses = nodeUses(directory, manifest);
  return { directory, name: typeof name === "string" ? name : directory, manifest: path, uses };
}

/** By its name there, the name it is an alias of (`npm:name@1`) and its path (`file:../name`). */
function nodeUses(directory: string, manifest: unknown): readonly string[] {
  const wanted = NODE_KINDS.flatMap((kind) => Object.entries(mapAt(manifest, kind)));
  return wanted.flatMap(([name, version]) => {
    const [, kind, rest = ""] = /^(npm|workspace|file|link|portal):(.+)/.exec(String(version)) ?? [];
    if (kind === undefined) return [name];
    const [alias = ""] = /^@?[^@]+/.exec(rest) ?? [];
    return [name, alias, posix.join(directory, rest).replace(/\/$/, "")];
  });
}

/** Only what the files of Nx say; it also reads imports, which are not known here. */
function nxProjects(manifests: Manifests): readonly Described[] {
  if (!manifests.paths.includes("nx.json")) return [];
  return members(manifests, "project.json", ["**"]).map(({ directory, path }) => {
    const project = json(manifests, path);
    const { name } = mapAt(project);
    const own = json(manifests, posix.join(directory, "package.json"));
    const uses = [...textsIn(mapAt(project)["implicitDependencies"]), ...nodeUses(directory, own)];
    return {
      directory,
      name: typeof name === "string" ? name : posix.basename(directory),
      manifest: path,
      uses,
    };
  });
}

function json({ read }: Manifests, path: string): unknown {
  return parsed(read(path), JSON.parse);
}

const CARGO_KINDS = ["dependencies", "dev-dependencies", "build-dependencies"];

function readCargo(manifests: Manifests): readonly Described[] {
  const workspace = mapAt(parsed(manifests.read("Cargo.toml"), parseToml), "workspace");
  const globs = [...textsIn(workspace["members"]), ...textsIn(workspace["exclude"]).map((one) => `!${one}`)];
  if (globs.length === 0) return [];
  return members(manifests, "Cargo.toml", globs).map(({ directory, path }) => {
    const manifest = parsed(manifests.read(path), parseToml);
    const { name } = mapAt(manifest, "package");
    const tables = [manifest, ...Object.values(mapAt(manifest, "target"))].flatMap((one) =>
      CARGO_KINDS.map((kind) => mapAt(one, kind)),
    );
    const uses = tables.flatMap((table) =>
      Object.entries(table).flatMap(([key, value]) => usedBy(directory, key, value)),
    );
    return { directory, name: typeof name === "string" ? name : directory, manifest: path, uses };
  });
}

function usedBy(directory: string, key: string, value: unknown): readonly string[] {
  const { package: renamed, path } = mapAt(value);
  const place = typeof path === "string" ? posix.join(directory, path).replace(/\/$/, "") : undefined;
  return textsIn([key, renamed, place]);
}

function readGo({ paths, read }: Manifests): readonly Described[] {
  const directories = wordsAfter(read("go.work") ?? "", "use").map((one) =>
    posix.normalize(one.replace(/^\.\//, "")).replace(/\/$/, ""),
  );
  return directories
    .filter((directory) => directory !== "." && paths.includes(`${directory}/go.mod`))
    .map((directory) => {
      const text = read(`${directory}/go.mod`) ?? "";
      const [name = directory] = wordsAfter(text, "module");
      return { directory, name, manifest: `${directory}/go.mod`, uses: wordsAfter(text, "require") };
    });
}

function wordsAfter(text: string, directive: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.replace(/\/\/.*$/, "").trim());
  const found: string[] = [];
  let isInside = false;
  for (const line of lines) {
    const single = new RegExp(`^${directive}\\s+(?!\\()(\\S+)`).exec(line)?.[1];
    if (single !== undefined) found.push(unquoted(single));
    else if (new RegExp(`^${directive}\\s*\\(`).test(line)) isInside = true;
    else if (line === ")") isInside = false;
    else if (isInside && line !== "") found.push(unquoted(line.split(/\s+/)[0] ?? ""));
  }
  return found;
}

function unquoted(word: string): string {
  return word.replaceAll(/["`]/g, "");
}

function readUv(manifests: Manifests): readonly Described[] {
  const workspace = mapAt(parsed(manifests.read("pyproject.toml"), parseToml), "tool", "uv", "workspace");
  const globs = [...textsIn(workspace["members"]), ...textsIn(workspace["exclude"]).map((one) => `!${one}`)];
  if (globs.length === 0) return [];
  return members(manifests, "pyproject.toml", globs).map(({ directory, path }) => {
    const manifest = parsed(manifests.read(path), parseToml);
    const project = mapAt(manifest, "project");
    const name = project["name"];
    const lists = [
      project["dependencies"],
      ...Object.values(mapAt(project["optional-dependencies"])),
      ...Object.values(mapAt(manifest, "dependency-groups")),
    ];
    const uses = lists
      .flatMap(textsIn)
      .map((requirement) => normal(/^[\w.-]+/.exec(requirement.trim())?.[0] ?? ""));
    return { directory, name: normal(typeof name === "string" ? name : directory), manifest: path, uses };
  });
}

/** Names of Python packages differ in letter case and in what joins their words, and mean the same. */
function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

export interface Manifests {
  readonly paths: readonly string[];
  readonly read: (path: string) => string | undefined;
}

interface Described {
  readonly directory: string;
  readonly name: string;
  readonly manifest: string;
  readonly uses: readonly string[];
}

function members(
  { paths }: Manifests,
  manifest: string,
  globs: readonly string[],
): readonly { readonly directory: string; readonly path: string }[] {
  const clean = globs.map((glob) => glob.replace(/^(!?)\.\//, "$1").replace(/\/+$/, ""));
  const isMember = picomatch(clean.filter((glob) => !glob.startsWith("!")));
  const isLeftOut = picomatch(clean.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  return paths
    .filter((path) => posix.basename(path) === manifest)
    .map((path) => ({ directory: posix.dirname(path), path }))
    .filter(({ directory }) => directory !== "." && isMember(directory) && !isLeftOut(directory));
}

function mapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  let here = value;
  for (const key of path) here = isRecord(here) ? here[key] : undefined;
  return isRecord(here) ? here : {};
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A file that cannot be parsed says nothing: its own tool reports that. */
function parsed(text: string | undefined, parse: (text: string) => unknown): unknown {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export interface Package {
  readonly directory: ProjectPath;
  readonly name: string;
  readonly manifest: string;
  readonly needs: readonly ProjectPath[];
}

export function affectedPackages(
  packages: readonly Package[],
  files: readonly ChangedFile[],
): ReadonlyMap<ProjectPath, string> {
  const paths = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const homes = paths.map((path) => homeOf(packages, path));
  const shared = paths.find((path, index) => homes[index] === undefined && isShared(path));
  if (shared !== undefined) {
    const why = `${displayPath(shared)} changed, which belongs to no package: every package is checked`;
    return new Map(packages.map(({ directory }) => [directory, why]));
  }
  return dependents(packages, new Set(homes.flatMap((home) => home?.directory ?? [])));
}

function homeOf(packages: readonly Package[], path: string): Package | undefined {
  return packages
    .filter(({ directory }) => path === directory || path.startsWith(`${directory}/`))
    .toSorted((one, other) => other.directory.length - one.directory.length)[0];
}

/** Texts beside the packages change no package; lock files and shared configuration may change all. */
function isShared(path: string): boolean {
  return !/(?:\.mdx?|\.txt|(?:^|\/)LICEN[CS]E)$/i.test(path);
}

function dependents(
  packages: readonly Package[],
  changed: ReadonlySet<ProjectPath>,
): ReadonlyMap<ProjectPath, string> {
  const reasons = new Map<ProjectPath, string>();
  const open = [...changed];
  for (let need = open.shift(); need !== undefined; need = open.shift()) {
    for (const { directory, manifest, needs } of packages) {
      if (!needs.includes(need) || changed.has(directory) || reasons.has(directory)) continue;
      const what = changed.has(need) ? "which changed" : "which depends on what changed";
      reasons.set(directory, `it depends on ${displayPath(need)} (${manifest}), ${what}`);
      open.push(directory);
    }
  }
  return reasons;
}
