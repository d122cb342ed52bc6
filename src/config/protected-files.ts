import picomatch from "picomatch";
import { fileMatcher } from "./entry-point.ts";
import type { GatesDefinition } from "./settings.ts";

/** What decides what passing means: tests and what belongs to them, settings of tools, scripts behind gates. */
export interface ProtectedFile {
  readonly kind: ProtectedKind;
  readonly ecosystem: string;
  /** Only a part of the file: the rest is the project's own. */
  readonly part?: ProtectedPart;
}

type ProtectedKind =
  | "test"
  | "snapshot"
  | "test support"
  | "test settings"
  | "lint settings"
  | "type settings"
  | "gate script"
  | "added";

/** Top-level keys of a JSON file, or sections of a TOML or INI file. Scripts are told apart: what is new among them stays. */
export type ProtectedPart =
  | { readonly format: "json"; readonly keys: readonly string[]; readonly scripts: readonly string[] }
  | { readonly format: "sections"; readonly names: RegExp };

interface Row {
  readonly ecosystem: string;
  readonly kind: ProtectedKind;
  readonly files: readonly string[];
  readonly part?: ProtectedPart;
}

const JS = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}";
const SETTINGS = "{js,mjs,cjs,ts,mts,cts,json,jsonc,yml,yaml,toml}";
const JVM = "{java,kt,groovy,scala}";

