import { cmakePresets } from "./cmake.ts";
import { type Detector, rows } from "./project.ts";

/** Formatters and linters are added only where the project has a file for them, or its workflows run them: others may be red. */
export const detectRust: Detector = (project) => {
  const source = "Cargo.toml";
  if (!project.has(source)) return [];
  const isWorkspace = project.says(/^\[workspace\]/m, source);
  const fmt = project.find("rustfmt.toml", ".rustfmt.toml") ?? project.workflowWith(/cargo fmt\b.*--check/);
  const lints = project.says(/^\[(?:workspace\.)?lints/m, source) ? source : undefined;
  const clippy =
    project.find("clippy.toml", ".clippy.toml") ?? lints ?? project.workflowWith(/cargo clippy\b/);
  return rows(
    { name: "format", command: "cargo fmt --check", source: fmt ?? source, when: fmt !== undefined },
    {
      name: "lint",
      command: "cargo clippy --all-targets -- -D warnings",
      source: clippy ?? source,
      when: clippy !== undefined,
    },
    {
      name: "test",
      command: isWorkspace ? "cargo test --workspace" : "cargo test",
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
    { name: "test", command: `${maven} -B -q test`, source: "pom.xml", when: project.has("pom.xml") },
    {
      name: "check",
      command: `${project.has("gradlew") ? "./gradlew" : "gradle"} --console=plain check`,
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
        command: "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
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
