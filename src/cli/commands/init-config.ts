import { existsSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/trouble.ts";
import { detectChecks, isManifest } from "../../install/detect/detect-checks.ts";
import { Project } from "../../install/detect/project.ts";
import { type StarterConfig, starterConfig } from "../../install/starter-config.ts";
import { CONFIG_FILE } from "../../machine/files/find-project.ts";
import { readProject } from "../../machine/files/list-files.ts";
import { createUserFile, replaceUserFile } from "../../machine/files/user-file.ts";
import { printLine, type Terminal } from "../terminal.ts";

/** What is to be done about the configuration. One that is there is never touched. */
export type ConfigStep = { readonly kind: "exists" } | NewConfig;

interface NewConfig {
  readonly kind: "new";
  readonly starter: StarterConfig;
  readonly text: string;
}

export async function planConfig(cwd: string): Promise<ConfigStep> {
  if (existsSync(join(cwd, CONFIG_FILE))) return { kind: "exists" };
  const { files, texts } = await readProject(cwd, isManifest);
  const hasOwnChecks = files.some((file) => /^\.gauntlet\/checks\/[^/]+\.ya?ml$/.test(file));
  const checks = hasOwnChecks ? [] : detectChecks(new Project(files, texts));
  const starter = { checks, hasOwnChecks, whenActive: "allow", schema: schemaFor(cwd) } as const;
  return { kind: "new", starter, text: starterConfig(starter) };
}

/** Shows the file, then writes it, unless somebody was faster. */
export async function createConfig(step: ConfigStep, { cwd, stdout }: Terminal): Promise<Result<undefined>> {
  if (step.kind === "new") {
    printLine(stdout, `${CONFIG_FILE} for this project:\n\n${indented(step.text)}`);
    printLine(stdout, `Creating ${CONFIG_FILE}...`);
    const created = await createUserFile(join(cwd, CONFIG_FILE), step.text);
    if (!created.ok) return created;
    if (created.value) {
      printLine(stdout, "✓ Configuration created");
      return ok(undefined);
    }
  }
  printLine(stdout, `${CONFIG_FILE} already exists and was left as it is.`);
  return ok(undefined);
}

/** Writes the configuration that was just created once more, with `when_active: enforce`. */
export function enforce({ starter }: NewConfig, { cwd }: Terminal): Promise<Result<undefined>> {
  return replaceUserFile(join(cwd, CONFIG_FILE), starterConfig({ ...starter, whenActive: "enforce" }));
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** The schema of the package that is installed in the project; a path to one elsewhere would hold on this machine only. */
function schemaFor(cwd: string): string | undefined {
  const installed = "node_modules/agent-gauntlet/schema/config.schema.json";
  return existsSync(join(cwd, installed)) ? `../${installed}` : undefined;
}
