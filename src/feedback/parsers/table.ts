import { ava, jest, mocha, nodeTest } from "./javascript-tests.ts";
import { bats, shellcheck, shellcheckLikeGcc } from "./shell.ts";
import { biome, nodeCrash, npm, oxlint, prettier, tsc } from "./javascript-tools.ts";
import { cargoTest, rustc } from "./rust.ts";
import { clojure, javac } from "./jvm.ts";
import { elixir, exunit } from "./elixir.ts";
import { complaints } from "./complaints.ts";
import { cppTests, gcc, linker, sanitizers } from "./c-and-cpp.ts";
import { eslint, listedTests } from "./listed-tests.ts";
import { failedTests } from "./failed-tests.ts";
import { flake8, mypy, pylint, ruff, traceback, unittest } from "./python.ts";
import { githubAnnotations } from "./github-annotations.ts";
import { goBuild, goTest } from "./go.ts";
import type { Parser } from "./parser.ts";
import { php, phpcs, phpunit } from "./php.ts";
import { generic } from "./placed-parser.ts";
import { pytest } from "./pytest.ts";
import { rspec } from "./rspec.ts";
import { tap } from "./tap.ts";
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
