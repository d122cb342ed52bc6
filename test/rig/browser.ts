import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A real browser, or why it is missing. Installs Debian's chromium where permitted. */
export async function openBrowser(): Promise<
  { readonly ok: true; readonly browser: Browser } | { readonly ok: false; readonly reason: string }
> {
  const file = find() ?? (install() ? find() : undefined);
  if (file === undefined)
    return { ok: false, reason: "no chromium on PATH, and none can be installed (Debian's, as root)" };
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { ok: true, browser: await chromium.launch({ executablePath: file, args }) };
}

function find(): string | undefined {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  return directories.flatMap((directory) => NAMES.map((name) => join(directory, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("apt-get", ["install", "--yes", "chromium"], { stdio: "ignore", timeout: 500_000 });
    return true;
  } catch {
    return false; // another distribution, or no network
  }
}
