/**
 * Lines of a log that belong to no failure, by shape: labelled by hand from the recordings, not from what a digest shows. What is left
 * of a digest when they and our own sentences are taken away is what belongs to a failure: its place, name, message, values, frames
 * and output.
 */
const PADDING: readonly RegExp[] = [
  // Echoes of commands, and package managers about themselves.
  /^(?:> \S|\$ \S|\+ \S|npm (?:warn|notice|error|ERR!|verb|info)\b|yarn (?:run|install) v|pnpm:? |info Visit https|Done in \d|Scope: \d|Lockfile is|WARN\s+(?:Issue|deprecated|Local package)|\s*ELIFECYCLE|\s*ERR_PNPM|error Command failed with exit code|Lifecycle script|To update run|bun test v|yarn test)/i,
  // Tests that passed, began, or were skipped.
  /^\s*(?:✓|✔|√|ok \d|PASS(?:ED)?\b|\[ *(?:RUN|OK|PASSED|SKIPPED|-+|=+) *\]|\(pass\)|\(skip\)|--- (?:PASS|SKIP)|=== (?:RUN|CONT|PAUSE|NAME)|# Subtest:|#? ?(?:Looks like|Done)|Start \d+: |test \S.* \.\.\. (?:ok|ignored)|\S+ (?:\.{3} ok|PASSED)|\S.* (?:has passed|\.{3,} ?(?:Passed|ok)\b.*))/,
  // Counts, durations, progress.
  /^\s*(?:[=✖✗×#ℹ*-]+ )?(?:\d+ (?:of \d+ )?(?:tests?|passed|passing|failed|failing|failures?|errors?|warnings?|problems?|pass|fail|skipped|pending|examples?|specs?|scenarios?|steps?|features?|assertions?|expect\(\)|files?|suites?|runs|success(?:es)?|offenses?|violations?|issues?)\b|(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$)/i,
  /^\s*(?:Test Files|Tests|Test Suites|Snapshots|Start at|Duration|Time|Ran all|Total|Total time|Ran \d|Found \d|Finished|Checked \d|Took|Tests run|Test run|Randomized|Seed|Run (?:started|options)|Summary|test result|test cases|Result|Score|Code coverage|Execution time|Time taken|Elapsed|Memory|OK|FAIL|FAILED|FAILURES!?|ERRORS!?|PASS|BUILD (?:FAILED|SUCCESSFUL)|exit status)\b[^"']{0,120}$/i,
  /^\s*\d+\.\.\d+\s*$|^TAP version|^\s*duration_ms|^\s*type: '\w+'$|^\s*failureType|^\s*(?:---|\.\.\.)$|^\s*stack: \|-|^\s*(?:code|name|operator|location): '|^\s*\(?\d+(?:\.\d+)? ?(?:ms|s)\)?$|\b(?:took|in) \d[\d.]* ?m?s(?:econds)?\.?$/,
  // Rules, progress, headings without a name.
  /^[\s=\-_~─━⎯*.+#|·•✗✓FEPSs]*$|^\s*[-=_⎯─━]{3,}.*[-=_⎯─━]{3,}$|⎯\[\d+\/\d+\]⎯/,
  /^\s*(?:Failed Tests|failing tests|Failures|Errors|failures|FAILURES|Summary of all failing tests|short test summary info|Failed examples|Failing scenarios|Tests failed|The following tests FAILED|Failed tests|failed tests)\b.{0,20}:?\s*$/i,
  // Builds and runners about their steps.
  /^\s*(?:Compiling|Building|Running|Entering|Leaving|Test project|Testing|Buildfile|Created|\[mkdir\]|Downloading|Downloaded|Resolving|Loading|Starting|Checking|Collecting|collected|rootdir|plugins|platform|cachedir|configfile|asyncio|Consolidate|Dependencies file|Scanning|Linking|Built target|\[ *\d+%\]|g?make\[?\d*\]?:|make: |ninja: |cd \S+ &&|\/usr\/bin\/|Internal ctest|Blocking waiting|warning: build failed, waiting|error: could not compile|error: test failed, to rerun|error: aborting due to|For more information about|note: run with `RUST_BACKTRACE|RUN\s+v|Using |Nx |Tasks:|Cached:|• |Packages in scope|Determining|Restore|Reading)/,
  /^\s*(?:Run with|Rerun|To rerun|Re-run|Stopped after|See |More info|For more|Learn more|Full report|Report|Visit|https?:\/\/|A complete log|Use `|Hint: run|help: run|Thank you|Oh no!|All done|No fixes|Code scanned|Run metrics|Test results:|Undefined: |Low: |Medium: |High: )/,
  // Frames of runtimes, frameworks and libraries.
  /^\s*(?:at |from |#\d+ |› |❯ |in )?.*(?:node:internal|node_modules|node:async_hooks|java\.base|jdk\.internal|site-packages|clojure\.(?:test|core|lang|main)|org\.junit|\/rustc\/|<anonymous>|<frozen|ext:|\(native\)|phpunit\.phar|vendor\/)/,
  /^\s*(?:Promise \(<anonymous>\)|new Promise|Array\.map \()/,
];

/** Our own sentences: neither a failure's nor padding. */
const OURS =
  /^(?:(?:\d+ problems?|\d+ errors?|\d+ failing tests?|\d+ warnings?)\b.*:.*|Since the last attempt: .*|The tool counts .*|What else the log says:|Also in the log:|Same failures? as before:|Full log: .*|\[…\]|… and \d+ more.*|\d+ more problems? (?:was|were) there before .*)$/;

/** Of a digest's characters, those that belong to a failure, and all of them but our own sentences. */
export function usefulShare(digest: string): { readonly useful: number; readonly of: number } {
  const seen = new Set<string>();
  let useful = 0;
  let of = 0;
  for (const line of digest.split("\n")) {
    if (OURS.test(line)) continue;
    const text = line.trim();
    const isRepeat = text.length > 20 && seen.has(text);
    seen.add(text);
    of += line.length + 1;
    if (text !== "" && !isRepeat && !PADDING.some((shape) => shape.test(line))) useful += line.length + 1;
  }
  return { useful, of };
}
