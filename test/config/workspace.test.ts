import { describe, expect, test } from "vitest";
import { readWorkspace, affectedPackages } from "../../src/config/read-workspace.ts";
import { projectPath } from "../../src/path.ts";

function graphOf(files: Readonly<Record<string, string>>) {
  return readWorkspace({ paths: Object.keys(files), read: (path) => files[path] });
}

/** `directory: what it needs`. */
function edgesOf(files: Readonly<Record<string, string>>): readonly string[] {
  return graphOf(files).map(({ directory, needs }) => `${directory}: ${needs.join(" ")}`.trim());
}

const NODE_PACKAGES = {
  "packages/core/package.json": '{ "name": "@x/core" }',
  "packages/web/package.json":
    '{ "name": "@x/web", "dependencies": { "@x/core": "workspace:*", "react": "19" } }',
  "packages/old/package.json": '{ "name": "@x/old", "devDependencies": { "@x/web": "*" } }',
  "elsewhere/package.json": '{ "name": "elsewhere" }',
};

describe("the packages of a workspace and what they depend on", () => {
  test.each([
    ["npm, yarn, bun, Turborepo", { "package.json": '{ "workspaces": ["packages/*", "!packages/old"] }' }],
    [
      "yarn's long form",
      { "package.json": '{ "workspaces": { "packages": ["./packages/core", "packages/web/"] } }' },
    ],
    ["pnpm", { "pnpm-workspace.yaml": "packages:\n  - packages/**\n  - '!**/old'\n" }],
  ])("%s", (_name, root) => {
    expect(edgesOf({ ...root, ...NODE_PACKAGES })).toEqual(["packages/core:", "packages/web: packages/core"]);
  });

  test("Nx, by project.json", () => {
    const files = {
      "nx.json": "{}",
      "libs/a/project.json": '{ "name": "a" }',
      "apps/b/project.json": '{ "name": "b", "implicitDependencies": ["a"] }',
    };

    expect(edgesOf(files)).toEqual(["libs/a:", "apps/b: libs/a"]);
  });

  test("Cargo, by name, renamed and by path", () => {
    const files = {
      "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/out"]\n',
      "crates/core/Cargo.toml": '[package]\nname = "core-lib"\n',
      "crates/a/Cargo.toml":
        '[package]\nname = "a"\n[dependencies]\nc = { package = "core-lib", version = "1" }\n',
      "crates/b/Cargo.toml":
        '[package]\nname = "b"\n[target.\'cfg(unix)\'.dev-dependencies]\na = { path = "../a" }\n',
      "crates/out/Cargo.toml": '[package]\nname = "out"\n',
    };

    expect(edgesOf(files)).toEqual(["crates/core:", "crates/a: crates/core", "crates/b: crates/a"]);
  });

  test("Go, by module path", () => {
    const files = {
      "go.work": "go 1.23\nuse (\n\t./lib // shared\n\t./cmd/app\n)\nuse ./tool\n",
      "lib/go.mod": "module example.com/lib\n",
      "cmd/app/go.mod": "module example.com/app\n\nrequire (\n\texample.com/lib v0.0.0\n)\n",
      "tool/go.mod": 'module "example.com/tool"\nrequire example.com/app v1.0.0\n',
    };

    expect(edgesOf(files)).toEqual(["lib:", "cmd/app: lib", "tool: cmd/app"]);
  });

  test("uv, whatever joins the words of a name", () => {
    const files = {
      "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
      "packages/core/pyproject.toml": '[project]\nname = "My.Core"\n',
      "packages/app/pyproject.toml": '[project]\nname = "app"\ndependencies = ["my_core>=1", "httpx"]\n',
    };

    expect(edgesOf(files)).toEqual(["packages/core:", "packages/app: packages/core"]);
  });

  test("a manifest that cannot be read is a package without edges; no workspace is no packages", () => {
    expect(edgesOf({ "package.json": '{ "workspaces": ["a"] }', "a/package.json": "{ broken" })).toEqual([
      "a:",
    ]);
    expect(edgesOf({ "package.json": '{ "name": "alone" }', "a/package.json": "{}" })).toEqual([]);
  });
});

describe("what a change affects", () => {
  const packages = graphOf({ "package.json": '{ "workspaces": ["packages/*"] }', ...NODE_PACKAGES });
  const reasons = (...paths: string[]) =>
    Object.fromEntries(
      affectedPackages(
        packages,
        paths.map((path) => ({ path: projectPath(path), change: "modified" })),
      ),
    );

  test("everything that depends on it, with the edge that leads there", () => {
    expect(reasons("packages/core/src/a.ts")).toEqual({
      "packages/web": "it depends on packages/core (packages/web/package.json), which changed",
      "packages/old": "it depends on packages/web (packages/old/package.json), which depends on what changed",
    });
    expect(reasons("packages/old/a.ts")).toEqual({});
  });

  test("a change at the root affects every package, a text there none", () => {
    expect(Object.keys(reasons("package-lock.json"))).toEqual([
      "packages/core",
      "packages/web",
      "packages/old",
    ]);
    expect(reasons("README.md", "docs/a.md")).toEqual({});
  });
});
