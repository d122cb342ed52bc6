import { type Detector, rows } from "./project.ts";

/** Targets with these names are checks wherever people use a task runner. */
const TARGETS = ["lint", "typecheck", "test", "check", "verify"];

const MAKEFILES = ["GNUmakefile", "Makefile", "makefile"];

/**
 * With `-k`, make goes on with the targets that do not need one that failed; these only check, so none does harm. What a Makefile
 * without such a target does by default may be anything: it keeps to `make`.
 */
export const detectMake: Detector = (project) => {
  const source = project.find(...MAKEFILES);
  if (source === undefined) return [];
  return targets(project.text(source), /^([\w-]+)[ \t]*::?(?!=)/gm).map((name) => ({
    name,
    command: `make -k ${name}`,
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

export const detectTask: Detector = (project) => {
  const source = project.find("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml");
  if (source === undefined) return [];
  const tasks = project.text(source).split(/^tasks:\s*$/m)[1] ?? "";
  return targets(tasks, /^ {2,4}([\w-]+):/gm).map((name) => ({ name, command: `task ${name}`, source }));
};

/** What a Python project has for all its environments; slow, so only where nothing says what to run in one. */
export const detectTox: Detector = (project) => {
  const tox = ["tox.ini", "setup.cfg", "pyproject.toml"].find((file) => project.says(TOX, file));
  const source = tox ?? project.find("tox.toml");
  return rows(
    { name: "test", command: "tox", source: source ?? "", when: source !== undefined },
    { name: "test", command: "nox", source: "noxfile.py", when: project.has("noxfile.py") },
  );
};

const TOX = /^\[(?:tox|testenv|tool\.tox)\b/m;

/** `check` and `verify` stand for all the others: they are used only where these are missing. */
function targets(text: string, definition: RegExp): readonly string[] {
  const defined = new Set([...text.matchAll(definition)].map((match) => match[1]));
  const found = TARGETS.filter((name) => defined.has(name));
  if (found.includes("test")) return found.filter((name) => name !== "check" && name !== "verify");
  return found.includes("check") ? found.filter((name) => name !== "verify") : found;
}

/** A Makefile without a target for tests: that it builds is better than nothing. */
export const detectPlainMake: Detector = (project) => {
  const source = project.find(...MAKEFILES) ?? "";
  return rows({
    name: "build",
    command: "make",
    source,
    when: project.says(/^[\w./-]+[ \t]*::?(?!=)/m, source),
  });
};

/** A project of shell scripts: bats, or a script that is called after its purpose; shellcheck, or at least the syntax. */
export const detectShell: Detector = (project) => {
  const script = project.files.find((file) => /\.(?:sh|bash)$/.test(file));
  const bats = project.files.find((file) => file.endsWith(".bats"));
  const test = project.files.find((file) =>
    /^(?:tests?\/)?(?:run[-_]?)?(?:all[-_]?)?tests?\.sh$|^tests?\/run\.sh$/.test(file),
  );
  // `git ls-files` would leave out new files, and name removed ones.
  const files = "git grep -lz --untracked '' -- '*.sh' '*.bash' | xargs -0";
  return rows(
    {
      name: "lint",
      command: project.isInstalled("shellcheck") ? `${files} shellcheck` : `${files} -n 1 bash -n`,
      source: script ?? "",
      when: script !== undefined,
    },
    {
      name: "test",
      command: `bats --recursive ${bats?.includes("/") === true ? bats.split("/")[0] : "."}`,
      source: bats ?? "",
      when: bats !== undefined,
    },
    {
      name: "test",
      command: `bash ${test}`,
      source: test ?? "",
      when: bats === undefined && test !== undefined,
    },
  );
};
