import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { factsOf, namesIn, readIfFile } from "../../system/files/files.ts";
import { isExecutableFile } from "../../system/process/executables.ts";
import { stubScript } from "./stub-script.ts";

/** How the checks of a scenario go. */
export type Mode = "pass" | "fail" | "flood" | "quotes";

/** One check that a hook started. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `absent`: the hook is a script for a program that this machine does not have. */
  readonly kind: "check" | "fixer" | "setup" | "absent";
}

/** Programs that run checks, or that models, containers and package managers are reached by: none of them is started. */
const TOOLS = `npm npx pnpm pnpx yarn yarnpkg bun bunx deno corepack turbo nx lerna moon rush lage wireit
   tsc tsgo vue-tsc svelte-check eslint oxlint oxfmt biome prettier prettierd dprint stylelint knip standard xo jshint tslint publint
   vitest jest mocha ava tap c8 nyc playwright cypress karma wtr web-test-runner next astro vite webpack rollup tsup tsdown
   pytest py.test ruff mypy pyright basedpyright pylint flake8 black isort bandit tox nox coverage hatch poetry pdm pipenv uv uvx rye
   pip pip3 pipx ty pyre vulture interrogate django-admin
   cargo rustc rustfmt rustup clippy-driver cargo-nextest cargo-deny cargo-audit trunk wasm-pack
   go gofmt goimports gofumpt golangci-lint golangci-lint-v2 staticcheck govulncheck revive gotestsum go-test-coverage templ
   make gmake just task mage mise rake cmake ctest ninja meson bazel bazelisk buck2 pants scons earthly dagger xmake
   mvn mvnd gradle ant sbt mill lein clj clojure clj-kondo cljfmt bb kotlinc ktlint detekt scalafmt javac checkstyle
   composer phpunit pest phpstan psalm php-cs-fixer phpcs phpcbf pint rector
   bundle rspec rubocop standardrb rails erb_lint brakeman srb sorbet steep
   mix elixir iex rebar3 gleam dialyzer
   swift swiftlint swiftformat xcodebuild xcrun fastlane tuist flutter dart melos fvm dotnet csharpier msbuild nuget paket
   zig stack cabal ghc hlint ormolu fourmolu dune opam ocamlformat nim nimble crystal ameba luacheck stylua busted selene
   terraform tofu tflint terragrunt ansible-lint yamllint actionlint markdownlint markdownlint-cli2 vale typos cspell codespell
   shellcheck shfmt bats hadolint sqlfluff buf protolint gitleaks semgrep trivy snyk grype checkov
   pre-commit prek lefthook husky lint-staged hk overcommit conclaude cz commitlint
   docker docker-compose podman kubectl helm nix nix-shell devenv devbox direnv act gh glab
   claude codex gemini cursor-agent copilot opencode aider llm ollama cclint clang-tidy clang-format cppcheck forge anvil hardhat slither`
  .split(/\s+/)
  .filter(Boolean);

/** They run scripts of the project for real, and only what is a check by its arguments not. */
const INTERPRETERS = ["python", "python3", "node", "php", "ruby", "java", "perl"];

export interface StubbedPath {
  /** With the stubs first. */
  readonly path: string;
  /** As on a machine where no check is installed. */
  readonly withoutTools: string;
  readonly withoutJq: string;
  /** `own`: the names of the files that the hook consists of. */
  readonly setMode: (mode: Mode, changed: readonly string[], own: readonly string[]) => void;
  readonly takeCalls: () => readonly Call[];
  readonly stubFor: (name: string) => string;
}

/**
 * A PATH on which every program that may be a check is ours. The others are links: a directory of the real PATH would still have the real tools
 * in the scenario where they are missing.
 */
export function makeStubs(directory: string, realPath: string): StubbedPath {
  const [stubs, rest, restWithoutJq] = ["stubs", "rest", "rest-without-jq"].map((name) => {
    const made = join(directory, name);
    mkdirSync(made, { recursive: true });
    return made;
  }) as [string, string, string];
  const program = join(directory, "stub");
  writeFileSync(program, stubScript(directory), { mode: 0o755 });
  chmodSync(program, 0o755);
  linkOthers(realPath, rest, restWithoutJq);
  for (const name of TOOLS) symlinkSync(program, join(stubs, name));
  for (const name of INTERPRETERS.filter((one) => factsOf(join(rest, one)) !== undefined))
    symlinkSync(program, join(stubs, name));
  const calls = join(directory, "calls");
  return {
    path: [stubs, rest].join(delimiter),
    withoutTools: rest,
    withoutJq: [stubs, restWithoutJq].join(delimiter),
    setMode: (mode, changed, own) => {
      writeFileSync(join(directory, "mode"), mode);
      writeFileSync(join(directory, "changed"), changed.map((file) => `${file}\n`).join(""));
      writeFileSync(join(directory, "own"), own.map((file) => `${file}\n`).join(""));
      rmSync(calls, { force: true });
    },
    takeCalls: () => (readIfFile(calls) ?? "").split("\u001E").flatMap(readCall),
    stubFor: (name) => join(stubs, name),
  };
}

function linkOthers(realPath: string, rest: string, restWithoutJq: string): void {
  const taken = new Set<string>(TOOLS);
  for (const directory of realPath.split(delimiter).filter(Boolean))
    for (const name of namesIn(directory)) {
      if (taken.has(name) || !isExecutableFile(join(directory, name))) continue;
      taken.add(name);
      symlinkSync(join(directory, name), join(rest, name));
      if (name !== "jq") symlinkSync(join(directory, name), join(restWithoutJq, name));
    }
}

function readCall(record: string): readonly Call[] {
  const [kind, program, cwd, ...args] = record.split("\u001F").slice(0, -1);
  if (program === undefined || cwd === undefined) return [];
  return [{ kind: kind as Call["kind"], program, cwd, args }]; // the stub writes no other
}

/** Replaces the programs in the `bin` directories of dependencies, and a project's wrappers, by the same stub. */
export function stubPrograms(directory: string, isCheck: (name: string) => boolean, stub: string): void {
  for (const name of namesIn(directory).filter(isCheck)) {
    rmSync(join(directory, name), { force: true, recursive: true });
    symlinkSync(stub, join(directory, name));
  }
}

export function isTool(name: string): boolean {
  return TOOLS.includes(name);
}
