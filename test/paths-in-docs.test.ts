import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const DECISIONS = readdirSync(join(ROOT, "docs/decisions")).map((name) => `docs/decisions/${name}`);
const PAGES = ["AGENTS.md", "docs/ARCHITECTURE.md", "docs/dictionary.md", ...DECISIONS];

/** Modules and, but in decisions, folders. */
function pathsIn(page: string): readonly string[] {
  const names = [...read(page).matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);
  const modules = names.filter((name) => /\.tsx?$/.test(name));
  const folders = page.includes("decisions") ? [] : names.filter((name) => name.endsWith("/"));
  return [...modules, ...folders];
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const FILES = readdirSync(join(ROOT, "src"), { recursive: true }).map((name) =>
  String(name).replaceAll("\\", "/"),
);

function isThere(path: string): boolean {
  const name = path.replace(/\/$/, "");
  return existsSync(join(ROOT, path)) || FILES.some((file) => file === name || file.endsWith(`/${name}`));
}

describe("every module and folder exists that is named in", () => {
  test.for(PAGES)("%s", (page) => {
    expect(pathsIn(page).filter((path) => !isThere(path))).toEqual([]);
  });
});

test("the table of folders has the order of the layers that lint enforces", () => {
  const [, layers = ""] = /const LAYERS = \[(.*?)\n\];/s.exec(read(".dependency-cruiser.cjs")) ?? [];
  const rows = [...read("docs/ARCHITECTURE.md").matchAll(/^\| (`\w+\/`.*?) +\|/gm)].map(
    ([, cell = ""]) => cell,
  );

  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\w+\/)`/g)].map(([, folder]) => folder));

  expect(named).toEqual([...layers.matchAll(/"(\w+\/)"/g)].map(([, folder]) => folder));
});
