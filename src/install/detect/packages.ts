import type { Package } from "../../core/package-graph.ts";
import { detectRust } from "./compiled.ts";
import { packageManagerOf, packageScripts, WANTED } from "./node.ts";
import { type DetectedCheck, programOf, type Project } from "./project.ts";

/** A root script that only passes on to the packages. */
const FAN_OUT =
  /\b(?:turbo|nx|lerna) |\b(?:pnpm|npm|yarn|bun)\b.*(?: -r\b| --recursive\b| -ws\b| --workspaces?\b| --filter\b| workspaces )/;

/**
 * The checks of a workspace that can be run in each package alone, as `entry_points: auto` does: undefined where the root has one of its
 * own, or a package manager cannot skip the packages that lack it.
 */
export function checksOfPackages(
  project: Project,
  packages: readonly Package[],
): readonly DetectedCheck[] | undefined {
  if (packages.length < 2) return undefined;
  const kinds = [nodeChecks, cargoChecks, goChecks].map((checks) => checks(project, packages));
  const [found, ...others] = kinds.filter((checks) => checks !== undefined);
  return others.length === 0 ? found : undefined; // of two kinds of workspaces, no command fits every package
}

type OfPackages = (project: Project, packages: readonly Package[]) => readonly DetectedCheck[] | undefined;

const nodeChecks: OfPackages = (project, packages) => {
  if (!packages.every(({ manifest }) => manifest.endsWith("package.json"))) return undefined;
  const run = programOf(packageManagerOf(project).test);
  if (run === "yarn") return undefined; // it cannot leave out a script that is not there
  const own = packageScripts(project, "package.json");
  const each = packages.map(({ manifest }) => packageScripts(project, manifest));
  const checks = WANTED.flatMap(({ name, scripts }): readonly (DetectedCheck | "root only")[] => {
    const script = scripts.find((one) => each.some((those) => one in those));
    const ofRoot = scripts.map((one) => own[one]).find((text) => text !== undefined);
    if (script === undefined) return ofRoot === undefined || FAN_OUT.test(ofRoot) ? [] : ["root only"];
    if (ofRoot !== undefined && !FAN_OUT.test(ofRoot)) return ["root only"];
    const source = packages.find((_, index) => script in (each[index] ?? {}))?.manifest ?? "package.json";
    return [{ name, command: `${run} run --if-present ${script}`, source }];
  });
  return checks.includes("root only") || checks.length === 0
    ? undefined
    : checks.filter((check) => check !== "root only");
};

const cargoChecks: OfPackages = (project, packages) =>
  packages.every(({ manifest }) => manifest.endsWith("Cargo.toml"))
    ? detectRust(project).map((check) => ({ ...check, command: check.command.replace(" --workspace", "") }))
    : undefined;

const goChecks: OfPackages = (_, packages) => {
  if (!packages.every(({ manifest }) => manifest.endsWith("go.mod"))) return undefined;
  const source = "go.work";
  return [
    { name: "vet", command: "go vet ./...", source },
    { name: "test", command: "go test ./...", source },
  ];
};
