/** How test frameworks of a language write what can be weakened. Every pattern matches one line. */
export interface Language {
  readonly extensions: readonly string[];
  readonly testFile: RegExp;
  /** For languages with code and tests in one file: which files and lines are tests. */
  readonly testsOnly?: { readonly file: RegExp; readonly line: RegExp };
  readonly quotes: string;
  readonly comment: RegExp;
  readonly block?: { readonly open: RegExp; readonly close: RegExp };
  /** Declares a test; its name is the group `name`, or follows as `nameAfter`. */
  readonly test: RegExp;
  readonly nameAfter?: RegExp;
  /** Keeps a test from running, wherever it runs. */
  readonly skip: RegExp;
  /** The same as a statement: after a condition it is about certain machines only. */
  readonly skipCall?: RegExp;
  readonly focus?: RegExp;
  /** The test passes if it fails. */
  readonly inverted?: RegExp;
  readonly assertion: RegExp;
  readonly hollow: RegExp;
  /** An assertion about a value, with it as `subject`, and those that say no more than that there is one. */
  readonly aboutValue?: RegExp;
  readonly aboutPresence?: RegExp;
  /** One test with many inputs: it may replace many tests. */
  readonly table: RegExp;
}

const SLASHES = /^\s*(?:\/\/|\/\*|\*(?!\w))/;
const SLASH_BLOCK = { open: /^\s*\/\*(?!.*\*\/)/, close: /\*\// };
const HASH = /^\s*#(?!\[)/;

const javascript: Language = {
  extensions: ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
  testFile: /(?:^|\/)(?:__tests__|tests?|specs?|e2e|cypress)\/|[.-](?:test|spec|cy|e2e)\.\w+$/i,
  quotes: "\"'`",
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*(?:(?:await|return|void)\s+)?(?:Deno\.test|t\.test|\([^'"`]*\?[^'"`]*\b(?:it|test)\b[^'"`]*\)|[xf]?(?:it|test|specify)(?:(?:\.(?:only|skip|concurrent|sequential|serial|fails|failing|runIf|skipIf)|\[['"](?:only|skip|todo|fails)['"]\])(?:\([^)]*\))?)*)\s*(?:<[^>]*>)?\(\s*(?<quote>['"`])(?<name>.+?)\k<quote>\s*(?:,|$)/,
  skip: /^\s*(?:await\s+)?(?:x(?:it|test|describe|context|specify)\s*\(\s*['"`]|(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|fixme)(?:\.each\b.*)?\s*\(\s*(?:['"`]|true\b|\)|$))|^\s*(?:await\s+)?(?:it|test|describe|suite)(?:\[['"`](?:skip|todo)['"`]\]|\.skipIf\(\s*(?:true|!0|1)\s*\)|\.runIf\(\s*(?:false|!1|0)\s*\)|(?:\.\w+)*\.(?:each|for)\(\s*\[\s*\]\s*\))|[{,]\s*(?:skip|todo):\s*(?:true\b|['"`])/,
  skipCall: /^\s*(?:(?:this|t|ctx|context)\.skip\(|pending\(\s*['"`)])/,
  focus:
    /^\s*(?:await\s+)?(?:f(?:it|describe|context)\s*\(\s*['"`]|(?:it|test|describe|context|suite|specify)(?:\.\w+)*(?:\.only\b|\[['"`]only['"`]\])\s*[(.`])|[{,]\s*only:\s*true\b/,
  inverted: /^\s*(?:it|test|specify)(?:\.\w+)*(?:\.(?:fails|failing)\b|\[['"`]fails['"`]\])/,
  assertion:
    /\b(?:expect|expectTypeOf|assertType)\s*[(.<]|\bassert(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|falsy|throws|throwsAsync|regex|snapshot|equals?|same|strictSame|match|ok|notOk)\(|^\s*\.expect\(/,
  hollow:
    /\bexpect\((?:true|1)\)\.toBeTruthy\(\)|\bexpect\((.+)\)\.to(?:Be|Equal|StrictEqual|MatchObject)\(\1\)|\bexpect\((?:[^()]|\([^()]*\))*\)\s*;|\b(?:expect|assert(?:\.ok)?)\(\s*true\s*\|\||\b(?:expect|assert(?:\.ok)?)\(.*\|\|\s*true\s*\)|\bassert(?:\.ok)?\(true\)|\bassert\.\w*[eE]qual\((.+?),\s*\2\s*\)|(?:^|[^=!])\bfalse\s*&&|\bt\.(?:pass\(|true\(true\))/,
  aboutValue:
    /\bexpect\((?<subject>.+?)\)(?:\.(?:resolves|rejects))?\.to(?:Be|Equal|StrictEqual|MatchObject|MatchInlineSnapshot|HaveLength|BeCloseTo|HaveBeenCalledWith|HaveBeenCalledTimes|Contain|ContainEqual|Match|HaveProperty)\((?!expect\.any)(?!true\b|false\b|undefined\b|null\b)\s*(?=[^\s)])|\bassert\.(?:\w*[eE]qual|is)\((?<actual>(?:[^(),]|\([^()]*\))+),(?!\s*(?:true|undefined)\b)/,
  aboutPresence:
    /\bexpect\((?<subject>.+?)\)(?:\.(?:resolves|rejects))?\.(?:to(?:BeTruthy|BeDefined)\(|not\.to(?:BeNull|BeUndefined|BeFalsy|Throw)\(|to(?:Be|Equal|StrictEqual|MatchObject)\(\s*expect\.any(?:thing)?\()|\bassert(?:\.ok)?\((?<actual>[^=<>]+?)\s*(?:,\s*['"`].*)?\);?\s*(?:\}|$)/,
  table: /\b(?:it|test|describe)(?:\.\w+)*\.each\b|\b(?:for|forEach)\b\s*\(/,
};

const python: Language = {
  extensions: ["py", "pyi"],
  testFile: /(?:^|\/)(?:tests?|testing)\/|(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests|conftest)\.py$/,
  quotes: "\"'",
  comment: HASH,
  block: { open: /^\s*(?:"{3}|'{3})\s*$/, close: /^\s*(?:"{3}|'{3})\s*$/ },
  test: /^\s*(?:async\s+)?def\s+(?<name>test\w*)\s*\(/,
  skip: /^\s*(?:@(?:\w+\.)*(?:skip(?:\(|\s*$)|skip[iI]f\(\s*(?:True|1)\s*[,)]|xfail(?:\(\s*(?:reason|strict|raises|\))|\s*$)|expectedFailure\s*$|nottest\s*$)|(?:pytestmark\s*=\s*)pytest\.mark\.(?:skip|xfail)\b(?!if)|__test__\s*=\s*False\s*$|@(?:\w+\.)*parametrize\(.*,\s*\[\s*\]\s*\))/,
  skipCall: /^\s*(?:pytest\.(?:skip|xfail)\(|self\.skipTest\(|raise\s+(?:unittest\.)?SkipTest\b)/,
  assertion:
    /^\s*assert\b|\bself\.assert\w+\(|\b(?:pytest|self)\.(?:raises|warns|fail)\(|\.assert_(?:\w*called|awaited|has_calls|not_called)\w*\(|\b(?:np|numpy)\.testing\.assert_\w+\(/,
  hollow:
    /^\s*assert\s+(?:True|1|not False)\s*(?:,|$|#)|^\s*assert\s+True\s+or\b|^\s*assert\b.*\bor\s+True\s*(?:,|$|#)|^\s*assert\s+(.+?)\s*==\s*\1\s*(?:,|$|#)|\bself\.assertTrue\(\s*True\s*[,)]|\bself\.assertEquals?\(\s*(.+?),\s*\2\s*\)/,
  aboutValue:
    /^\s*assert\s+(?<subject>.+?)\s*(?:==|is(?!\s+not\b)|in|<=?|>=?)\s*(?!None\b|True\b)\S|\bself\.assert(?:Equals?|ListEqual|DictEqual|AlmostEquals?|In|Is)\((?<actual>(?:[^(),]|\([^()]*\))+),/,
  aboutPresence:
    /^\s*assert\s+(?<subject>.+?)(?:\s+is\s+not\s+None|\s*!=\s*None)?\s*(?:,\s*["'].*|#.*)?$|^\s*assert\s+isinstance\((?<instance>.+?),[^,]+\)\s*$|\bself\.assert(?:True|IsNotNone)\((?<actual>.+?)\)\s*$/,
  table: /parametrize|subTest\(|^\s*for\s/,
};

const go: Language = {
  extensions: ["go"],
  testFile: /_test\.go$/,
  quotes: '"`',
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*(?:func\s+(?:\([^)]*\)\s*)?(?<name>(?:Test|Example|Fuzz)\w*)\s*\(|\w+\.Run\(\s*(?<quote>["`])(?<title>.+?)\k<quote>\s*,)/,
  skip: /^\s*\/\/\s*(?:go:build|\+build)\s+ignore\b/,
  skipCall: /^\s*(?:t|s\.T\(\)|suite\.T\(\)|GinkgoT\(\))\.Skip(?:f|Now)?\(/,
  focus: /^\s*(?:FIt|FDescribe|FContext|FSpecify|FEntry)\(/,
  assertion:
    /\bt\.(?:Errorf?|Fatalf?|Fail|FailNow)\((?!(?:.*[\s,(])?err\))|\b(?:assert|require)\.(?!NoError\b)\w+\(|\bis\.\w+\(|\bExpect\(|\bcheck\w*\(t,/,
  hollow:
    /\b(?:assert|require)\.True\(t,\s*true\b|\bt\.Logf?\(|\b(?:assert|require)\.Equal\(t,\s*(.+?),\s*\1\s*\)/,
  aboutValue:
    /\b(?:assert|require)\.(?:Equal|EqualValues|Len|Contains|ElementsMatch|JSONEq)\(t,\s*(?:.+?,\s*)?(?<subject>\w[\w.]*(?:\(.*?\))?)\s*\)/,
  aboutPresence: /\b(?:assert|require)\.Not(?:Nil|Empty|Zero)\(t,\s*(?<subject>.+?)\s*\)\s*$/,
  table: /\.Run\(\s*\w+(?:\.\w+)*\s*,|\brange\s+(?:tests?|cases|tcs?|testCases|tt)\b/i,
};

const rust: Language = {
  extensions: ["rs"],
  testFile: /\.rs$/,
  testsOnly: { file: /(?:^|\/)tests\/|(?:^|[/_])tests\.rs$/, line: /#\[(?:\w+::)*test\b|\bmod\s+tests?\b/ },
  quotes: '"',
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)(?:\]|\(|\s*$)/,
  nameAfter: /\bfn\s+(?<name>\w+)/,
  skip: /^\s*#\[ignore\b|^\s*#!?\[cfg\(any\(\)\)\]/,
  inverted: /^\s*#\[should_panic\b/,
  assertion: /\b(?:debug_|prop_)?assert(?:_\w+)?!\s*[([{]|\.assert\(\)/,
  hollow: /\bassert!\(\s*true\b|\bassert!\(.*\|\|\s*true\s*\)|\bassert_eq!\(\s*(.+?),\s*\1\s*\)/,
  table: /#\[(?:case|values)\b|rstest|test_case/,
};

const jvm: Language = {
  extensions: ["java", "kt", "kts", "groovy", "scala"],
  testFile: /(?:^|\/)(?:tests?|\w*Test|integrationTest)\/|(?:Tests?|TestCase|IT|Spec)\.\w+$/,
  quotes: '"',
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*(?:@(?:\w*Test|TestFactory)\b|public\s+void\s+(?<name>test\w*)\s*\(|(?:def|should|test)\s*\(?\s*(?<quote>")(?<title>.+?)\k<quote>\s*\)\s*\{?)/,
  nameAfter: /\b(?:void|fun|def)\s+(?<name>`[^`]+`|\w+)\s*\(/,
  skip: /^\s*@(?:\w+:)?(?:Ignore|Disabled|PendingFeature)\b\s*(?:[(@a-z]|$)|^\s*@Test\(.*enabled\s*=\s*false|^\s*x(?:it|test|describe|should|context)\s*\(\s*"/,
  skipCall:
    /^\s*(?:(?:Assume|Assumptions)\.)?(?:assumeTrue\(\s*false\b|assumeFalse\(\s*true\b|assumeThat\(\s*true\b)/,
  focus: /^\s*@IgnoreRest\b/,
  assertion:
    /\b(?:assert\w*|verify\w*|expect\w*|fail)\s*[({<]|\bshould\w+\b|\.(?:isEqualTo|isTrue|isFalse|isNull|hasSize|containsExactly)\(/,
  hollow:
    /\bassertTrue\(\s*true\s*\)|\bassertThat\(\s*true\s*\)\.isTrue\(\)|\bassertEquals\(\s*(.+?)\s*,\s*\1\s*\)/,
  aboutValue:
    /\bassert(?:Equals|ArrayEquals|Same)\(.+?,\s*(?<subject>.+?)\s*\);|\bassertThat\((?<actual>.+?)\)\.(?:isEqualTo|hasSize|contains\w*)\(/,
  aboutPresence:
    /\bassertNotNull\(\s*(?<subject>.+?)\s*\);|\bassertThat\((?<actual>.+?)\)\.is(?:NotNull|NotEmpty)\(/,
  table: /@ParameterizedTest|@MethodSource|@ValueSource|@CsvSource|\bwhere:|\bfor\s*\(|forEach/,
};

const ruby: Language = {
  extensions: ["rb", "rake"],
  testFile: /(?:^|\/)(?:tests?|spec|features)\/|_(?:test|spec)\.rb$/,
  quotes: "\"'",
  comment: HASH,
  block: { open: /^=begin\b/, close: /^=end\b/ },
  test: /^\s*(?:(?:[xf]?(?:it|specify|scenario|example)|test|should|its)\s*\(?\s*(?<quote>['"])(?<name>.+?)\k<quote>|def\s+(?<title>test_\w+[?!]?))/,
  skip: /^\s*x(?:it|describe|context|specify|scenario|test|example)\b|^\s*(?:it|describe|context|specify|scenario|RSpec\.describe)\b.*,\s*(?::(?:skip|pending)\b|(?:skip|pending):\s*(?:true|['"]))/,
  skipCall: /^\s*(?:skip|pending)(?:\s*\(?\s*['"].*|\s*(?:\}|end)?\s*)$/,
  focus:
    /^\s*f(?:it|describe|context|specify|example)\b\s|^\s*(?:it|describe|context|specify|RSpec\.describe)\b.*,\s*(?::focus\b|focus:\s*true)/,
  assertion:
    /\bexpect\s*[({](?!.*\.to(?:_not)?\s+receive)|\b(?:assert|refute)\w*[\s(!]|\.should(?:_not)?\b|\bis_expected\b|\.(?:must|wont)_\w+/,
  hollow: /\bassert\s*\(?\s*true\s*\)?\s*$|\bexpect\(true\)\.to\s+(?:be|eq|be_truthy)\b/,
  table: /\.each\b|\.each_with_index\b/,
};

const php: Language = {
  extensions: ["php"],
  testFile: /(?:^|\/)tests?\/|Test\.php$/i,
  quotes: "\"'",
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*(?:(?<=\s)(?:(?:public|final|static)\s+)*function\s+(?<name>test\w*)\s*\(|(?:it|test)\(\s*(?<quote>['"])(?<title>.+?)\k<quote>)/,
  skip: /->(?:skip|todo)\(\s*(?:['")]|$)/,
  skipCall: /^\s*(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)\(/,
  focus: /->only\(\)/,
  assertion:
    /(?:\$this->|self::|static::|Assert::)(?:assert|expectException|expectOutput)\w*\(|\bexpect\(|@expectedException/,
  hollow: /assertTrue\(\s*true\s*[,)]|\bexpect\(true\)->toBeTrue\(\)/i,
  table: /dataProvider|TestWith|->with\(|foreach\s*\(/i,
};

const csharp: Language = {
  extensions: ["cs", "fs", "vb"],
  testFile: /(?:^|\/)[^/]*tests?(?:\.[^/]*)?\/|(?:Tests?|Specs?|Facts)\.\w+$/i,
  quotes: '"',
  comment: SLASHES,
  block: SLASH_BLOCK,
  test: /^\s*\[(?:Fact|Theory|Test|TestMethod|DataTestMethod|TestCase)\b[^\]]*\]/,
  nameAfter: /\b(?:void|Task(?:<[^>]+>)?|ValueTask)\s+(?<name>\w+)\s*\(/,
  skip: /^\s*\[(?:Fact|Theory)\(.*\bSkip\s*=|^\s*\[(?:.*,\s*)?(?:Ignore|Explicit)\b(?:\(|\]|,)/,
  skipCall: /^\s*(?:Assert\.(?:Ignore|Inconclusive)|Skip\.Always)\(/,
  assertion: /\bAssert\.(?!Ignore|Inconclusive)\w+|\bXAssert\.|\.Should(?:\w*)\(|\.Verify\w*\(/,
  hollow: /\bAssert\.(?:True|IsTrue)\(\s*true\s*[,)]/,
  table: /\[(?:InlineData|MemberData|ClassData|TestCase|DataRow|TestCaseSource)\b|\bforeach\b/,
};

const clojure: Language = {
  extensions: ["clj", "cljs", "cljc", "bb"],
  testFile: /(?:^|\/)tests?\/|_(?:test|spec)\.\w+$/,
  quotes: '"',
  comment: /^\s*;/,
  test: /^\s*\((?:\w+\/)?(?:deftest|defspec|defflow)-?\s+(?:\^\S+\s+)*(?<name>[^\s^()]+)/,
  skip: /^\s*#_\s*(?:$|\((?:\w+\/)?(?:deftest|testing|is|are)\b)|\((?:\w+\/)?deftest\s+.*\^\{?:?(?:kaocha\/)?(?:skip|ignore|pending)\b/,
  focus: /\((?:\w+\/)?deftest\s+.*\^:(?:kaocha\/)?focus\b/,
  assertion: /\((?:\w+\/)?(?:is|are|expect|thrown\?|match\?)[\s)]/,
  hollow: /\((?:\w+\/)?is\s+(?:true|\(=\s+1\s+1\))\s*\)/,
  table: /\((?:\w+\/)?(?:are|doseq)\b/,
};

const elixir: Language = {
  extensions: ["ex", "exs"],
  testFile: /(?:^|\/)test\/|_test\.exs$/,
  quotes: '"',
  comment: HASH,
  test: /^\s*(?:test|property|feature)\s*\(?\s*"(?<name>.+?)"/,
  skip: /^\s*@(?:tag|moduletag|describetag)\s+(?::skip\b|skip:|\[skip:|:pending\b|pending:)/,
  assertion: /^\s*(?:assert|refute)\w*\b|\|>\s*(?:assert|refute)\w*|=\s*assert\w*\b/,
  hollow: /^\s*assert\s*\(?\s*(?:true|1 == 1)\s*\)?\s*$/,
  table: /^\s*for\s.*<-|Enum\.each/,
};

const LANGUAGES = [
  javascript,
  python,
  go,
  rust,
  jvm,
  ruby,
  php,
  csharp,
  clojure,
  elixir,
] as const satisfies readonly Language[];

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language: Language) => language.extensions.map((extension) => [extension, language])),
);

export function languageOf(file: string): Language | undefined {
  return BY_EXTENSION.get(extensionOf(file));
}

export function extensionOf(file: string): string {
  return /\.([^./]+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
}

export function isForeign(file: string): boolean {
  return FOREIGN.test(file);
}

const FOREIGN_DIRECTORIES = "node_modules vendor third_party dist build deps .venv venv Pods".split(" ");

const FOREIGN = new RegExp(
  String.raw`(?:^|/)(?:${FOREIGN_DIRECTORIES.join("|").replaceAll(".", String.raw`\.`)})/|\.min\.\w+$|\.pb\.go$|_pb2?\.py$|\.g\.cs$|\.generated\.\w+$`,
);

/** Leaves such files out of a patch. A test moved there counts as deleted: no runner finds it. */
export const NOT_FOREIGN: readonly string[] = [
  ...FOREIGN_DIRECTORIES.map((name) => `:(exclude,glob)**/${name}/**`),
  ":(exclude)*.generated.*",
  ":(exclude)*.min.*",
];
