import { join } from "node:path";
import { readWorkspace } from "../config/read-workspace.ts";
import { PACKAGE } from "../package-name.ts";
import type { Terminal } from "../report/terminal.ts";
import { kindOf } from "../system/files/files.ts";
import { holdsConfig } from "../system/files/find-project.ts";
import { readProject } from "../system/files/list-files.ts";
import { findExecutable } from "../system/process/executables.ts";
import { type DetectedScope, detectScopes, isManifest } from "./detect/detect-checks.ts";
import { absentManager } from "./detect/node.ts";
import { type IsInstalled, Project } from "./detect/project.ts";
import { NONE, type OwnHooks, withOwnHooks } from "./own-hooks.ts";
import { mainBranch, starterConfig } from "./starter-config.ts";

export type ConfigStep = { readonly kind: "exists" } | NewConfig;

export interface NewConfig {
  readonly kind: "new";
  readonly scopes: readonly DetectedScope[];
  readonly hasOwnChecks: boolean;
  readonly isInGit: boolean;
  /** The project's package manager, where npm runs the scripts because it is not installed. */
  readonly absentManager?: string | undefined;
  readonly text: string;
  readonly textOf: (scopes: readonly DetectedScope[], onlyNew: readonly string[]) => string;
}

/** What follows for the configuration, by the names of checks. */
export interface Decisions {
  readonly onlyNew: readonly string[];
  /** Why a check is left as a comment. */
  readonly doubts: ReadonlyMap<string, string>;
}

export async function planConfig({ cwd, env }: Terminal, own: OwnHooks = NONE): Promise<ConfigStep> {
  if (holdsConfig(cwd)) return { kind: "exists" };
  const { files, texts } = await readProject(cwd, isManifest);
  const hasOwnChecks = files.some((file) => /^\.gauntlet\/checks\/[^/]+\.ya?ml$/.test(file));
  const packages = readWorkspace({ paths: files.filter(isManifest), read: (path) => texts.get(path) });
  const project = new Project(files, texts, programsAt(cwd, env));
  const isInstalled = programsAt(cwd, env);
  const scopes = hasOwnChecks ? [] : withOwnHooks(detectScopes(project, packages), own, isInstalled);
  const baseBranch = await mainBranch(cwd);
  const start = { hasOwnChecks, baseBranch, schema: schemaFor(cwd) };
  const textOf: NewConfig["textOf"] = (wanted, onlyNew) =>
    starterConfig({ ...start, scopes: wanted, onlyNew });
  const config = { scopes, hasOwnChecks, absentManager: absentManager(project) };
  return { kind: "new", ...config, isInGit: baseBranch !== undefined, text: textOf(scopes, []), textOf };
}

export function withDecisions(config: NewConfig, { onlyNew, doubts }: Decisions): NewConfig {
  const scopes = config.scopes.map((scope) => ({
    ...scope,
    checks: scope.checks.map((check) => ({ ...check, doubt: doubts.get(check.name) ?? check.doubt })),
  }));
  return { ...config, scopes, text: config.textOf(scopes, onlyNew) };
}

function programsAt(root: string, env: Terminal["env"]): IsInstalled {
  return (program) => findExecutable(program, env, root) !== undefined;
}

/** The schema of the package that is installed in the project; a path to one elsewhere would hold on this machine only. */
function schemaFor(cwd: string): string | undefined {
  const installed = `node_modules/${PACKAGE}/schema/config.schema.json`;
  return kindOf(join(cwd, installed)) !== "missing" ? `../${installed}` : undefined;
}
