import { describe, expect, test } from "vitest";
import type { ChangedFile } from "../../src/system/git/change-set.ts";
import { changesByScope, hasScope } from "../../src/config/entry-point.ts";
import { projectPath } from "../../src/path.ts";
import type { EntryPoint } from "../../src/config/settings.ts";

describe("which changes belong to an entry point", () => {
  test.for([
    [".", "any/file.ts", true],
    ["./", "any/file.ts", true],
    ["app", "app", true],
    ["app", "app/main.ts", true],
    ["app", "apple/main.ts", false],
    ["app", "lib/app/main.ts", false],
    ["app/", "app/main.ts", true],
    ["./app", "app/main.ts", true],
    ["app/main.ts", "app/main.ts", true],
    ["app/main.ts", "app/main.tsx", false],
    ["**/*.ts", "deep/down/file.ts", true],
    ["**/*.ts", "file.ts", true],
    ["*.ts", "deep/file.ts", false],
    ["src/**", "src/a/b.ts", true],
    ["src/**/*", "src/a/b.ts", true],
    ["src/**/*", "src/b.ts", true],
    ["**/*", "a/b.ts", true],
    ["src/**", "srcs/a.ts", false],
    ["{app,lib}/**/*.ts", "lib/x/y.ts", true],
    ["src/**", "src/.hidden/file", true],
    ["app/[slug]", "app/[slug]/page.tsx", true],
    ["app/(group)", "app/(group)/page.tsx", true],
    ["größe", "größe/ñ.ts", true],
    ["-x", "-x/file", true],
    ["a b", "a b/c", true],
  ] as const)("%s and %s: %s", ([path, file, belongs]) => {
    expect(changesByScope(entryPoint(path), [changed(file)]).size).toBe(belongs ? 1 : 0);
  });

  test.for([
    [["app/generated"], "app/generated/x.ts", false],
    [["app/generated"], "app/generated.ts", true],
    [["app/generated/"], "app/generated/x.ts", false],
    [["**/*.md"], "app/README.md", false],
    [["**/*.md"], "app/main.ts", true],
    [["docs", "**/*.snap"], "app/a.snap", false],
    [["app/[slug]"], "app/[slug]/x.ts", false],
  ] as const)("without %s, %s belongs: %s", ([exclude, file, belongs]) => {
    expect(changesByScope(entryPoint("app", exclude), [changed(file)]).size).toBe(belongs ? 1 : 0);
  });

  test("a renamed file is deleted where it was and belongs where it is", () => {
    const file = renamed("old/a.ts", "new/a.ts");

    expect(changesByScope(entryPoint("old"), [file]).get(projectPath("old"))).toEqual([
      { path: "old/a.ts", change: "deleted" },
    ]);
    expect(changesByScope(entryPoint("new"), [file]).get(projectPath("new"))).toEqual([file]);
    expect(changesByScope(entryPoint("other"), [file]).size).toBe(0);
  });

  test("a file renamed out of an excluded directory belongs by its new place only", () => {
    const file = renamed("app/vendored/a.ts", "app/a.ts");

    expect([...changesByScope(entryPoint("app", ["app/vendored"]), [file]).keys()]).toEqual(["app"]);
    expect(changesByScope(entryPoint("app", ["app"]), [file]).size).toBe(0);
  });
});

describe("the children of dir/*", () => {
  test.for([
    ["packages/*", "packages/a/x.ts", ["packages/a"]],
    ["packages/*", "packages/a/deep/down/x.ts", ["packages/a"]],
    ["packages/*", "packages/README.md", []],
    ["packages/*", "packages-old/a/x.ts", []],
    ["packages/*", "packages/.tools/x", ["packages/.tools"]],
    ["*", "app/x.ts", ["app"]],
    ["*", "README.md", []],
    ["./packages/*", "packages/a/x.ts", ["packages/a"]],
    ["apps/*/plugins/*", "apps/web/plugins/auth/x.ts", ["apps/web/plugins/auth"]],
    ["apps/*/plugins/*", "apps/web/src/x.ts", []],
    ["{apps,libs}/*", "libs/core/x.ts", ["libs/core"]],
    ["**/modules/*", "a/b/modules/c/d/x.ts", ["a/b/modules/c"]],
    ["app/[slug]/*", "app/[slug]/child/x.ts", ["app/[slug]/child"]],
  ] as const)("%s and %s: %j", ([path, file, scopes]) => {
    expect([...changesByScope(entryPoint(path), [changed(file)]).keys()]).toEqual(scopes);
  });

  test("each child has its own changes, in order", () => {
    const files = ["packages/a/1", "packages/b/1", "packages/a/2"].map(changed);

    const scopes = changesByScope(entryPoint("packages/*"), files);

    expect([...scopes].map(([scope, own]) => [scope, own.map(({ path }) => path)])).toEqual([
      ["packages/a", ["packages/a/1", "packages/a/2"]],
      ["packages/b", ["packages/b/1"]],
    ]);
  });

  test("a file that moves between children changes both, once each", () => {
    const file = renamed("packages/a/x.ts", "packages/b/x.ts");

    const scopes = changesByScope(entryPoint("packages/*"), [file, renamed("packages/a/y", "packages/a/z")]);

    expect([...scopes].map(([scope, own]) => [scope, own.length])).toEqual([
      ["packages/b", 1],
      ["packages/a", 2],
    ]);
  });

  test("an excluded child is not a scope, even when a file leaves it", () => {
    const file = renamed("packages/old/x.ts", "packages/new/x.ts");

    const scopes = changesByScope(entryPoint("packages/*", ["packages/old"]), [file]);

    expect([...scopes.keys()]).toEqual(["packages/new"]);
  });

  test.for([
    ["packages/*", "packages/a", true],
    ["packages/*", "packages/a/b", false],
    ["packages/*", "packages", false],
    ["packages/*", "lib/a", false],
    ["app", "app", true],
    ["app/", "app", true],
    ["app", "app/x", false],
    [".", ".", true],
  ] as const)("%s has the scope %s: %s", ([path, scope, has]) => {
    expect(hasScope(entryPoint(path), projectPath(scope))).toBe(has);
  });
});

function entryPoint(path: string, exclude: readonly string[] = []): EntryPoint {
  return { path, exclude, gates: [] };
}

function changed(path: string): ChangedFile {
  return { path: projectPath(path), change: "modified" };
}

function renamed(from: string, path: string): ChangedFile {
  return { path: projectPath(path), change: "renamed", from: projectPath(from) };
}
