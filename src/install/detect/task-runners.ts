import { type Detector, GUIDES, type Project, rows, STARTS_SERVERS } from "./project.ts";

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
  const text = project.text(source);
  const found = targets(text, /^([\w-]+)[ \t]*::?(?!=)/gm, documentedTarget(project, "make"));
  return found.map((name) => {
    const check = { name, command: `make -k ${name}`, source };
    return STARTS_SERVERS.test(recipes(text, name)) ? { ...check, doubt: "it starts servers" } : check;
  });
};

/** What a target runs, with its prerequisites, one level deep. */
function recipes(makefile: string, target: string): string {
  const recipe = (name: string): string =>
    new RegExp(`^${name}[ \\t]*::?(?!=)(.*(?:\\n\\t.*)*)`, "m").exec(makefile)?.[1] ?? "";
  const own = recipe(target);
  const needed = (own.split("\n")[0] ?? "").split(/\s+/).filter((name) => /^[\w-]+$/.test(name));
  return [own, ...needed.map(recipe)].join("\n");
}

/** The target that a page for contributors and agents names as what to run before a change is done. */
function documentedTarget(project: Project, runner: string): string | undefined {
  const names = "verify|check|ci|validate|before|pre-?(?:commit|push|stop)|ready|gate";
  return project.documented(
    new RegExp(`\\b${runner} ((?:[\\w]+-)*(?:${names})(?:-[\\w-]+)?)(?![\\w-])`),
    GUIDES,
  );
}

export const detectJust: Detector = (project) => {
  const source = project.find("justfile", "Justfile", ".justfile");
  if (source === undefined) return [];
  return targets(project.text(source), /^@?([\w-]+)[^:\n]*:(?!=)/gm, documentedTarget(project, "just")).map(
    (name) => ({
      name,
      command: `just ${name}`,
      source,
    }),
  );
};

export const detectTask: Detector = (project) => {
  const source = project.find("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml");
  if (source === undefined) return [];
  const tasks = project.text(source).split(/^tasks:\s*$/m)[1] ?? "";
  return targets(tasks, /^ {2,4}([\w-]+):/gm, documentedTarget(project, "task")).map((name) => ({
    name,
    command: `task ${name}`,
    source,
  }));
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

/**
 * `check` and `verify` stand for all the others: they are used only where these are missing. The one that is documented is used
 * anyway, and stands for those that its definition names.
 */
function targets(text: string, definition: RegExp, documented: string | undefined): readonly string[] {
  const definitions = [...text.matchAll(definition)];
  const defined = new Set(definitions.map((match) => match[1]));
  const found = TARGETS.filter((name) => defined.has(name));
  const others = found.includes("test")
    ? found.filter((name) => name !== "check" && name !== "verify")
    : found;
  const usual = others.includes("check") ? others.filter((name) => name !== "verify") : others;
  if (documented === undefined || !defined.has(documented)) return usual;
  const at = definitions.findIndex((match) => match[1] === documented);
  const body = text.slice(definitions[at]?.index, definitions[at + 1]?.index);
  return [
    documented,
    ...usual.filter((name) => name !== documented && !new RegExp(`\\b${name}\\b`).test(body)),
  ];
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
