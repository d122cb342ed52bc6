import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The pages for users, from the root of the repository. */
export const PAGES: readonly string[] = [
  "README.md",
  "llms.txt",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.startsWith("decisions"))
    .map((file) => `docs/${file}`)
    .toSorted(),
];

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

export interface Example {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of a page. */
export function examplesIn(page: string): readonly Example[] {
  const fences = readPage(page).matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms);
  return [...fences].map(([, indent = "", language = "", text = ""]) => ({
    page,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

export const EXAMPLES: readonly Example[] = PAGES.flatMap(examplesIn);
