import type { PageShell } from "../report/page/html-page.ts";

/** The page that `scripts/build-page.mjs` left: a tenth of a megabyte, so it is loaded only by who shows it. */
export async function pageShell(): Promise<PageShell> {
  const { default: text } = await import("../../dist/page/page.txt");
  return JSON.parse(text) as PageShell; // our own build wrote it
}
