import { expect, test } from "vitest";
import { modulesLoadedBy, scriptIn, scriptsNamedIn } from "../../../src/config/gauntlet/named-scripts.ts";

const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"].map(
  (name) => `file ${name} in .`,
);

test.for<[line: string, named: readonly string[]]>([
  ["npm test", ["script test in ."]],
  ["npm t -- --watch=false", ["script test in ."]],
  ["CI=1 npm run lint && pnpm unit", ["script lint in .", "script unit in ."]],
  ["yarn lint", ["script lint in ."]],
  ["npm --prefix web run lint", ["script lint in web"]],
  ["pnpm -C web test", ["script test in web"]],
  ["cd web && npm test", ["script test in web"]],
  ["npm ci", []],
  ["run-s lint unit", ["script lint in .", "script unit in ."]],
  ["concurrently 'npm:lint' \"npm:test:*\"", ["script lint in .", "script test: in ."]],
  ["sh scripts/check.sh", ["file scripts/check.sh in ."]],
  ["bash -c 'npm run lint; ./x.sh'", ["script lint in .", "file ./x.sh in ."]],
  ["./gradlew test", ["file ./gradlew in .", ...GRADLE]],
  [
    "timeout 60 node --import tsx tools/lint.ts src",
    ["file tsx in .", "file tools/lint.ts in .", "file src in ."],
  ],
  ["npx tsx tools/lint.ts", ["file tools/lint.ts in ."]],
  ["python -m pytest tests/test_a.py", ["file pytest.ini in .", "file setup.cfg in ."]],
  ["python3 -m unittest", []],
  ["cargo test", ["file .cargo/config.toml in .", "file .cargo/config in ."]],
  ["npx turbo run test", ["file turbo.json in ."]],
  ["mvn -q test", ["file pom.xml in ."]],
  ["node --test src/a.test.js", []],
  ["node --check src/a.js", []],
  ["bash -n install.sh", []],
  ["bash -euo pipefail scripts/check.sh", ["file scripts/check.sh in ."]],
  ["npm test 2>&1 | tee log", ["script test in ."]],
  ["make -C sub -f Build.mk check", ["file Build.mk in sub"]],
  ["make check", ["file GNUmakefile in .", "file makefile in .", "file Makefile in ."]],
  ["composer run-script lint", ["script lint in ."]],
  ["composer --working-dir=api test -- --filter x", ["script test in api"]],
  ["deno task check", ["script check in .", "script check in .", "file deno.jsonc in ."]],
  ["deno test", ["file test in ."]],
  ["bundle exec rake test", ["file Rakefile in .", "file rakefile in ."]],
  ["uv run --frozen nox -s tests", ["file noxfile.py in ."]],
  ["vitest run test/a.test.ts", []],
  ["echo 'npm test' # npm run lint", []],
  ["if npm test; then echo ok; fi", ["script test in ."]],
])("%s", ([line, named]) => {
  const found = scriptsNamedIn(line)
    .filter(({ name }) => !/^(?:pre|post)|npmrc|yarnrc|bunfig|pnpm-workspace/.test(name))
    .map(({ kind, name, directory }) => `${kind === "file" ? "file" : "script"} ${name} in ${directory}`);

  expect(found).toEqual(named);
});

test("what runs before and after a script, and may name another shell for it, belongs to it", () => {
  const names = scriptsNamedIn("npm test").map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(["pretest", "posttest", ".npmrc"]));
});

test.for<
  [manifest: "package.json" | "composer.json" | "deno.json", content: object, lines: string | undefined]
>([
  ["package.json", { scripts: { test: "vitest" } }, "vitest"],
  ["package.json", { tasks: { test: "vitest" } }, undefined],
  ["composer.json", { scripts: { test: "phpunit" } }, "phpunit"],
  [
    "composer.json",
    { scripts: { test: ["@lint", "@php tools/x.php", "@composer audit", "phpunit"] } },
    "composer run-script lint && php tools/x.php && composer audit && phpunit",
  ],
  ["composer.json", { scripts: { test: [] } }, undefined],
  ["deno.json", { tasks: { test: "deno test" } }, "deno test"],
  [
    "deno.json",
    { tasks: { test: { command: "deno test", dependencies: ["lint"] } } },
    "deno task lint && deno test",
  ],
  ["deno.json", { tasks: { toString: 1 } }, undefined],
])("a script of %s: %j", ([manifest, content, lines]) => {
  const named = { kind: "script", directory: ".", name: "test", manifest } as const;

  expect(scriptIn(JSON.stringify(content), named)).toBe(lines);
});

test.for<[script: string, text: string, modules: readonly string[]]>([
  [
    "scripts/check.mjs",
    'import { rules } from "./lib/rules.mjs";\nimport "node:fs";',
    ["scripts/lib/rules.mjs"],
  ],
  ["scripts/check.js", 'const { x } = require("./x.js"); require("../src/a.js");', ["scripts/x.js"]],
  ["tools/check.py", "import os\nfrom .rules import all_rules", ["tools/os.py", "tools/rules.py"]],
  ["test/all.mjs", 'import "./a.test.mjs";', []],
  ["check.mjs", 'import "./src/a.mjs";', []],
])("%s loads modules beside it: %s", ([script, text, modules]) => {
  expect(modulesLoadedBy(script, text)).toEqual(modules);
});
