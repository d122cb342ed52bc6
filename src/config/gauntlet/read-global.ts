import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { type AbsolutePath, absolutePath } from "../../core/path.ts";
import { ConfigFiles } from "./config-files.ts";
import type { Environment } from "./environment-overrides.ts";
import { readValue } from "./read-value.ts";
import { type GlobalFields, globalConfigSchema } from "./global-schema.ts";

import { parseYaml } from "./yaml-source.ts";

export interface GlobalConfig {
  readonly fields: GlobalFields;
  /** Its problems, all as warnings: a person's file must not break every project. */
  readonly warnings: readonly Diagnostic[];
  readonly lookedAt: readonly string[];
}

/** Reads the person's own configuration; missing or broken, the defaults hold. */
export async function readGlobal(env: Environment): Promise<GlobalConfig> {
  const file = globalConfigPath(env);
  if (file === undefined) return { fields: {}, warnings: [], lookedAt: [] };
  const files = new ConfigFiles(file);
  const text = await files.read(file);
  const parsed = typeof text === "string" ? undefined : parseYaml(text);
  for (const diagnostic of parsed?.diagnostics ?? []) files.report(diagnostic);
  const source = parsed?.source;
  const isEmpty = source === undefined || source.value === null;
  const fields = isEmpty ? {} : readValue(globalConfigSchema, { source, path: [], report: files.report });
  return { fields: fields ?? {}, warnings: files.diagnostics.map(asWarning), lookedAt: files.lookedAt };
}

function globalConfigPath(env: Environment): AbsolutePath | undefined {
  const xdg = env.XDG_CONFIG_HOME;
  const home = env.HOME ?? env.USERPROFILE;
  const directory = xdg !== undefined && isAbsolute(xdg) ? xdg : home && join(home, ".config");
  return directory ? absolutePath(join(directory, "agent-gauntlet", "config.yml")) : undefined;
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity === "warning") return diagnostic;
  return { ...diagnostic, severity: "warning", message: `${diagnostic.message} (this file is ignored)` };
}
