/**
 * POSIX shell, because a hook may be started where nothing else exists. It decides by name and arguments whether it is asked to check, to edit, to
 * install, or to run a script of the project (which it then does, with the real program).
 */
export function stubScript(directory: string): string {
  const here = `'${directory.replaceAll("'", String.raw`'\''`)}'`;
  return SCRIPT.replace("@HERE@", () => here).replaceAll("@{", "${");
}

/** `@{` is the shell's `${`. */
const SCRIPT = String.raw`#!/bin/sh
here=@HERE@
name=@{0##*/}
case "$0" in */node_modules/.bin/*) shown="npx $name" ;; */.venv/bin/*) shown=".venv/bin/$name" ;; *) shown=$name ;; esac
PATH="$here/stubs:$here/rest"; export PATH
mode=$(cat "$here/mode" 2>/dev/null)

note() {
  kind=$1; shift
  { printf '%s\037%s\037%s\037' "$kind" "$shown" "$PWD"; for word in "$@"; do printf '%s\037' "$word"; done; printf '\036'; } >> "$here/calls"
}

real() {
  program=$1; shift
  [ -x "$here/rest/$program" ] && exec "$here/rest/$program" "$@"
  note absent "$program"
  echo "$program: not installed on this machine" >&2
  exit 127
}

# A file among the arguments that is a part of the hook: it runs for real. Other scripts of the project are checks.
script_in() {
  for word in "$@"; do
    case "$word" in
      -c|-e|-|--eval|-p) return 0 ;;
      *.test.*|*.spec.*|*_test.*) return 1 ;;
      *.claude/*|*.codex/*|*.gemini/*|*.cursor/*|*hooks/*) [ -f "$word" ] && return 0 ;;
      *.*) [ -f "$word" ] && grep -qxF "@{word##*/}" "$here/own" && return 0 ;;
    esac
  done
  return 1
}

[ "$name" = corepack ] && [ $# -gt 0 ] && { name=$1; shift; }

case "$name" in
  python|python3|node|php|ruby|perl|java)
    [ $# -eq 0 ] && real "$name"
    if script_in "$@"; then real "$name" "$@"; fi ;;
esac

case "$name $*" in
  *agent-gauntlet*) [ "$name" = npx ] && exec "$here/rest/agent-gauntlet" $(printf '%s ' "$@" | sed 's/.*agent-gauntlet//') ;;
  "npx tsx "*|"npx -y tsx "*|"npx --yes tsx "*|"npx ts-node "*|"bunx tsx "*|"pnpm tsx "*|"pnpm exec tsx "*|"yarn tsx "*)
    if script_in "$@"; then
      while [ "$1" != tsx ] && [ "$1" != ts-node ]; do shift; done
      real "$@"
    fi ;;
  "bun run "*.*|"bun "*.ts*|"bun "*.js*|"bun "*.mjs*|"deno run "*) if script_in "$@"; then real "$name" "$@"; fi ;;
  "uv run "*|"uvx "*|"poetry run python"*|"rye run python"*)
    if [ "$2" != pytest ] && script_in "$@"; then
      case " $* " in *" -m "*) ;; *) while [ $# -gt 0 ]; do case "$1" in *.py) real python3 "$@" ;; esac; shift; done ;; esac
    fi ;;
esac

passes() { note setup "$@"; exit 0; }
case "$name $*" in
  *" --version"*|*" -V"|*" -v"|*" --help"*|*" help"|"go version"*|"go env"*|"go list"*|"go tool "*" --help"*) passes "$@" ;;
  "npm ci"*|"npm i"|"npm i "*|*" install"|*" install "*|"yarn"|"yarn --frozen"*|"yarn --immutable"*|"npm root"*|"npm bin"*|"npm prefix"*|"npm pkg "*|"npm ls"*|"npm config"*) passes "$@" ;;
  "uv sync"*|"uv lock"*|"uv venv"*|"uv pip "*|"poetry lock"*|"poetry env"*|"poetry check"*|"pip "*|"pip3 "*|"bundle check"*|"composer dump"*|"composer update"*) passes "$@" ;;
  "go mod download"*|"cargo fetch"*|"cargo metadata"*|"cargo locate"*|"rustup "*|"mix deps"*|"direnv "*|"mise "[!rt]*|"nix "*" flake metadata"*) passes "$@" ;;
  "make -n"*|"make -q"*|"make --dry"*|"make -qp"*|"just --list"*|"just --summary"*|"just --show"*|"just -l"*|"task --list"*|"gh "*|"glab "*|"docker ps"*|"docker info"*|"docker inspect"*|"docker compose ps"*|"docker compose up"*|"docker-compose ps"*) passes "$@" ;;
esac

edits() {
  for word in "$@"; do case "$word" in --check*|--diff|--dry-run|-l|--list-different|-c|--lint) return 1 ;; esac; done
  for word in "$@"; do case "$word" in --write|--fix|--fix=*|-w|--apply|--apply-unsafe|--in-place|-i|--autocorrect|--autocorrect-all|-A|--unsafe-fixes) return 0 ;; esac; done
  case "$name $*" in
    "black "*|"isort "*|"rustfmt "*|"cargo fmt"*|"ruff format"*|*" ruff format"*|*" black "*|"terraform fmt"*|"mix format"*|"dart format"*|"swiftformat "*|"php-cs-fixer fix"*|*"/pint"|"pint"*|"phpcbf"*|"gofumpt -w"*|"go fmt"*|"stylua "*|"dotnet format"*) return 0 ;;
    *" run format"|*" run fmt"|*" format:fix"*|*" format:write"*|*" lint:fix"*|*" run fix"|*" lint --fix"*|*" -- --fix"*|"make format"|"make fmt"|"make fix"|"just fmt"|"just format"|"pnpm format"|"yarn format"|"pnpm fmt"|"pnpm lint:fix"|"yarn lint:fix"|*":fix") return 0 ;;
  esac
  return 1
}

if edits "$@"; then
  note fixer "$@"
  done=
  for word in "$@"; do [ -f "$word" ] && printf '\n' >> "$word" && done=1; done
  if [ -z "$done" ]; then read -r file < "$here/changed" && [ -f "$file" ] && printf '\n' >> "$file"; fi
  case "$name $*" in *lint*|*"check --"*|*" check "*) ;; *) exit 0 ;; esac
else
  note check "$@"
fi

[ "$mode" = pass ] && exit 0

plain() {
  case "$name $*" in
    *tsc*|*typecheck*|*type-check*|*check-types*|*tsgo*)
      echo "src/app.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'."
      echo "src/app.ts(20,3): error TS2304: Cannot find name 'total'." ;;
    *eslint*|*" lint"*|*oxlint*|*biome*|*lint:*)
      echo; echo "$PWD/src/app.ts"; echo "  12:7  error  'total' is assigned a value but never used  no-unused-vars"; echo
      echo "1 problem (1 error, 0 warnings)" ;;
    *prettier*|*format*)
      echo "Checking formatting..."; echo "[warn] src/app.ts"; echo "[warn] Code style issues found in the above file. Run Prettier with --write to fix." ;;
    *pytest*|*unittest*|*tox*|*nox*)
      echo "=================================== FAILURES ==================================="
      echo "_________________________________ test_total __________________________________"
      echo "    def test_total():"; echo ">       assert total([1, 2]) == 3"; echo "E       assert 2 == 3"; echo
      echo "tests/test_app.py:5: AssertionError"
      echo "FAILED tests/test_app.py::test_total - assert 2 == 3"; echo "============================== 1 failed in 0.02s ==============================" ;;
    *mypy*|*pyright*) echo "src/app.py:12: error: Incompatible return value type (got str, expected int)  [return-value]"; echo "Found 1 error in 1 file (checked 1 source file)" ;;
    *ruff*|*flake8*|*pylint*) echo "src/app.py:12:5: F841 Local variable total is assigned to but never used"; echo "Found 1 error." ;;
    "cargo fmt"*|rustfmt*) echo "Diff in $PWD/src/lib.rs at line 12:"; echo "-fn total( ) {}"; echo "+fn total() {}" ;;
    cargo*test*) echo "running 1 test"; echo "test tests::total ... FAILED"; echo; echo "---- tests::total stdout ----"; echo "thread 'tests::total' panicked at src/lib.rs:12:9:"; echo "test result: FAILED. 0 passed; 1 failed" ;;
    cargo*) echo "error[E0308]: mismatched types"; echo "  --> src/lib.rs:12:5"; echo "error: could not compile due to 1 previous error" ;;
    gofmt*|goimports*|gofumpt*) echo "app.go" ;;
    "go vet"*) echo "./app.go:12:2: unreachable code"; echo "vet: 1 problem" ;;
    go*) echo "--- FAIL: TestTotal (0.00s)"; echo "    app_test.go:12: got 2, want 3"; echo "FAIL"; echo "FAIL	example.com/app	0.012s" ;;
    golangci-lint*|staticcheck*) echo "app.go:12:2: ineffectual assignment to total (ineffassign)" ;;
    make*|gmake*) echo "src/app.c:12:5: error: expected 3, got 2"; echo "make: *** [Makefile:7: @{1:-all}] Error 1" ;;
    just*) echo "tests failed: 1"; echo "error: Recipe @{1:-default} failed on line 7 with exit code 1" ;;
    mvn*|gradle*|*gradlew*|*mvnw*) echo "[ERROR] AppTest.total:12 expected: <3> but was: <2>"; echo "[ERROR] Tests run: 1, Failures: 1"; echo "BUILD FAILURE"; echo "FAILURE: Build failed with an exception." ;;
    composer*|*phpunit*|*pest*|php*) echo "There was 1 failure:"; echo "1) AppTest::testTotal"; echo "Failed asserting that 2 matches expected 3."; echo "FAILURES!"; echo "Tests: 1, Assertions: 1, Failures: 1." ;;
    bundle*|rspec*|rake*|*rails*|rubocop*) echo "Failures:"; echo "  1) App total"; echo "     expected: 3"; echo "          got: 2"; echo "1 example, 1 failure" ;;
    *test*|*vitest*|*jest*|*mocha*)
      echo " FAIL  src/app.test.ts > total"; echo "AssertionError: expected 2 to be 3"; echo " > src/app.test.ts:12:21"; echo
      echo " Test Files  1 failed (1)"; echo "      Tests  1 failed (1)" ;;
    *) echo "src/app:12:5: error: expected 3, got 2"; echo "1 error, check failed" ;;
  esac
}

fails() {
  plain "$@"
  case "$mode" in
    quotes) printf '%s\n' 'Expected: "a \"quoted\" name"' 'Received: C:\new\table\users' '	a tab, a $HOME, a \u0041 and 100%s' ;;
    flood) awk 'BEGIN { for (i = 1; i <= 1000; i++) printf "src/app.ts:%d:7: error: expected value %d to be different from the one before it\n", i, i }' ;;
  esac
}

case "$name" in
  cargo|make|gmake|just|npm|go)
    case "$name $*" in "cargo fmt"*|"cargo test"*|"cargo nextest"*|"npm "*|"go test"*|"just "*) fails "$@" ;; *) fails "$@" >&2 ;; esac ;;
  *) fails "$@" ;;
esac
case "$name $*" in
  "npm run "*|"npm test"*|"npm t"|"npm t "*) echo "npm error Lifecycle script failed with error:" >&2; echo "npm error code 1" >&2; exit 1 ;;
  "gofmt "*|"goimports -l"*|"gofumpt -l"*) exit 0 ;;
  "cargo fmt"*) exit 1 ;;
  cargo*) exit 101 ;;
  tsc*|vue-tsc*|*" tsc"*|make*|gmake*) exit 2 ;;
  *) exit 1 ;;
esac
`;
