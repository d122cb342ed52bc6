import { ava, jest, mocha, nodeTest, vitest } from "./tools/javascript-tests.ts";
import {
  bats,
  shellcheck,
  shellcheckLikeGcc,
  elixir,
  exunit,
  php,
  phpcs,
  phpunit,
  rspec,
} from "./tools/dynamic.ts";
import { biome, nodeCrash, npm, oxlint, prettier, tsc } from "./tools/javascript-tools.ts";
import { cargoTest, rustc, clojure, javac } from "./tools/compiled.ts";
import { complaints } from "./shapes/complaints.ts";
import { coverage } from "./shapes/coverage.ts";
import { cppTests, gcc, googleTest, linker, sanitizers } from "./tools/c-and-cpp.ts";
import { eslint, listedTests } from "./shapes/listed-tests.ts";
import { failedTests } from "./shapes/failed-tests.ts";
import { flake8, mypy, pylint, ruff, traceback, unittest, pytest } from "./tools/python.ts";
import { githubAnnotations, tap } from "./shapes/protocols.ts";
import { goBuild, goTest } from "./tools/go.ts";
import type { Parser } from "./parser.ts";
import { generic } from "./placed-parser.ts";

/** Every parser, the most particular first: a line read by one is not read again by the next. */
export const PARSERS: readonly Parser[] = [
  coverage,
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
    googleTest,
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
