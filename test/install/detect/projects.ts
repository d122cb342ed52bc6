export interface SampleProject {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  /** What must be found, in order. */
  readonly checks: Readonly<Record<string, string>>;
}

const scripts = (table: Readonly<Record<string, string>>, more: object = {}): string =>
  JSON.stringify({ name: "sample", scripts: table, ...more });

/** Small projects of every kind that `init` knows. */
export const PROJECTS: readonly SampleProject[] = [
  { kind: "an empty directory", files: {}, checks: {} },
  {
    kind: "go-task",
    files: {
      "Taskfile.yml": "version: '3'\ntasks:\n  build:\n    cmds: [x]\n  lint: x\n  test:\n    cmds: [y]\n",
    },
    checks: { lint: "task lint", test: "task test" },
  },
  { kind: "tox alone", files: { "tox.ini": "[tox]\nenvlist = py312\n" }, checks: { test: "tox" } },
  {
    kind: "tox in pyproject.toml",
    files: { "pyproject.toml": '[project]\nname = "x"\n[tool.tox.env_run_base]\ncommands = [["x"]]\n' },
    checks: { test: "tox" },
  },
  {
    kind: "tox in setup.cfg",
    files: { "setup.cfg": "[tox:tox]\nenvlist = py312\n" },
    checks: { test: "tox" },
  },
  { kind: "tox.toml", files: { "tox.toml": "" }, checks: { test: "tox" } },
  { kind: "nox", files: { "noxfile.py": "import nox\n" }, checks: { test: "nox" } },
  {
    kind: "pre-commit beside pytest",
    files: { "pyproject.toml": "pytest", "tests/test_a.py": "", ".pre-commit-config.yaml": "repos: []\n" },
    checks: { test: "pytest", "pre-commit": "pre-commit run --files {files}" },
  },
  {
    kind: "Rust whose build runs rustfmt and clippy",
    files: {
      "Cargo.toml": "[package]\n",
      ".github/workflows/ci.yml": "run: cargo fmt --all -- --check\nrun: cargo clippy\n",
    },
    checks: {
      format: "cargo fmt --check",
      lint: "cargo clippy --all-targets --keep-going -- -D warnings",
      test: "cargo test --no-fail-fast",
    },
  },
  {
    kind: "npm with a script that only formats",
    files: { "package.json": scripts({ format: "prettier --write ." }) },
    checks: { format: "npx prettier --check ." },
  },
  {
    kind: "CMake presets",
    files: {
      "CMakeLists.txt": "enable_testing()",
      "CMakePresets.json": JSON.stringify({
        configurePresets: [
          { name: "base", hidden: true, binaryDir: "${sourceDir}/out/${presetName}" },
          {
            name: "win",
            inherits: "base",
            condition: { type: "equals", lhs: "${hostSystemName}", rhs: "BeOS" },
          },
          { name: "dev", inherits: ["base"] },
        ],
        testPresets: [
          { name: "win-test", configurePreset: "win" },
          { name: "dev-test", configurePreset: "dev" },
        ],
      }),
    },
    checks: { test: "cmake --preset dev && cmake --build out/dev && ctest --preset dev-test" },
  },
  {
    kind: "a CMake workflow that tests",
    files: {
      "CMakePresets.json": JSON.stringify({
        configurePresets: [{ name: "dev" }],
        workflowPresets: [
          {
            name: "all",
            steps: [
              { type: "configure", name: "dev" },
              { type: "test", name: "dev" },
            ],
          },
        ],
      }),
    },
    checks: { test: "cmake --workflow --preset all" },
  },
  {
    kind: "npm",
    files: {
      "package.json": scripts({ test: "vitest", lint: "eslint .", build: "tsc" }),
      "package-lock.json": "",
    },
    checks: { lint: "npm run lint", test: "npm test" },
  },
  {
    kind: "npm with nothing but the placeholder",
    files: { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
    checks: {},
  },
  {
    kind: "npm with a watcher beside the real test",
    files: {
      "package.json": scripts({
        test: "jest --watch",
        "test:ci": "jest",
        "lint:check": "x",
        lint: "x --fix",
      }),
    },
    checks: { lint: "npm run lint:check", test: "npm run test:ci" },
  },
  {
    kind: "npm workspaces without a test at the root",
    files: {
      "package.json": scripts({ lint: "eslint ." }, { workspaces: ["packages/*"] }),
      "packages/a/a.test.js": "",
    },
    checks: { lint: "npm run lint", test: "npm test --workspaces --if-present" },
  },
  {
    kind: "npm workspaces with a test at the root",
    files: {
      "package.json": scripts({ test: "vitest" }, { workspaces: ["packages/*"] }),
      "packages/a/a.test.js": "",
    },
    checks: { test: "npm test" },
  },
  {
    kind: "npm workspaces without tests",
    files: { "package.json": scripts({}, { workspaces: ["packages/*"] }), "packages/a/a.js": "" },
    checks: {},
  },
  {
    kind: "pnpm workspaces without a test at the root",
    files: {
      "package.json": scripts({}),
      "pnpm-workspace.yaml": "",
      "pnpm-lock.yaml": "",
      "packages/a/test/a.js": "",
    },
    checks: { test: "pnpm --recursive --no-bail --if-present run test" },
  },
  { kind: "a broken package.json", files: { "package.json": '{ "scripts": [' }, checks: {} },
  {
    kind: "pnpm with TypeScript",
    files: {
      "package.json": scripts({ test: "vitest run" }, { devDependencies: { typescript: "^6" } }),
      "pnpm-lock.yaml": "",
      "tsconfig.json": "{}",
    },
    checks: { test: "pnpm test", typecheck: "pnpm exec tsc --noEmit" },
  },
  {
    kind: "yarn",
    files: {
      "package.json": scripts({ test: "jest", typecheck: "tsc", "format:check": "prettier -c ." }),
      "yarn.lock": "",
    },
    checks: { format: "yarn run format:check", typecheck: "yarn run typecheck", test: "yarn test" },
  },
  {
    kind: "bun, by what package.json declares",
    files: {
      "package.json": scripts({ test: "bun test" }, { packageManager: "bun@1.2.0" }),
      "package-lock.json": "",
    },
    checks: { test: "bun run test" },
  },
  {
    kind: "npm with scripts that begin with check",
    files: {
      "package.json": '{ "scripts": { "check:format": "a .", "check:lint": "b .", "check:type": "c ." } }',
    },
    checks: { format: "npm run check:format", lint: "npm run check:lint", typecheck: "npm run check:type" },
  },
  {
    kind: "deno",
    files: { "deno.jsonc": '{ /* mine */ "tasks": { "test": "deno test -A" } }' },
    checks: { format: "deno fmt --check", lint: "deno lint", test: "deno task test" },
  },
  {
    kind: "uv with pytest, ruff and mypy",
    files: {
      "pyproject.toml": '[dependency-groups]\ndev = ["pytest", "ruff", "mypy"]\n[tool.ruff.format]\n',
      "uv.lock": "",
      "tests/test_app.py": "",
    },
    checks: {
      format: "uv run ruff format --check .",
      lint: "uv run ruff check .",
      typecheck: "uv run mypy .",
      test: "uv run pytest",
    },
  },
  {
    kind: "Python whose mypy knows its files and whose ruff would edit them",
    files: {
      "pyproject.toml": '[tool.ruff]\nfix = true\n[tool.mypy]\nstrict = true\nfiles = ["src"]\n',
    },
    checks: { lint: "ruff check --no-fix .", typecheck: "mypy" },
  },
  {
    kind: "Python whose mypy.ini names packages",
    files: { "setup.cfg": "", "mypy.ini": "[mypy]\npackages = app\n" },
    checks: { typecheck: "mypy" },
  },
  {
    kind: "Python that has files for something else than mypy",
    files: { "pyproject.toml": '[tool.mypy]\nstrict = true\n[tool.other]\nfiles = ["src"]\n' },
    checks: { typecheck: "mypy ." },
  },
  {
    kind: "Python that has pytest but no tests, which pytest calls a failure",
    files: { "requirements.txt": "pytest\n" },
    checks: {},
  },
  {
    kind: "old Python",
    files: {
      "setup.py": "",
      ".flake8": "",
      "tests/conftest.py": "",
      "tests/app_test.py": "",
      "pyrightconfig.json": "{}",
    },
    checks: { lint: "flake8", types: "pyright", test: "pytest" },
  },
  {
    kind: "Rust",
    files: { "Cargo.toml": "[workspace]\n[workspace.lints.clippy]\n", "rustfmt.toml": "" },
    checks: {
      format: "cargo fmt --check",
      lint: "cargo clippy --all-targets --keep-going -- -D warnings",
      test: "cargo test --workspace --no-fail-fast",
    },
  },
  { kind: "Go", files: { "go.mod": "" }, checks: { vet: "go vet ./...", test: "go test ./..." } },
  {
    kind: "Go with a linter",
    files: { "go.mod": "", ".golangci.yml": "" },
    checks: { lint: "golangci-lint run", test: "go test ./..." },
  },
  { kind: "Maven", files: { "pom.xml": "", mvnw: "" }, checks: { test: "./mvnw -B -q -fae test" } },
  {
    kind: "Gradle",
    files: { "build.gradle.kts": "" },
    checks: { check: "gradle --console=plain --continue check" },
  },
  { kind: "sbt", files: { "build.sbt": "" }, checks: { test: "sbt test" } },
  { kind: ".NET", files: { "App.sln": "", "src/App.csproj": "" }, checks: { test: "dotnet test --nologo" } },
  {
    kind: "Ruby with RSpec",
    files: { Gemfile: "", ".rubocop.yml": "", "spec/app_spec.rb": "" },
    checks: { lint: "bundle exec rubocop", test: "bundle exec rspec" },
  },
  {
    kind: "Ruby with the specs of Minitest",
    files: {
      Gemfile: "gemspec\n",
      "own.gemspec": "s.add_development_dependency 'minitest'\n",
      Rakefile: 'task default: :spec\ntask "spec" do\nend\n',
      "spec/own_spec.rb": "",
    },
    checks: { test: "bundle exec rake spec" },
  },
  {
    kind: "Rails",
    files: { Gemfile: "", "bin/rails": "", "test/a_test.rb": "" },
    checks: { test: "bin/rails test" },
  },
  {
    kind: "PHP with composer scripts",
    files: { "composer.json": scripts({ test: "pest", lint: "pint --test" }), "phpunit.xml": "" },
    checks: { lint: "composer run-script lint", test: "composer run-script test" },
  },
  {
    kind: "PHP without",
    files: { "composer.json": "{}", "phpunit.xml.dist": "", "phpstan.neon": "" },
    checks: { analyse: "vendor/bin/phpstan analyse --no-progress", test: "vendor/bin/phpunit" },
  },
  {
    kind: "Elixir",
    files: { "mix.exs": '{:credo, "~> 1.7"}', ".formatter.exs": "" },
    checks: { format: "mix format --check-formatted", lint: "mix credo", test: "mix test" },
  },
  {
    kind: "Clojure with an exec function",
    files: {
      "deps.edn": '{:aliases {;; :old {}\n :test {:extra-paths ["test"] :exec-fn a.b/run}}}',
      ".clj-kondo/config.edn": "{}",
      "src/app/core.clj": "",
      "test/app/core_test.cljc": "",
    },
    checks: { lint: "clj-kondo --lint src test", test: "clojure -X:test" },
  },
  {
    kind: "Clojure with main options",
    files: { "deps.edn": '{:aliases {:test {:extra-deps {a/b {:mvn/version "1"}} :main-opts ["-m" "x"]}}}' },
    checks: { test: "clojure -M:test" },
  },
  {
    kind: "Clojure whose runner is apart from the paths of its tests",
    files: { "deps.edn": '{:aliases {:test {:extra-paths ["test"]} :runner {:main-opts ["-m" "x"]}}}' },
    checks: { test: "clojure -M:test:runner" },
  },
  {
    kind: "Clojure whose test alias would start a REPL",
    files: { "deps.edn": '{:aliases {:test {:extra-paths ["test"]} :dev {:main-opts ["-m" "x"]}}}' },
    checks: {},
  },
  { kind: "a commented-out alias", files: { "deps.edn": "{:aliases {\n;; :test {}\n}}" }, checks: {} },
  {
    kind: "Babashka",
    files: { "bb.edn": "{:tasks {clean (x) test {:task (y)}}}" },
    checks: { test: "bb test" },
  },
  { kind: "Leiningen", files: { "project.clj": "" }, checks: { test: "lein test" } },
  {
    kind: "Flutter",
    files: { "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n", "test/a_test.dart": "" },
    checks: { lint: "flutter analyze", test: "flutter test" },
  },
  { kind: "Swift", files: { "Package.swift": "" }, checks: { test: "swift test" } },
  { kind: "Zig", files: { "build.zig": "" }, checks: { test: "zig build test" } },
  { kind: "Haskell", files: { "app.cabal": "" }, checks: { test: "cabal test" } },
  {
    kind: "Make",
    files: {
      Makefile: "CHECK := 1\nall: test\n\ntest: build\n\tx\nlint:\n\ty\ncheck: test lint\nlint-fix:\n\tz\n",
    },
    checks: { lint: "make -k lint", test: "make -k test" },
  },
  {
    kind: "Make without a test",
    files: { Makefile: "app: main.c\n\tcc -o app main.c\n", "main.c": "" },
    checks: { build: "make" },
  },
  {
    kind: "CMake with tests",
    files: { "CMakeLists.txt": "project(app C)\nenable_testing()\n" },
    checks: {
      test: 'cmake -S . -B "${TMPDIR:-/tmp}/cmake$PWD" && cmake --build "${TMPDIR:-/tmp}/cmake$PWD" --parallel && ctest --test-dir "${TMPDIR:-/tmp}/cmake$PWD" --output-on-failure',
    },
  },
  {
    kind: "CMake whose build directory git ignores",
    files: { "CMakeLists.txt": "enable_testing()\n", ".gitignore": "/build/\n" },
    checks: {
      test: "cmake -S . -B build && cmake --build build --parallel && ctest --test-dir build --output-on-failure",
    },
  },
  {
    kind: "TypeScript whose tsconfig.json only refers to others",
    files: {
      "package.json": scripts(
        { dev: "vite", build: "tsc -b && vite build" },
        { devDependencies: { typescript: "1" } },
      ),
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
    },
    checks: { typecheck: "npx tsc -b" },
  },
  {
    kind: "such a TypeScript project with Vue and no build of its own",
    files: {
      "package.json": scripts({}, { devDependencies: { typescript: "1", "vue-tsc": "2" } }),
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
    },
    checks: { typecheck: "npx vue-tsc -b --noEmit" },
  },
  {
    kind: "npm whose lint script edits files",
    files: {
      "package.json": scripts({
        lint: "eslint . --fix && prettier --write .",
        format: "prettier --check .",
        test: "cypress open",
        "test:unit": "vitest run",
      }),
    },
    checks: {
      format: "npm run format",
      lint: "npx eslint . && npx prettier --check .",
      test: "npm run test:unit",
    },
  },
  {
    kind: "npm whose workflow runs one of two tests",
    files: {
      "package.json": scripts({ test: "vitest run --browser", "test-unit": "vitest run --project unit" }),
      ".github/workflows/ci.yml": "      - run: pnpm run test-unit\n",
    },
    checks: { test: "npm run test-unit" },
  },
  {
    kind: "npm whose test lints, too, beside one that does not",
    files: {
      "package.json": scripts({ lint: "eslint", test: "npm run lint && npm run unit", "test:ci": "borp" }),
    },
    checks: { lint: "npm run lint", test: "npm run test:ci" },
  },
  {
    kind: "npm whose only test lints, too",
    files: { "package.json": scripts({ lint: "eslint", test: "npm run lint && vitest run" }) },
    checks: { test: "npm test" },
  },
  {
    kind: "npm whose workflow builds before it tests",
    files: {
      "package.json": scripts({ build: "zshy", test: "vitest run" }),
      ".github/workflows/ci.yml":
        "jobs:\n  test:\n    steps:\n      - run: pnpm build\n      - run: pnpm test\n",
    },
    checks: { build: "npm run build", test: "npm test" },
  },
  {
    kind: "npm with a script that a page for agents names",
    files: {
      "package.json": scripts({ test: "jest", verify: "npm test && node check-links.js" }),
      "CLAUDE.md": "Run `npm run verify` before you are done.\n",
    },
    checks: { verify: "npm run verify" },
  },
  {
    kind: "make with a target that a page for agents names",
    files: {
      Makefile: "lint:\n\tx\nfmt:\n\ty\nbefore-stop: lint\n\t./verify.sh\n",
      "AGENTS.md": "Run `make before-stop`.\n",
    },
    checks: { "before-stop": "make -k before-stop" },
  },
  { kind: "a Rakefile alone", files: { Rakefile: "task default: %w[test]\n" }, checks: { test: "rake" } },
  { kind: "flake8 alone", files: { ".flake8": "[flake8]\n", "a.py": "" }, checks: { lint: "flake8" } },
  {
    kind: "npm with tests that start containers",
    files: { "package.json": scripts({ test: "docker compose up -d && jest" }) },
    checks: {},
  },
  {
    kind: "Python with tests and nothing that says how to run them",
    files: { "pyproject.toml": '[project]\nname = "x"\n', "tests/test_a.py": "" },
    checks: { test: "pytest" },
  },
  {
    kind: "Python with flake8 in setup.cfg",
    files: { "setup.cfg": "[flake8]\nmax-line-length = 100\n" },
    checks: { lint: "flake8" },
  },
  {
    kind: "Perl",
    files: { "t/basic.t": "", "lib/X.pm": "" },
    checks: { test: "prove -lr t" },
  },
  {
    kind: "Ruby with standard and a default task",
    files: { Gemfile: "", ".standard.yml": "", Rakefile: "task default: %i[test standard]\n" },
    checks: { lint: "bundle exec standardrb", test: "bundle exec rake" },
  },
  { kind: "Make with verify", files: { Makefile: "verify:\n\tx\n" }, checks: { verify: "make -k verify" } },
  {
    kind: "Rust with a task that its contributors run",
    files: { "Cargo.toml": "[package]\n", "CONTRIBUTING.md": "Run `cargo xtask check` first.\n" },
    checks: { check: "cargo xtask check", test: "cargo test --no-fail-fast" },
  },
  {
    kind: "PHP with a script that agents run",
    files: {
      "composer.json": scripts({ "before-stopping": "x" }),
      "AGENTS.md": "Before you stop: `composer before-stopping`.\n",
    },
    checks: { check: "composer run-script before-stopping" },
  },
  {
    kind: "shell scripts with bats",
    files: { "deploy.sh": "", "test/deploy.bats": "" },
    checks: {
      lint: "git grep -lz --untracked '' -- '*.sh' '*.bash' | xargs -0 shellcheck",
      test: "bats --recursive test",
    },
  },
  {
    kind: "shell scripts with a script for the tests",
    files: { "deploy.sh": "", "tests/run.sh": "" },
    checks: {
      lint: "git grep -lz --untracked '' -- '*.sh' '*.bash' | xargs -0 shellcheck",
      test: "bash tests/run.sh",
    },
  },
  { kind: "Make with check alone", files: { Makefile: "check:\n\tx\n" }, checks: { check: "make -k check" } },
  { kind: "just", files: { justfile: "x := '1'\ntest *args:\n  y\n" }, checks: { test: "just test" } },
  {
    kind: "Go behind a Makefile: the language's own commands, the Makefile for what they lack",
    files: { "go.mod": "", Makefile: "test:\n\tgo test ./...\nlint:\n\tx\n" },
    checks: { vet: "go vet ./...", test: "go test ./...", lint: "make -k lint" },
  },
  {
    kind: "a front end and a back end in one directory",
    files: { "package.json": scripts({ test: "vitest run" }), "go.mod": "" },
    checks: { test: "npm test", vet: "go vet ./...", "go-test": "go test ./..." },
  },
];
