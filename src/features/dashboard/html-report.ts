import type { Settings } from "../../config/settings.ts";
import type { PastRun } from "../../stop/passes.ts";
import { collectRunPage } from "./run-page.ts";
import { logDirOf } from "../../system/logs/log-dir.ts";
import { htmlPage, type PageShell } from "./html-page.ts";
import type { Terminal } from "../../report/terminal.ts";

export async function htmlReport(
  { env }: Pick<Terminal, "env">,
  { root, logDir }: Pick<Settings, "root" | "logDir">,
  run: PastRun,
): Promise<string> {
  const page = await collectRunPage({ root, logDir: logDirOf(root, logDir), env }, run);
  return htmlPage(await pageShell(), page);
}

/** The page that `scripts/build-page.mjs` left: a tenth of a megabyte, which nothing else should load. */
export async function pageShell(): Promise<PageShell> {
  const { default: text } = await import("../../../dist/page/page.txt");
  return JSON.parse(text) as PageShell; // our own build wrote it
}
