import { type Detector, rows, type DetectedCheck, type Project } from "./project.ts";
import { parse } from "jsonc-parser";

/*
 * The commands go on after a failure wherever their tools can: the agent reads every failure at once, and `only_new` knows what is new.
 */

/** Formatters and linters are added only where the project has a file for them, or its workflows run them: others may be red. */
export const detectRust: Detector = (project) => {
  const source = "Cargo.toml";
  if (!project.has(source)) return [];
  const isWorkspace = project.says(/^\[workspace\]/m, source);
  const fmt = project.find("rustfmt.toml", ".rustfmt.toml") ?? project.workflowWith(/cargo fmt\b.*--check/);
  const lints = project.says(/^\[(?:workspace\.)?lints/m, source) ? source : undefined;
  const clippy =
    project.find("clippy.toml", ".clippy.toml") ?? lints ?? project.workflowWith(/cargo clippy\b/);
  const xtask = project.documented(/\bcargo xtask (check|ci|verify)\b/);
  return rows(
    { name: "check", command: `cargo xtask ${xtask}`, source, when: xtask !== undefined },
    { name: "format", command: "cargo fmt --check", source: fmt ?? source, when: fmt !== undefined },
    {
      name: "lint",
      command: "cargo clippy --all-targets --keep-going -- -D warnings",
      source: clippy ?? source,
      when: clippy !== undefined,
    },
    {
      name: "test",
      command: `cargo test${isWorkspace ? " --workspace" : ""} --no-fail-fast`,
      source,
      when: true,
    },
  );
};

export const detectGo: Detector = (project) => {
  const source = "go.mod";
  const lintFile = project.find(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json");
  const isModule = project.has(source);
  const hasLinter = lintFile !== undefined && project.isInstalled("golangci-lint");
  const formatted = project.workflowWith(/\bgofmt -l\b/);
  return rows(
    {
      name: "format",
      command: "test -z \"$(git ls-files -z '*.go' | xargs -0 gofmt -l | tee /dev/stderr)\"",
      source: formatted ?? source,
      when: isModule && formatted !== undefined,
    },
    { name: "vet", command: "go vet ./...", source, when: isModule && !hasLinter },
    { name: "lint", command: "golangci-lint run", source: lintFile ?? source, when: hasLinter },
    { name: "test", command: "go test ./...", source, when: isModule },
  );
};

export const detectJvm: Detector = (project) => {
  const gradle = project.find("build.gradle", "build.gradle.kts");
  const maven = project.has("mvnw") ? "./mvnw" : "mvn";
  return rows(
    { name: "test", command: `${maven} -B -q -fae test`, source: "pom.xml", when: project.has("pom.xml") },
    {
      name: "check",
      command: `${project.has("gradlew") ? "./gradlew" : "gradle"} --console=plain --continue check`,
      source: gradle ?? "build.gradle",
      when: gradle !== undefined,
    },
    { name: "test", command: "sbt test", source: "build.sbt", when: project.has("build.sbt") },
  );
};

export const detectDotnet: Detector = (project) => {
  const source = project.files.find((file) => /^[^/]+\.(?:slnx?|csproj|fsproj|vbproj)$/.test(file));
  return rows({
    name: "test",
    command: "dotnet test --nologo",
    source: source ?? "",
    when: source !== undefined,
  });
};

export const detectOtherCompiled: Detector = (project) => {
  const cabal = project.files.find((file) => /^[^/]+\.cabal$/.test(file));
  const hasStack = project.has("stack.yaml");
  const presets = cmakePresets(project);
  return [
    ...presets,
    ...rows(
      {
        name: "test",
        command: cmakeTest(project),
        source: "CMakeLists.txt",
        when: project.says(/^\s*(?:enable_testing|include\s*\(\s*CTest)/im, "CMakeLists.txt"),
      },
      { name: "test", command: "swift test", source: "Package.swift", when: project.has("Package.swift") },
      { name: "test", command: "zig build test", source: "build.zig", when: project.has("build.zig") },
      { name: "test", command: "stack test", source: "stack.yaml", when: hasStack },
      { name: "test", command: "cabal test", source: cabal ?? "", when: cabal !== undefined && !hasStack },
    ),
  ];
};

/** A build directory that git sees would be a change of the tree at every stop. */
function cmakeTest(project: Project): string {
  const isIgnored = project.says(/^\/?build\*?\/?\s*$/m, ".gitignore");
  const build = isIgnored ? "build" : '"${TMPDIR:-/tmp}/cmake$PWD"';
  return `cmake -S . -B ${build} && cmake --build ${build} --parallel && ctest --test-dir ${build} --output-on-failure`;
}

interface Preset {
  readonly name?: string;
  readonly hidden?: boolean;
  readonly inherits?: string | readonly string[];
  readonly configurePreset?: string;
  readonly binaryDir?: string;
  readonly steps?: readonly { readonly type?: string; readonly name?: string }[];
  readonly condition?: { readonly type?: string; readonly lhs?: string; readonly rhs?: string };
}

type Presets = Readonly<
  Record<"configurePresets" | "buildPresets" | "testPresets" | "workflowPresets", unknown>
>;

/** Configure, build and test by the presets of the project: a workflow that tests, else the first test preset of this system. */
function cmakePresets(project: Project): readonly DetectedCheck[] {
  const source = "CMakePresets.json";
  const presets = (parse(project.text(source)) ?? {}) as Presets; // each field is looked at before it is used
  const command = workflow(presets) ?? threeSteps(presets);
  return command === undefined ? [] : [{ name: "test", command, source }];
}

function workflow(presets: Presets): string | undefined {
  const tests = named(presets.workflowPresets).find(({ steps }) =>
    steps?.some(({ type }) => type === "test"),
  );
  const first = tests?.steps?.[0]?.name;
  const isHere = named(presets.configurePresets)
    .filter(isForThisSystem)
    .some(({ name }) => name === first);
  return isHere ? `cmake --workflow --preset ${tests?.name}` : undefined;
}

function threeSteps(presets: Presets): string | undefined {
  const configured = named(presets.configurePresets).filter(isForThisSystem);
  const builds = named(presets.buildPresets);
  for (const test of named(presets.testPresets)) {
    const configure = configured.find(({ name }) => name === test.configurePreset);
    const build = builds.find(({ configurePreset }) => configurePreset === configure?.name);
    const how = build === undefined ? configure && directoryOf(configure) : `--preset ${build.name}`;
    if (configure !== undefined && how !== undefined)
      return `cmake --preset ${configure.name} && cmake --build ${how} && ctest --preset ${test.name}`;
  }
  return undefined;
}

function directoryOf({ binaryDir, name = "" }: Preset): string | undefined {
  const path = binaryDir?.replace("${sourceDir}/", "").replace("${presetName}", name);
  return path === undefined || !/^[\w./+-]+$/.test(path) ? undefined : path;
}

/** The presets that can be asked for, with what they inherit, and names that a shell reads as one word. */
function named(list: unknown): readonly Preset[] {
  const all = Array.isArray(list) ? (list as readonly Preset[]) : []; // fields of other types lead to no command
  return all
    .filter((preset) => typeof preset?.name === "string" && /^[\w.+-]+$/.test(preset.name))
    .filter(({ hidden }) => hidden !== true)
    .map((preset) => resolved(preset, all));
}

/** Of several parents the first one wins. */
function resolved(preset: Preset, all: readonly Preset[], depth = 0): Preset {
  const parents = depth > 10 ? [] : [preset.inherits ?? []].flat();
  const above = parents
    .flatMap((name) => all.filter((one) => one?.name === name))
    .map((one) => resolved(one, all, depth + 1));
  return Object.assign({}, ...above.toReversed(), preset) as Preset; // all of them are presets
}

/** Presets are often for one system: `${hostSystemName}` equals `Windows`. */
function isForThisSystem({ condition }: Preset): boolean {
  if (condition?.lhs !== "${hostSystemName}") return true;
  const isNamed = condition.rhs === SYSTEMS[process.platform];
  return condition.type === "notEquals" ? !isNamed : isNamed;
}

const SYSTEMS: Readonly<Record<string, string>> = { win32: "Windows", darwin: "Darwin", linux: "Linux" };
