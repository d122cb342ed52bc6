/** Whether a line of a log tells nothing of a failure: what runners and package managers say about themselves, passing tests, counts, times, rules. */
export function isNoise(line: string): boolean {
  return line.length < LONGEST_LOOKED_AT && NOISE.some((shape) => shape.test(line)) && !REAL_ERROR.test(line);
}

/** Whether it echoes a command, or a package manager tells about itself in it. */
export function isEcho(line: string): boolean {
  return ECHOES.some((shape) => shape.test(line)) && !REAL_ERROR.test(line);
}

const LONGEST_LOOKED_AT = 400;

/** npm says its own failures in the same words as its advice. */
const REAL_ERROR = /^npm (?:error|ERR!) (?:Missing script|code E|404|4\d\d|syscall|path|notarget|could not)/i;

const ECHOES: readonly RegExp[] = [
  /^(?:> \S|\$ \S|\+ \S|npm (?:warn|notice|error|ERR!|verb|info)\b|yarn (?:run|install) v|pnpm:? |info Visit https|Done in \d|Scope: \d|Lockfile is|To update run|bun test v|Lifecycle script|error Command failed with exit code)/i,
  /^\s*(?:ELIFECYCLE|ERR_PNPM_RECURSIVE|WARN\s+(?:Issue|deprecated|Local package))/,
];

const NOISE: readonly RegExp[] = [
  ...ECHOES,
  // Tests that passed, began or were skipped.
  /^\s*(?:✓|✔|√|﹣|ok \d|PASS(?:ED)?\b|\[ *(?:RUN|OK|PASSED|SKIPPED|-+|=+) *\]|\[ {2}FAILED {2}\] \d+ test|Running main\(\) from|\((?:pass|skip)\)|--- (?:PASS|SKIP)|=== (?:RUN|CONT|PAUSE|NAME)|# Subtest:|Start \d+: |\S.* has passed)/,
  /^\S+ PASSED\b|^(?:test )?\S.* \.{3,} ?(?:ok|ignored|Passed)\b/,
  // Counts, times, progress.
  /^\s*(?:[=✖✗×#ℹ*-]+ )?\d+ (?:of \d+ )?(?:tests?|passed|passing|failed|failing|failures?|errors?|warnings?|problems?|pass|fail|skipped|pending|examples?|specs?|scenarios?|steps?|features?|assertions?|expect\(\)|files?|suites?|runs|success(?:es)?|offenses?|violations?|issues?)\b/i,
  /^\s*[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/,
  /^\s*(?:Test Files|Tests|Test Suites|Test cases|Snapshots|Start at|Duration|Time|Total|Total time|Ran all|Ran \d+|Found \d+|Finished|Checked \d+|Took|Tests run|Randomized|Seed|test result|Elapsed|Execution time|Memory):?\s[^"']{0,120}$/i,
  /^\s*(?:FAIL(?:ED|URES!?)?|ERRORS!?|OK|BUILD (?:FAILED|SUCCESSFUL)|exit status \d+)(?: \(.*\))?$/,
  /^\s*\d+\.\.\d+\s*$|^TAP version|^\s*duration_ms|^\s*type: '\w+'$|^\s*failureType|^\s*(?:---|\.\.\.)$|^\s*stack: \|-|^\s*\(?\d+(?:\.\d+)? ?(?:ms|s)\)?$/,
  // Rules, and headings without a name.
  /^[\s=\-_~─━⎯*.+#|·•✗✓]*$|^\s*[-=_⎯─━]{3,}.*[-=_⎯─━]{3,}$|⎯\[\d+\/\d+\]⎯/,
  /^\s*(?:Failed Tests|failing tests|Failures|Errors|FAILURES|Summary of all failing tests|short test summary info|Failed examples|Failing scenarios|The following tests FAILED)\b.{0,12}:?\s*$/i,
  // The steps of builds and runners.
  /^\s*(?:Compiling|Entering|Leaving|Test project|Buildfile|\[mkdir\]|Downloading|Downloaded|Resolving|Collecting|collected \d|rootdir|plugins|platform \w|cachedir|configfile|Scanning|Linking|Built target|\[ *\d+%\]|Internal ctest|Blocking waiting|RUN\s+v\d|Packages in scope|Cached:|Tasks:)/,
  /^warning: build failed, waiting|^error: (?:could not compile|test failed, to rerun|aborting due to)|^For more information about|^note: run with `RUST_BACKTRACE|^(?:g?make(?:\[\d+\])?|ninja): (?:Entering|Leaving|\*\*\*.*Error \d+)/,
  /^\s*(?:# )?(?:Rerun|To rerun|Re-run|More info|For more|Learn more|Visit|A complete log|Looks like you|Thank you|Oh no!|All done|https?:\/\/)/,
  // Frames of runtimes and libraries.
  /\bnode:(?:internal\/|async_hooks:)|^\s*(?:at|from|#\d+|›|❯|in) .*(?:node_modules|java\.base|jdk\.internal|site-packages|\/rustc\/|<frozen|phpunit\.phar)|^\s*at .*\(<anonymous>\)$/,
];

/** Whether a line shows the source at a problem's place, or marks it: `> 12 | code`, `   | ^^^`. */
export function isSource(line: string): boolean {
  return /^\s*>?\s*(?:\d+ ?|\s)[|│╵]/.test(line);
}
