import { expect, test } from "vitest";
import { programsNamedIn } from "../../../src/system/process/named-programs.ts";

test.for<[line: string, named: readonly string[]]>([
  ["npm test", ["npm"]],
  ["CI=1 npm run lint && pnpm unit", ["npm", "pnpm"]],
  ["cd web && ./gradlew test | tee log", ["./gradlew", "tee"]],
  ["timeout 60 env A=1 pytest -q", ["timeout", "env", "pytest"]],
  ["exec command tsc --noEmit", ["tsc"]],
  ["sh -c 'eslint . && \"vue-tsc\"'", ["sh", "eslint", "vue-tsc"]],
  ["sh scripts/check.sh", ["sh"]],
  ["if ! grep -q x a.txt; then echo no; exit 1; fi", ["grep"]],
  ["for f in a b; do node $f; done", ["node"]],
  ['x=$(git rev-parse HEAD); test -n "$x"', ["git"]],
  ["$TOOL check", []],
  ["make 2>&1", ["make"]],
  ["echo 'npm test' # npm run lint", []],
  ["/opt/bin/7z t a.7z", ["/opt/bin/7z"]],
])("%s", ([line, named]) => {
  expect(programsNamedIn(line)).toEqual(named);
});
