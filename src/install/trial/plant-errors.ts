import type { DetectedCheck } from "../detect/project.ts";

/** What a check is meant to find. */
export type Kind = "format" | "lint" | "types" | "test";

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["format", /(?:^|-)format$/],
  ["lint", /(?:^|-)(?:lint|vet|analyse)$/],
  ["types", /(?:^|-)(?:typecheck|types)$/],
  ["test", /(?:^|-)(?:tests?|unit)$/],
];

export function kindOf({ name }: Pick<DetectedCheck, "name">): Kind | undefined {
  return KINDS.find(([, names]) => names.test(name))?.[0];
}

/** A line with an error, at the top of a file or at its end. */
export interface Plant {
  readonly file: string;
  readonly line: string;
  readonly isFirst: boolean;
}

/**
 * The errors that a check of this kind must find: in every file that it may read, so that one which stays green reads none.
 * Files that tools load before they check anything are left alone: a broken one would turn every check red.
 */
export function plantsFor(kind: Kind, files: readonly string[]): readonly Plant[] {
  const sources = files.filter((file) => !LOADED_BY_TOOLS.test(file));
  const tests = sources.filter((file) => TEST.test(file));
  const read = kind === "test" && tests.length > 0 ? tests : sources;
  return read.flatMap((file) => plantIn(file, kind) ?? []);
}

function plantIn(file: string, kind: Kind): Plant | undefined {
  const extension = /\.(\w+)$/.exec(file)?.[1] ?? "";
  const language = LANGUAGES.find(({ extensions }) => extensions.test(extension));
  if (language === undefined || /\.d\.[cm]?ts$/.test(file)) return undefined;
  const line = {
    format: language.unformatted,
    types: language.mistyped,
    lint: NO_PROGRAM,
    test: language.failing ?? NO_PROGRAM,
  }[kind];
  const isFirst = kind === "test" && language.failing !== undefined && !language.isTextFirst;
  return line === undefined ? undefined : { file, line, isFirst };
}

/** No program in any language. */
const NO_PROGRAM = ")]} planted by agent-gauntlet";

interface Language {
  readonly extensions: RegExp;
  readonly unformatted?: string;
  readonly mistyped?: string;
  /** Fails when it is run; without it a test is broken by what is no program. */
  readonly failing?: string;
  /** What stands before the program is text, and no error. */
  readonly isTextFirst?: true;
}

const LANGUAGES: readonly Language[] = [
  {
    extensions: /^[cm]?tsx?$/,
    unformatted: "const   planted   =   [1,2 ,3 ]   ;",
    mistyped: 'const planted_by_agent_gauntlet: number = "no number";',
    failing: 'throw new Error("planted by agent-gauntlet");',
  },
  {
    extensions: /^[cm]?jsx?$/,
    unformatted: "const   planted   =   [1,2 ,3 ]   ;",
    failing: 'throw new Error("planted by agent-gauntlet");',
  },
  {
    extensions: /^pyi?$/,
    unformatted: "planted   =   [ 1,2 ,3 ]",
    mistyped: 'planted_by_agent_gauntlet: int = "no number"',
    failing: 'raise RuntimeError("planted by agent-gauntlet")',
  },
  { extensions: /^go$/, unformatted: "var   planted   =   [ ]int { 1,2 ,3 }" },
  { extensions: /^rs$/, unformatted: "pub  fn   planted ( )  { }" },
  { extensions: /^(?:rb|rake)$/, failing: 'raise "planted by agent-gauntlet"' },
  { extensions: /^(?:t|pl|pm)$/, failing: 'die "planted by agent-gauntlet";' },
  { extensions: /^php$/, failing: 'throw new \\Exception("planted by agent-gauntlet");', isTextFirst: true },
  { extensions: /^(?:c|cc|cpp|cxx|h|hpp|java|kt|kts|scala|swift|zig|cs|fs|exs?|erl|hs|clj[cs]?|dart|lua)$/ },
  { extensions: /^(?:sh|bash|bats|vue|svelte|astro|s?css|less)$/ },
];

const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|t)\/|(?:^|\/)test_[^/]*\.py$|(?:^|[._-])(?:test|tests|spec)\.\w+$|_test\.\w+$|Tests?\.\w+$/;

const LOADED_BY_TOOLS =
  /(?:^|\/)(?:\.|(?:scripts?|tools|bin|build|vendor|third_party|node_modules|fixtures|testdata)\/)|\.config\.\w+$|\.setup\.\w+$|(?:^|\/)(?:setup\.py|conftest\.py|noxfile\.py|build\.rs|build\.zig|[gG]ulpfile\.\w+|Gruntfile\.\w+|mix\.exs|__init__\.py|(?:test|spec)_helper\.rb|[^/]*setup[^/]*\.[cm]?[jt]s)$/;
