export interface Runner {
  readonly name: string;
  readonly called: RegExp;
  readonly byDefault?: true;
  readonly stops?: RegExp;
  readonly goesOn?: RegExp;
  readonly variable?: string;
  readonly settings?: readonly RunnerSettings[];
  readonly instead?: string;
  /** What it does, if not "ends at its first failure". */
  readonly how?: string;
  /** It always prints a count once it runs tests. */
  readonly counts?: true;
}

/** Settings files, from its directory up to the root of the project. */
interface RunnerSettings {
  readonly files: readonly string[];
  readonly stops?: RegExp;
  readonly goesOn?: RegExp;
}

const MODULES = ["js", "mjs", "cjs", "ts", "mts", "cts"];

function modules(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => MODULES.map((extension) => `${name}.${extension}`));
}

const VITEST_FILES = modules("vitest.config", "vite.config", "vitest.workspace");
const CARGO = String.raw`^(?:cargo|cross)(?: [+-]\S+(?: [^\s-]\S*)??)*`;

/** Vitest checks coverage only if every test passed. */
const VITEST_COVERAGE = {
  name: "vitest",
  goesOn: /\s--coverage\.reportOnFailure(?!=false)|\s--coverage(?:\.enabled)?=false/,
  instead: "--coverage.reportOnFailure",
  how: "checks no coverage when a test fails",
};
const UNREPORTED = String.raw`(?![^]*\breportOnFailure\s*:\s*true)[^]*\b(thresholds)\s*:`;