/** The first row that matches a file counts. */
const ROWS: readonly Row[] = [
  {
    ecosystem: "any",
    kind: "snapshot",
    files: ["**/__snapshots__/**", "**/*.snap", "**/*.ambr", "**/*.approved.*", "**/*.verified.*"],
  },
  {
    ecosystem: "JavaScript",
    kind: "test settings",
    files: [
      `**/{vitest.config,vitest.workspace,vite.config,jest.config,jest.preset,playwright.config,cypress.config,ava.config,karma.conf,wdio.conf}.${SETTINGS}`,
      `**/{vitest,jest,test}{.,-}setup.${JS}`,
      `**/setup{Tests,-tests,Test,-test}.${JS}`,
      "**/{.mocharc,.nycrc,.c8rc}*",
      "**/{.taprc,cypress.json,jasmine.json,bunfig.toml}",
    ],
  },
  {
    ecosystem: "JavaScript",
    kind: "lint settings",
    files: [
      `**/{eslint.config,oxlint.config,prettier.config,stylelint.config,knip,knip.config}.${SETTINGS}`,
      "**/{.eslintrc,.prettierrc,.stylelintrc,.markdownlint,.oxlintrc,.dependency-cruiser}*",
      "**/{.eslintignore,.prettierignore,.stylelintignore,.jshintrc,tslint.json,biome.json,biome.jsonc}",
    ],
  },
  {
    ecosystem: "JavaScript",
    kind: "type settings",
    files: ["**/tsconfig*.json", "**/jsconfig.json"],
  },
  {
    ecosystem: "JavaScript",
    kind: "test settings",
    files: ["**/package.json"],
    part: {
      format: "json",
      keys: "jest mocha ava tap nyc c8 vitest eslintConfig eslintIgnore prettier stylelint".split(" "),
      scripts: ["scripts"],
    },
  },
  {
    ecosystem: "JavaScript",
    kind: "test settings",
    files: ["**/deno.json"],
    part: { format: "json", keys: ["test", "lint", "fmt", "exclude"], scripts: ["tasks"] },
  },
  {
    ecosystem: "JavaScript",
    kind: "test",
    files: [`**/*{.,-,_}{test,spec,cy,e2e}.${JS}`, `**/*.test-d.${JS}`, `**/test-*.${JS}`, `**/test.${JS}`],
  },
  {
    ecosystem: "Python",
    kind: "test settings",
    files: [
      "**/{pytest,.pytest}.{ini,toml}",
      "**/{tox.ini,noxfile.py,.coveragerc,.coveragerc.toml,conftest.py}",
    ],
  },
  {
    ecosystem: "Python",
    kind: "lint settings",
    files: ["**/{.flake8,.pylintrc,pylintrc,ruff.toml,.ruff.toml,.isort.cfg,.bandit,.pydocstyle}"],
  },
  {
    ecosystem: "Python",
    kind: "type settings",
    files: ["**/{mypy.ini,.mypy.ini,pyrightconfig.json,basedpyrightconfig.json}"],
  },
  {
    ecosystem: "Python",
    kind: "test settings",
    files: ["**/pyproject.toml"],
    part: {
      format: "sections",
      names:
        /^tool\.(?:pytest|coverage|ruff|mypy|pylint|(?:based)?pyright|flake8|isort|black|bandit|tox|nox|hatch\.envs|pdm\.scripts|poe)\b/,
    },
  },
  {
    ecosystem: "Python",
    kind: "test settings",
    files: ["**/setup.cfg"],
    part: {
      format: "sections",
      names: /^(?:tool:pytest|pytest|flake8|mypy|coverage|pylint|isort|pycodestyle|pydocstyle)\b/,
    },
  },
  { ecosystem: "Python", kind: "test", files: ["**/test_*.py", "**/*_test.py", "**/{*_tests,tests}.py"] },
  { ecosystem: "Go", kind: "test", files: ["**/*_test.go"] },
  { ecosystem: "Go", kind: "lint settings", files: ["**/.golangci.*", "**/staticcheck.conf"] },
  { ecosystem: "any", kind: "test support", files: ["**/testdata/**"] },
  { ecosystem: "Rust", kind: "test", files: ["**/tests/**/*.rs", "**/{tests,*_test,*_tests}.rs"] },
  {
    ecosystem: "Rust",
    kind: "lint settings",
    files: ["**/{clippy,.clippy,rustfmt,.rustfmt,deny}.toml"],
  },
  {
    ecosystem: "Rust",
    kind: "test settings",
    files: ["**/.config/nextest.toml", "**/tarpaulin.toml", "**/.cargo/config.toml"],
  },
  {
    ecosystem: "Rust",
    kind: "lint settings",
    files: ["**/Cargo.toml"],
    part: { format: "sections", names: /^(?:workspace\.)?lints\b|^test$|^profile\.test\b/ },
  },
  {
    ecosystem: "JVM",
    kind: "test",
    files: [`**/*{Test,Tests,TestCase,IT,Spec}.${JVM}`],
  },
  {
    ecosystem: "JVM",
    kind: "test support",
    files: ["**/src/{test,testFixtures,androidTest,integrationTest,*Test}/**"],
  },
  {
    ecosystem: "JVM",
    kind: "lint settings",
    files: [
      "**/{checkstyle,pmd,spotbugs,detekt}*.{xml,yml,yaml}",
      "**/config/{checkstyle,pmd,detekt,spotbugs}/**",
      "**/{.scalafmt.conf,.scalafix.conf,lint.xml}",
    ],
  },
  { ecosystem: "Ruby", kind: "test", files: ["**/*_{test,spec}.rb", "**/test_*.rb"] },
  {
    ecosystem: "Ruby",
    kind: "test settings",
    files: ["**/{.rspec,.simplecov,spec_helper.rb,rails_helper.rb,test_helper.rb}"],
  },
  {
    ecosystem: "Ruby",
    kind: "lint settings",
    files: ["**/{.rubocop,.rubocop_todo,.standard,.erb-lint,.reek}.yml"],
  },
  { ecosystem: "PHP", kind: "test", files: ["**/*Test.php", "**/*Cest.php"] },
  {
    ecosystem: "PHP",
    kind: "test settings",
    files: ["**/phpunit*.xml*", "**/{Pest.php,infection.json*,codeception*.yml}"],
  },
  {
    ecosystem: "PHP",
    kind: "lint settings",
    files: [
      "**/{phpstan,psalm,phpcs,.phpcs,.php-cs-fixer,.php_cs,phpmd}*.{neon,xml,php,dist}",
      "**/phpstan*.neon.dist",
    ],
  },
  {
    ecosystem: "PHP",
    kind: "test settings",
    files: ["**/composer.json"],
    part: { format: "json", keys: [], scripts: ["scripts"] },
  },
  {
    ecosystem: ".NET",
    kind: "test",
    files: ["**/*{Test,Tests,Spec,Specs,Facts}.{cs,fs,vb}"],
  },
  { ecosystem: ".NET", kind: "test settings", files: ["**/*.runsettings", "**/xunit.runner.json"] },
  { ecosystem: ".NET", kind: "lint settings", files: ["**/{.globalconfig,stylecop.json,*.ruleset}"] },
  { ecosystem: "Elixir", kind: "test", files: ["**/*_test.exs"] },
  { ecosystem: "Elixir", kind: "test settings", files: ["**/{test_helper.exs,coveralls.json}"] },
  { ecosystem: "Elixir", kind: "lint settings", files: ["**/{.credo,.formatter,.dialyzer_ignore}.exs"] },
  { ecosystem: "Clojure", kind: "test", files: ["**/*_{test,spec}.{clj,cljs,cljc,bb}"] },
  { ecosystem: "Clojure", kind: "test settings", files: ["**/tests.edn"] },
  { ecosystem: "Clojure", kind: "lint settings", files: ["**/.clj-kondo/**", "**/.cljfmt.edn"] },
  { ecosystem: "shell", kind: "test", files: ["**/*.bats"] },
  { ecosystem: "shell", kind: "lint settings", files: ["**/.shellcheckrc"] },
  { ecosystem: "C and C++", kind: "test", files: ["**/*{_test,_tests,_unittest,Test,Tests}.{c,cc,cpp,cxx}"] },
  { ecosystem: "C and C++", kind: "lint settings", files: ["**/{.clang-tidy,.clang-format,.cppcheck}"] },
  { ecosystem: "Swift", kind: "test", files: ["**/Tests/**/*.swift"] },
  { ecosystem: "Swift", kind: "lint settings", files: ["**/{.swiftlint.yml,.swiftformat}"] },
  { ecosystem: "Dart", kind: "test", files: ["**/*_test.dart"] },
  { ecosystem: "Dart", kind: "lint settings", files: ["**/{analysis_options,dart_test}.yaml"] },
  { ecosystem: "Lua", kind: "test", files: ["**/*_spec.lua"] },
  { ecosystem: "Lua", kind: "lint settings", files: ["**/.{luacheckrc,busted,luacov}"] },
  {
    ecosystem: "any",
    kind: "test settings",
    files: ["**/{.codecov,codecov}.{yml,yaml}", "**/.editorconfig"],
  },
  {
    ecosystem: "any",
    kind: "test support",
    files: [
      "**/{__tests__,__mocks__,__fixtures__,test,tests,testing,test-helpers,test-utils,e2e,cypress}/**",
      "spec/**",
      "features/**/*.{feature,rb,js,ts,py}",
    ],
  },
];

