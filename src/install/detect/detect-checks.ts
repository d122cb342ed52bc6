import { detectDotnet, detectGo, detectJvm, detectOtherCompiled, detectRust } from "./compiled.ts";
import { detectClojure, detectDart, detectDeno, detectElixir, detectPhp, detectRuby } from "./dynamic.ts";
import { detectNode } from "./node.ts";
import type { DetectedCheck, Detector, Project } from "./project.ts";
import { detectPython } from "./python.ts";
import { detectJust, detectMake } from "./task-runners.ts";

/** In this order: of two kinds that offer a check of the same name, a mixed project gets both, the later one under a longer name. */
const LANGUAGES: Readonly<Record<string, Detector>> = {
  node: detectNode,
  deno: detectDeno,
  python: detectPython,
  rust: detectRust,
  go: detectGo,
  jvm: detectJvm,
  dotnet: detectDotnet,
  ruby: detectRuby,
  php: detectPhp,
  elixir: detectElixir,
  clojure: detectClojure,
  dart: detectDart,
  native: detectOtherCompiled,
};

/** They usually wrap the language's own commands, so they only fill gaps. */
const TASK_RUNNERS: readonly Detector[] = [detectMake, detectJust];

/** The checks that a project already has, found without running anything. */
export function detectChecks(project: Project): readonly DetectedCheck[] {
  const checks = new Map<string, DetectedCheck>();
  for (const [language, detect] of Object.entries(LANGUAGES)) {
    for (const check of firstOfEachName(detect(project))) {
      const name = checks.has(check.name) ? `${language}-${check.name}` : check.name;
      checks.set(name, { ...check, name });
    }
  }
  for (const check of TASK_RUNNERS.flatMap((detect) => detect(project))) {
    if (!checks.has(check.name)) checks.set(check.name, check);
  }
  return [...checks.values()];
}

/** Whether detectors want to read this file at the top of a project. */
export function isManifest(name: string): boolean {
  return MANIFEST.test(name);
}

const MANIFEST =
  /^(?:package\.json|deno\.jsonc?|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|(?:dev-)?requirements(?:-dev)?\.txt|Pipfile|Cargo\.toml|composer\.json|mix\.exs|(?:deps|bb)\.edn|pubspec\.yaml|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile)$/;

function firstOfEachName(checks: readonly DetectedCheck[]): readonly DetectedCheck[] {
  return checks.filter((check, index) => checks.findIndex(({ name }) => name === check.name) === index);
}