/** A tool has one row for each way in which it ends early. */
export const RUNNERS: readonly Runner[] = [
  {
    name: "pytest",
    called: /^(?:pytest|py\.test)\b/,
    stops: /\s(?:-[qvsl]*x[qvsl]*|--exitfirst|--maxfail[= ][1-9]\d*|--stepwise|--sw)(?=\s|$)/,
    goesOn: /^(?!.*\s--(?:stepwise|sw)\b).*\s--maxfail[= ]0\b/,
    variable: "PYTEST_ADDOPTS",
    settings: [
      {
        files: [
          "pytest.ini",
          ".pytest.ini",
          "pytest.toml",
          ".pytest.toml",
          "pyproject.toml",
          "setup.cfg",
          "tox.ini",
        ],
        stops:
          /^\s*addopts\s*(?==)(?:(?!^\S)[^])*?[\s"'=](-[qvsl]*x[qvsl]*|--exitfirst|--maxfail[= ][1-9]\d*|--stepwise|--sw)(?=[\s"',\]]|$)/m,
      },
    ],
    instead: "--maxfail=0",
  },
  {
    name: "vitest",
    called: /^vitest\b/,
    stops: /\s--bail[= ][1-9]\d*/,
    goesOn: /\s--bail[= ]0\b/,
    settings: [{ files: VITEST_FILES, stops: /\b(bail)\s*:(?!\s*(?:0\b|undefined|false))/ }],
    instead: "--bail=0",
  },
  {
    ...VITEST_COVERAGE,
    called: /^vitest\b.*\s--coverage\b/,
    stops: /\s--coverage\.thresholds\.\S+/,
    settings: [{ files: VITEST_FILES, stops: new RegExp(`^${UNREPORTED}`) }],
  },
  {
    ...VITEST_COVERAGE,
    called: /^vitest\b/,
    settings: [
      { files: VITEST_FILES, stops: new RegExp(String.raw`^(?=[^]*\benabled\s*:\s*true)${UNREPORTED}`) },
    ],
  },
  {
    name: "jest",
    called: /^(?:jest|(?:react-scripts|craco) test)\b/,
    stops: /\s(?:-i?b|--bail)(?!=(?:0|false)\b)(?=[\s=]|$)/,
    goesOn: /\s--(?:no-bail|bail=(?:0|false))\b/,
    settings: [
      {
        files: [...modules("jest.config"), "jest.config.json", "package.json"],
        stops: /\b(bail)["']?\s*:(?!\s*(?:0\b|false))/,
      },
    ],
    instead: "--no-bail",
  },
  {
    name: "mocha",
    called: /^(?:_|ts-|electron-)?mocha\b/,
    stops: /\s(?:-b|--bail)(?!=false)(?=[\s=]|$)/,
    goesOn: /\s--(?:no-bail|bail=false)\b/,
    settings: [
      {
        files: [".js", ".cjs", ".mjs", ".json", ".jsonc", ".yml", ".yaml"]
          .map((extension) => `.mocharc${extension}`)
          .concat("package.json"),
        stops: /\b(bail)["']?\s*:(?!\s*false)/,
      },
    ],
    instead: "--no-bail",
  },
  {
    name: "playwright",
    called: /^playwright test\b/,
    stops: /\s(?:-x|--max-failures[= ][1-9]\d*)(?=\s|$)/,
    goesOn: /\s--max-failures[= ]0\b/,
    settings: [
      { files: modules("playwright.config"), stops: /\b(maxFailures)\s*:(?!\s*(?:0|undefined)\s*[,}\n])/ },
    ],
    instead: "--max-failures=0",
  },
  {
    name: "ava",
    called: /^ava\b/,
    stops: /\s--fail-fast\b/,
    goesOn: /\s--no-fail-fast\b/,
    settings: [{ files: [...modules("ava.config"), "package.json"], stops: /\b(failFast)["']?\s*:\s*true/ }],
    instead: "--no-fail-fast",
  },
  {
    name: "jasmine",
    called: /^jasmine\b/,
    stops: /\s--fail-fast\b/,
    settings: [
      {
        files: [...modules("spec/support/jasmine"), "spec/support/jasmine.json"],
        stops: /\b(stopOnSpecFailure)["']?\s*:\s*true/,
      },
    ],
  },
  {
    name: "tap",
    called: /^(?:tap|uvu)\b/,
    stops: /\s(?:-b|--bail)(?=\s|$)/,
    goesOn: /\s(?:-B|--no-bail)(?=\s|$)/,
    settings: [{ files: [".taprc"], stops: /^\s*(bail)\s*:\s*true/m }],
  },
  {
    name: "cucumber",
    called: /^cucumber(?:-js)?\b/,
    stops: /\s--fail-fast\b/,
    settings: [
      {
        files: [...modules("cucumber"), "cucumber.json", "cucumber.yml", "cucumber.yaml"],
        stops: /(fail-?[fF]ast)["']?\s*:\s*true|(--fail-fast)/,
      },
    ],
  },
  { name: "bun test", called: /^bun test\b/, stops: /\s--bail\b(?!=0)/ },
  { name: "deno test", called: /^deno test\b/, stops: /\s--fail-?fast\b/ },
  {
    name: "rspec",
    called: /^rspec\b/,
    stops: /\s--fail-fast\b/,
    goesOn: /\s--no-fail-fast\b/,
    variable: "SPEC_OPTS",
    settings: [
      { files: [".rspec", ".rspec-local"], stops: /(?:^|\s)(--fail-fast)\b/ },
      {
        files: ["spec/spec_helper.rb", "spec/rails_helper.rb"],
        stops: /\b(fail_fast)\s*=(?!\s*(?:false|nil|0))/,
      },
    ],
    instead: "--no-fail-fast",
    counts: true,
  },
  { name: "rails test", called: /^rails test\b/, stops: /\s(?:-f|--fail-fast)(?=\s|$)/ },
  {
    name: "go test",
    called: /^(?:go test|gotestsum)\b/,
    stops: /\s(?:--?failfast\b(?!=false)|--max-fails[= ]\d+)/,
    goesOn: /\s--?failfast=false\b/,
    variable: "GOFLAGS",
    instead: "-failfast=false",
  },
  {
    name: "cargo nextest",
    called: new RegExp(`${CARGO} nextest (?:run|r)\\b`),
    byDefault: true,
    goesOn: /\s(?:--no-fail-fast|--nff|--max-fail[= ]all)\b/,
    settings: [
      {
        files: [".config/nextest.toml"],
        goesOn: /^\[profile\.default\](?:(?!^\[)[^])*?^\s*fail-fast\s*=\s*(?:false|\{[^}\n]*"all")/m,
      },
    ],
    instead: "--no-fail-fast",
    counts: true,
  },
  {
    name: "cargo test",
    called: new RegExp(`${CARGO} (?:test|t|bench|llvm-cov|tarpaulin)\\b`),
    byDefault: true,
    goesOn: /\s--no-fail-fast\b/,
    instead: "--no-fail-fast",
    counts: true,
  },
  {
    name: "cargo",
    called: new RegExp(`${CARGO} (?:build|b|check|c|clippy|doc|d)\\b`),
    byDefault: true,
    goesOn: /\s--keep-going\b/,
    instead: "--keep-going",
  },
  {
    name: "make",
    called: /^(?:[gb]|mingw32-)?make\b/,
    byDefault: true,
    goesOn: /\s(?:-[^\s\-CfIloWj]*k\w*|--keep-going)(?=\s|$)/,
    variable: "MAKEFLAGS",
    instead: "-k",
  },
  { name: "ninja", called: /^ninja\b/, byDefault: true, goesOn: /\s-k ?0\b/, instead: "-k 0" },
  {
    name: "cmake --build",
    called: /^cmake --build\b/,
    byDefault: true,
    goesOn: /\s-- .*(?:-\w*k|--keep-going)/,
    instead: "-- -k",
  },
  { name: "ctest", called: /^ctest\b/, stops: /\s--stop-on-failure\b/ },
  {
    name: "bazel",
    called: /^bazel(?:isk)? (?:test|build|coverage)\b/,
    byDefault: true,
    goesOn: /\s(?:-k|--keep_going)(?=\s|$)/,
    settings: [{ files: [".bazelrc"], goesOn: /^(?:common|build|test)\b.*\s--keep_going\b/m }],
    instead: "--keep_going",
  },
  {
    name: "mvn",
    called: /^mvn[wd]?\b/,
    byDefault: true,
    goesOn: /\s(?:-fae|-fn|--fail-at-end|--fail-never)\b/,
    variable: "MAVEN_ARGS",
    settings: [{ files: [".mvn/maven.config"], goesOn: /(?:^|\s)(?:-fae|-fn|--fail-at-end|--fail-never)\b/ }],
    instead: "-fae",
  },
  {
    name: "mvn",
    called: /^mvn[wd]?\b/,
    stops: /\s-D(?:surefire|failsafe)\.skipAfterFailureCount=[1-9]/,
    settings: [{ files: ["pom.xml"], stops: /<(skipAfterFailureCount)>\s*[1-9]/ }],
  },
  {
    name: "gradle",
    called: /^gradlew?\b/,
    byDefault: true,
    goesOn: /\s--continue(?=\s|$)/,
    settings: [{ files: ["gradle.properties"], goesOn: /^\s*org\.gradle\.continue\s*=\s*true/m }],
    instead: "--continue",
  },
  {
    name: "gradle",
    called: /^gradlew?\b/,
    stops: /\s--fail-fast\b/,
    settings: [{ files: ["build.gradle", "build.gradle.kts"], stops: /\b(failFast)\s*=\s*true/ }],
  },
  {
    name: "phpunit",
    called: /^(?:(?:simple-)?phpunit|paratest|pest|artisan test)\b/,
    stops: /\s--(?:stop-on-[a-z-]+|bail)\b/,
    settings: [
      {
        files: ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
        stops: /\b(stopOn\w+)\s*=\s*["']true/,
      },
    ],
  },
  { name: "mix test", called: /^mix test\b/, stops: /\s--max-failures[= ]\d+/, counts: true },
  {
    name: "unittest",
    called: /^(?:unittest|manage\.py test|django-admin test)\b/,
    stops: /\s(?:-f|--failfast)(?=\s|$)/,
  },
  { name: "behave", called: /^behave\b/, stops: /\s--stop\b/ },
  { name: "robot", called: /^(?:robot|pabot)\b/, stops: /\s(?:-X|--exitonfailure)\b/i },
  {
    name: "kaocha",
    called: /^kaocha\b/,
    stops: /\s--fail-fast\b/,
    settings: [{ files: ["tests.edn"], stops: /:kaocha\/(fail-fast\?)\s+true/ }],
  },
  { name: "rubocop", called: /^rubocop\b/, stops: /\s(?:-F|--fail-fast)(?=\s|$)/ },
  {
    name: "pre-commit",
    called: /^pre-commit run\b/,
    stops: /\s--fail-fast\b/,
    settings: [{ files: [".pre-commit-config.yaml"], stops: /^\s*(fail_fast)\s*:\s*true/m }],
  },
  {
    name: "tox",
    called: /^tox\b/,
    settings: [
      {
        files: ["tox.ini"],
        stops: /^(?![^]*^\s*ignore_errors\s*=\s*true)[^]*?^(commands)\s*=\s*\S.*[^\\\s]\s*\n[ \t]+\S/im,
      },
    ],
  },
  {
    name: "nox",
    called: /^nox\b/,
    stops: /\s(?:-x|--stop-on-first-error)(?=\s|$)/,
    settings: [
      { files: ["noxfile.py"], stops: /\b(session\.run)\((?:(?!^(?:@|def |async ))[^])*?\bsession\.run\(/m },
    ],
  },
  {
    name: "npm-run-all",
    called: /^(?:npm-run-all2?|run-[sp])\b/,
    byDefault: true,
    goesOn: /\s(?:-c|--continue-on-error)(?=\s|$)/,
    instead: "--continue-on-error",
  },
  { name: "concurrently", called: /^concurrently\b/, stops: /\s(?:-k|--kill-others(?:-on-fail)?)(?=\s|$)/ },
  {
    name: "pnpm --recursive",
    called: /^pnpm\b.*\s(?:-r|--recursive|recursive|(?:--filter|-F)[= ]\S*(?:\.\.\.|[*{[])\S*)(?=\s|$)/,
    byDefault: true,
    goesOn: /\s--(?:no-bail|bail=false)\b/,
    settings: [
      { files: [".npmrc"], goesOn: /^bail\s*=\s*false/m },
      { files: ["pnpm-workspace.yaml"], goesOn: /^bail:\s*false/m },
    ],
    instead: "--no-bail",
  },
  { name: "yarn workspaces run", called: /^yarn workspaces run\b/, byDefault: true },
  {
    name: "lerna",
    called: /^lerna (?:run|exec)\b/,
    byDefault: true,
    goesOn: /\s--no-bail\b/,
    instead: "--no-bail",
  },
  {
    name: "turbo",
    called: /^turbo\b/,
    byDefault: true,
    goesOn: /\s--continue(?:=always)?(?=\s|$)/,
    instead: "--continue",
  },
  { name: "nx", called: /^nx\b/, stops: /\s--nx-?[bB]ail\b(?!=false)/ },
];

/** What tools print when they did not run everything. */
export const SAYS_SO: readonly RegExp[] = [
  /^!{3,} (?:stopping after|Interrupted: |xdist)/, // pytest
  /\berrors? occurred outside of examples\b/, // RSpec
  /^Bail out!/, // TAP
  /^\s*Testing stopped early after \d+ maximum allowed failures/, // Playwright
  /^\s*\d+ did not run$/, // Playwright
  /^\s*Cancell?ing due to /, // nextest
  /^\s*Summary \[.*\] \d+\/\d+ tests? run:/, // nextest
  /^panic: |^FAIL\s+\S+ \[(?:build|setup) failed\]$/, // go test: the other tests of the package
  /\berrors prevented further checking\b/, // mypy
  /^\s*(?:.*: )?too many errors\b|\bonly showing the first \d+ (?:errors|warnings)\b/, // compilers
  /^ninja: build stopped: /,
  /\bTasks not run because their dependencies failed\b/, // Nx
  /^\[INFO\] .* SKIPPED(?: \[|$)/, // Maven: modules
  /\bERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\b/,
];