/** They are nobody's tests, whatever their names say. */
const NEVER = ["**/node_modules/**", "**/{vendor,third_party,.venv,venv,Pods}/**", ".gauntlet/**"];

type Definition = Pick<GatesDefinition, "protectedFiles" | "scripts">;

/** Tells of a file of the project whether it is protected, and how. Made once for many files: globs are costly to compile. */
export function protectedFileFinder({
  protectedFiles = {},
  scripts,
}: Definition): (path: string) => ProtectedFile | undefined {
  const { add = [], remove = [] } = protectedFiles;
  const rows = ROWS.map(({ files, ...row }) => ({ row, isMeant: matcher(files) }));
  const isNever = matcher(NEVER);
  const [isAdded, isRemoved] = [namedBy(add), namedBy(remove)];
  const behindGates = new Set(Object.keys(scripts).filter(isGateScript));
  return (path) => {
    if (isNever(path) || isRemoved(path)) return undefined;
    const row = rows.find(({ isMeant }) => isMeant(path))?.row;
    if (row !== undefined) return row;
    if (behindGates.has(path)) return { kind: "gate script", ecosystem: "any" };
    return isAdded(path) ? { kind: "added", ecosystem: "any" } : undefined;
  };
}

function matcher(globs: readonly string[]): (path: string) => boolean {
  return picomatch([...globs], { dot: true });
}

function namedBy(globs: readonly string[]): (path: string) => boolean {
  return globs.length === 0 ? () => false : fileMatcher(globs);
}

/** A command may also name the program that is being made, which is no script behind a gate. */
function isGateScript(name: string): boolean {
  return GATE_SCRIPT.test(name);
}

const GATE_SCRIPT =
  /\.(?:ba|z)?sh$|(?:^|\/)(?:scripts?|ci|\.ci|tools|hack|\.github)\/|(?:^|\/)(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|Taskfile\.ya?ml|[Rr]akefile)$/;

export type Concern = "tests" | "lint" | "types";

/** Which checks a protected file decides about; undefined means every check, as for one that holds the settings of every tool. */
export function concernOf({ kind, part }: ProtectedFile): Concern | undefined {
  if (part !== undefined) return undefined;
  switch (kind) {
    case "test":
    case "snapshot":
    case "test support":
    case "test settings":
      return "tests";
    case "lint settings":
      return "lint";
    case "type settings":
      return "types";
    case "gate script":
    case "added":
      return undefined;
  }
}
