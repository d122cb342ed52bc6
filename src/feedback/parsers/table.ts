import { ava } from "./ava.ts";
import { bats } from "./bats.ts";
import { biome } from "./biome.ts";
import { cargoTest } from "./cargo-test.ts";
import { clojure } from "./clojure.ts";
import { elixir } from "./elixir.ts";
import { complaints } from "./complaints.ts";
import { cppTests } from "./cpp-tests.ts";
import { eslint } from "./grouped.ts";
import { exunit } from "./exunit.ts";
import { failedTests } from "./failed-tests.ts";
import { flake8 } from "./flake8.ts";
import { gcc } from "./gcc.ts";
import { githubAnnotations } from "./github-annotations.ts";
import { goBuild } from "./go-build.ts";
import { goTest } from "./go-test.ts";
import { javac } from "./javac.ts";
import { jest } from "./jest.ts";
import { linker } from "./linker.ts";
import { listedTests } from "./listed-tests.ts";
import { mocha } from "./mocha.ts";
import { mypy } from "./mypy.ts";
import { nodeCrash } from "./node-crash.ts";
import { nodeTest } from "./node-test.ts";
import { npm } from "./npm.ts";
import { oxlint } from "./oxlint.ts";
import type { Parser } from "./parser.ts";
import { php } from "./php.ts";
import { phpcs } from "./phpcs.ts";
import { phpunit } from "./phpunit.ts";
import { generic } from "./placed-parser.ts";
import { prettier } from "./prettier.ts";
import { pylint } from "./pylint.ts";
import { pytest } from "./pytest.ts";
import { rspec } from "./rspec.ts";
import { ruff } from "./ruff.ts";
import { rustc } from "./rustc.ts";
import { sanitizers } from "./sanitizers.ts";
import { shellcheck, shellcheckLikeGcc } from "./shellcheck.ts";
import { tap } from "./tap.ts";
import { traceback } from "./traceback.ts";
import { tsc } from "./tsc.ts";
import { unittest } from "./unittest.ts";
import { vitest } from "./vitest.ts";

/** Every parser, the most particular first: a line read by one is not read again by the next. */
export const PARSERS: readonly Parser[] = [
  tsc,
  rustc,
  ruff,
  oxlint,
  biome,
  elixir,
  shellcheck,
  shellcheckLikeGcc,
].concat(
  [
    jest,
    vitest,
    mocha,
    pytest,
    unittest,
    goTest,
    cargoTest,
    rspec,
    phpunit,
    exunit,
    clojure,
    ava,
    bats,
    tap,
    nodeTest,
    cppTests,
    sanitizers,
  ],
  [nodeCrash, traceback, php, npm, linker, githubAnnotations],
  [
    gcc,
    javac,
    mypy,
    pylint,
    flake8,
    goBuild,
    eslint,
    phpcs,
    prettier,
    failedTests,
    listedTests,
    generic,
    complaints,
  ],
);

/** What `parser:` of a check may say. */
export const PARSER_NAMES: readonly string[] = ["none", ...new Set(PARSERS.map(({ name }) => name))];
