import { identify, type Finding } from "../../gates/review/finding.ts";
import { extensionOf, isForeign, languageOf } from "./languages.ts";
import { normal, type PatchedFile, type PatchLine, Tally } from "./patched-file.ts";

export function suppressions(files: readonly PatchedFile[]): readonly Finding[] {
  const marks = files.filter(({ file }) => !isForeign(file)).flatMap(marksOf);
  const removed = marks.filter(({ line }) => line.kind === "removed");
  const casts = files.filter(({ file }) => !isForeign(file) && CAST_IN(file)).flatMap(newCasts);
  const moved = new Tally(removed.map(({ mark }) => mark));
  const reworded = new Tally(removed.map(placeOf));
  const silenced = marks
    .filter(({ line }) => line.kind === "added")
    .filter((mark) => {
      const wasThere = reworded.take(placeOf(mark));
      return !moved.take(mark.mark) && !wasThere;
    })
    .map(({ file, line, what, mark }) => finding(file, line, `${what}: \`${mark}\``));
  return [...silenced, ...casts];
}

const CAST_IN = (file: string): boolean => /\.[cm]?tsx?$/.test(file) && !isTest(file);
const CAST = / as (?:any|never|unknown as [\w.[\]<>]+)(?![\w<])|<any>(?=[\w(])/g;

/** What a statement begins with, up to its value: `export const three =`, `return read(`. */
function beginning(text: string): string {
  return normal(text.slice(0, text.search(/[=(]|$/) + 1));
}

/** Statements that were there, and now have a cast that accepts anything. */
function newCasts({ file, hunks }: PatchedFile): readonly Finding[] {
  const casts = hunks.flatMap((lines) => {
    const were = lines.filter(({ kind, text }) => kind === "removed" && text.match(CAST) === null);
    const known = new Set(were.map(({ text }) => beginning(text)));
    return lines.filter(
      ({ kind, text }) => kind === "added" && text.match(CAST) !== null && known.has(beginning(text)),
    );
  });
  return casts.map((line) => finding(file, line, `${TYPES}: \`${cut(normal(line.text))}\``));
}

function placeOf({ file, line, what }: Mark): string {
  return `${file} ${line.hunk} ${what}`;
}

interface Mark {
  readonly file: PatchedFile["file"];
  readonly line: PatchLine;
  readonly what: string;
  /** From the marker to the end of the line: the same text removed anywhere means that it moved. */
  readonly mark: string;
}

function marksOf({ file, lines }: PatchedFile): readonly Mark[] {
  const rules = rulesFor(file);
  if (rules.length === 0) return [];
  return lines.flatMap((line): Mark[] => {
    if (line.kind === "kept") return [];
    const [found] = rules.flatMap(({ pattern, what }) => {
      const match = pattern.exec(line.text);
      return match === null ? [] : [{ what, mark: cut(normal(line.text.slice(match.index))) }];
    });
    return found === undefined ? [] : [{ file, line, ...found }];
  });
}

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  readonly files: (file: string) => boolean;
}

const inFiles = (...extensions: readonly string[]) => {
  const known = new Set(extensions);
  return (file: string): boolean => known.has(extensionOf(file));
};

const JS = inFiles(
  "js",
  "jsx",
  "ts",
  "tsx",
  "mjs",
  "cjs",
  "mts",
  "cts",
  "vue",
  "svelte",
  "css",
  "scss",
  "less",
);
const PYTHON = inFiles("py", "pyi");
const JVM = inFiles("java", "kt", "kts", "groovy", "scala");
const C = inFiles("c", "h", "cc", "cpp", "cxx", "hpp", "hh");

/** In tests of types the marker is the assertion. */
const isTest = (file: string): boolean => languageOf(file)?.testFile.test(file) === true;

const LINTER = "linter switched off";
const TYPES = "type checker switched off";
const COVERAGE = "left out of coverage";
const CANNOT_FAIL = "command cannot fail";

const RULES: readonly Rule[] = [
  {
    what: LINTER,
    pattern:
      /(?:\/\/|\/\*|<!--)\s*(?:eslint-disable|tslint:disable|oxlint-disable|biome-ignore|deno-lint-ignore|stylelint-disable|jshint ignore:)/,
    files: JS,
  },
  {
    what: TYPES,
    pattern: /(?:\/\/|\/\*|\*)\s*(?:@ts-ignore|@ts-nocheck|\$FlowFixMe|\$FlowIgnore)\b/,
    files: JS,
  },
  {
    what: TYPES,
    pattern: /(?:\/\/|\/\*)\s*@ts-expect-error\b/,
    files: (file) => JS(file) && !isTest(file) && !/\.test-d\.|\/(?:types?|dts)[-_]?tests?\//.test(file),
  },
  {
    what: COVERAGE,
    pattern: /(?:\/\/|\/\*)\s*(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)\b(?!\s+(?:stop|end))/,
    files: JS,
  },
  {
    what: LINTER,
    pattern: /#\s*(?:noqa\b|flake8:\s*noqa|ruff:\s*noqa|pylint:\s*(?:disable|skip-file)|nosec\b)/i,
    files: PYTHON,
  },
  {
    what: TYPES,
    pattern:
      /#\s*(?:type:\s*ignore|pyright:\s*(?:ignore|basic|report\w+=false)|mypy:\s*(?:ignore-errors|disable))\b/,
    files: PYTHON,
  },
  { what: COVERAGE, pattern: /#\s*pragma:\s*no\s*(?:cover|branch)\b/i, files: PYTHON },
  {
    what: LINTER,
    pattern: /\/\/\s*(?:nolint\b|#nosec\b|lint:(?:file-)?ignore\b|revive:disable)|\/\*\s*#nosec\b/,
    files: inFiles("go"),
  },
  {
    what: LINTER,
    pattern: /#!?\[(?:cfg_attr\(.*,\s*)?(?:allow|expect)\(/,
    files: inFiles("rs"),
  },
  {
    what: COVERAGE,
    pattern: /#!?\[(?:cfg_attr\(.*,\s*)?(?:coverage\(off\)|no_coverage|tarpaulin::skip)|\/\/\s*grcov-excl/,
    files: inFiles("rs"),
  },
  {
    what: LINTER,
    pattern:
      /@(?:file:)?(?:SuppressWarnings|SuppressFBWarnings|Suppress|SuppressLint)\b\s*(?:\(|$)|\/\/\s*(?:noinspection\b|NOSONAR\b|NOPMD\b|CHECKSTYLE[:.]OFF)|(?:\/\/|\/\*)\s*(?:ktlint-disable|scalastyle:off)/,
    files: JVM,
  },
  {
    what: LINTER,
    pattern: /#\s*(?:rubocop:(?:disable|todo)|standard:disable|steep:ignore|reek:)\b/,
    files: inFiles("rb", "rake"),
  },
  { what: COVERAGE, pattern: /#\s*:nocov:/, files: inFiles("rb") },
  {
    what: LINTER,
    pattern:
      /(?:\/\/|\/\*|\*|#)\s*(?:@phpstan-ignore|@psalm-suppress|@phan-suppress|@phan-file-suppress|phpcs:(?:ignore|disable|ignoreFile)|@phpcs:(?:ignore|disable)|@codingStandardsIgnore|@noinspection\b|@infection-ignore)/,
    files: inFiles("php"),
  },
  { what: COVERAGE, pattern: /@codeCoverageIgnore(?!End)/, files: inFiles("php") },
  {
    what: LINTER,
    pattern:
      /^\s*#pragma\s+warning\s+disable\b|\[(?:assembly:\s*)?SuppressMessage\(|\[UnconditionalSuppressMessage\(|\/\/\s*ReSharper\s+disable\b|^\s*#nullable\s+disable\b/,
    files: inFiles("cs"),
  },
  { what: COVERAGE, pattern: /\[ExcludeFromCodeCoverage\b/, files: inFiles("cs") },
  {
    what: LINTER,
    pattern: /#_\s*\{?:clj-kondo\/ignore\b|:clj-kondo\/ignore\b|\^:clj-reload\/no-lint/,
    files: inFiles("clj", "cljs", "cljc", "bb"),
  },
  {
    what: LINTER,
    pattern: /#\s*(?:credo:disable|sobelow_skip)|@dialyzer\s+(?:\{|:no)|@compile\s+\{?:?nowarn/,
    files: inFiles("ex", "exs"),
  },
  { what: COVERAGE, pattern: /#\s*coveralls-ignore-(?:start|next-line|file)/, files: inFiles("ex", "exs") },
  {
    what: LINTER,
    pattern:
      /\/\/\s*NOLINT(?:NEXTLINE|BEGIN)?\b|#pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored\b|\bLCOV_EXCL_/,
    files: C,
  },
  { what: LINTER, pattern: /#\s*shellcheck\s+disable=/, files: inFiles("sh", "bash", "zsh") },
  {
    what: CANNOT_FAIL,
    pattern:
      /(?<![\w-])(?:test|tests|lint|check|typecheck|tsc|eslint|oxlint|biome|jest|vitest|mocha|playwright|pytest|tox|nox|mypy|pyright|ruff|flake8|pylint|cargo|clippy|go (?:test|vet|build)|golangci-lint|gradlew?|mvnw?|ktlint|rubocop|rspec|rake|phpunit|pest|phpstan|psalm|dotnet|clj-kondo|kaocha|mix|credo|dialyzer|ctest|make)\b[^#]*?(?:\|\||;)\s*(?:true|:|exit 0)(?=\s*(?:$|["'&;)]))/,
    files: (file) => COMMANDS.test(file),
  },
  {
    what: CANNOT_FAIL,
    pattern: /^\s*-?\s*(?:continue-on-error|allow_failure|ignore_errors):\s*(?:true|yes)\b/,
    files: inFiles("yml", "yaml"),
  },
  {
    what: CANNOT_FAIL,
    pattern: /--passWithNoTests\b|--pass-with-no-tests\b/,
    files: (file) => COMMANDS.test(file),
  },
];

const COMMANDS =
  /(?:^|\/)(?:package\.json|Makefile|makefile|GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|composer\.json|bb\.edn|deno\.jsonc?|pyproject\.toml|Cargo\.toml|mix\.exs|Rakefile)$|\.(?:sh|bash|mk|yml|yaml)$/;

function rulesFor(file: string): readonly Rule[] {
  return RULES.filter(({ files }) => files(file));
}

const LONGEST_MARK = 100;

function cut(text: string): string {
  const plain = text.replaceAll("`", "'");
  return plain.length > LONGEST_MARK ? `${plain.slice(0, LONGEST_MARK - 1)}…` : plain;
}

const FIX = 'Remove it and fix what it hides. If it has to stay, answer with "skipped" and the reason.';

function finding(file: PatchedFile["file"], { line }: PatchLine, issue: string): Finding {
  return identify({ file, line, issue, fix: FIX, priority: "high" });
}
