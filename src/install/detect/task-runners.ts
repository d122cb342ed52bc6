import type { Detector } from "./project.ts";

/** Targets with these names are checks wherever people use a task runner. */
const TARGETS = ["lint", "typecheck", "test", "check"];

export const detectMake: Detector = (project) => {
  const source = project.find("GNUmakefile", "Makefile", "makefile");
  if (source === undefined) return [];
  return targets(project.text(source), /^([\w-]+)[ \t]*::?(?!=)/gm).map((name) => ({
    name,
    command: `make ${name}`,
    source,
  }));
};

export const detectJust: Detector = (project) => {
  const source = project.find("justfile", "Justfile", ".justfile");
  if (source === undefined) return [];
  return targets(project.text(source), /^@?([\w-]+)[^:\n]*:(?!=)/gm).map((name) => ({
    name,
    command: `just ${name}`,
    source,
  }));
};

/** `check` stands for all the others: it is used only where they are missing. */
function targets(text: string, definition: RegExp): readonly string[] {
  const defined = new Set([...text.matchAll(definition)].map((match) => match[1]));
  const found = TARGETS.filter((name) => defined.has(name));
  return found.includes("test") ? found.filter((name) => name !== "check") : found;
}
