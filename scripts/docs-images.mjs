// Makes the pictures of the documentation from real runs: docs/images/demo.svg, and report and dashboard in light and in dark.
// With --check it writes nothing and fails if they show something else than the program does now. Needs a Chromium on PATH.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { once } from "node:events";
import { chromium } from "playwright-core";
import { drawTerminal } from "./draw-terminal.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const IMAGES = join(ROOT, "docs/images");
const PROGRAM = join(ROOT, "dist/cli/agent-gauntlet.cjs");
const STYLES = ["page.css", "views.css"].map((name) => join(ROOT, "src/features/dashboard/page", name));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const THEMES = ["light", "dark"];
const isCheck = process.argv.includes("--check");

const scratch = mkdtempSync(join(tmpdir(), "docs-images-"));
const home = join(scratch, "home");
const shop = join(scratch, "shop");
const env = {
  HOME: home,
  PATH: [join(ROOT, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
  GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
  npm_config_userconfig: join(home, ".npmrc"), // a machine's settings do not show up in pictures
  npm_config_update_notifier: "false",
  LANG: "C.UTF-8",
};

try {
  mkdirSync(home, { recursive: true });
  const demo = drawTerminal(demoLines());
  makeHistory();
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--force-color-profile=srgb"],
  });
  const shown = [];
  try {
    shown.push(...(await reportPictures(browser)), ...(await dashboardPictures(browser)));
  } finally {
    await browser.close();
  }
  keep("demo.svg", demo);
  keep("shown.txt", `${styleHash()}\n\n${shown.join("\n\n")}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Pixels differ from machine to machine; the words of a page and its style do not. */
function keep(name, text) {
  const file = join(IMAGES, name);
  if (!isCheck) return writeFileSync(file, text);
  if (readFileSync(file, "utf8") === text) return;
  writeFileSync(join(tmpdir(), name), text);
  console.error(`docs/images/${name} is stale (now: ${join(tmpdir(), name)}). Run \`npm run docs:images\`.`);
  process.exitCode = 1;
}

function styleHash() {
  const hash = createHash("sha256");
  for (const file of STYLES) hash.update(readFileSync(file));
  return `style ${hash.digest("hex").slice(0, 16)}`;
}

function findChromium() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found !== "") return found;
  }
  throw new Error("no chromium on PATH");
}

function red(text) {
  return { text: `  │ ${text}`, colour: "red" };
}

/** A dozen lines of what `demo` really prints. */
function demoLines() {
  const printed = execFileSync(process.execPath, [PROGRAM, "demo"], { env, encoding: "utf8" }).split("\n");
  const find = (pattern) => {
    const line = printed.find((one) => pattern.test(one));
    if (line === undefined) throw new Error(`the demo does not print ${pattern}`);
    return line.replace(/^[ │]*/, "");
  };
  const [broken, fixed] = printed.filter((line) => line.startsWith("  + "));
  return [
    { text: "● The agent edits add.mjs and wants to stop.", bold: true },
    { text: broken, colour: "dim" },
    { text: "✗ agent-gauntlet blocks the stop. The agent reads:", bold: true },
    red(find(/Gauntlet gates did not pass/)),
    red(find(/What to do now|Fix these/)),
    red(""),
    red(find(/add\.test\.mjs:5/)),
    red(`      ${find(/-1 !== 5/).trim()}`),
    red(find(/^ *│ Attempt 1/)),
    { text: "● The agent fixes add.mjs and stops again.", bold: true },
    { text: fixed, colour: "dim" },
    { text: `✓ ${find(/^✅/).replace(/^.*?: ✓ /, "")}`, colour: "green" },
  ];
}

function stop(session, isAfterBlock = false) {
  const event = { session_id: session, cwd: shop, hook_event_name: "Stop", stop_hook_active: isAfterBlock };
  return execFileSync(process.execPath, [PROGRAM, "stop-hook"], {
    cwd: shop,
    env,
    input: JSON.stringify(event),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}

function git(...args) {
  execFileSync("git", args, { cwd: shop, env, stdio: "ignore" });
}

function write(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(shop, name)), { recursive: true });
    writeFileSync(join(shop, name), text);
  }
}

function price(total, rounded) {
  return `import type { Line } from "./cart.ts";

export function total(lines: readonly Line[]): number {
  ${total}
}

export function rounded(price: number): number {
  ${rounded}
}
`;
}

/** Three sessions of an agent in a small shop; the last one is still blocked. Their verdicts are repeated over the month before. */
function makeHistory() {
  const GOOD = [
    "return lines.reduce((sum, { price, count }) => sum + price * count, 0);",
    "return Math.round(price * 100) / 100;",
  ];
  write({
    ".gauntlet/config.yml": `checks:
  lint: oxlint --deny-warnings src
  types: tsc --noEmit --strict --allowImportingTsExtensions --target es2022 --module nodenext src/price.ts
  test: node --test
stop_hook:
  when_active: enforce
`,
    ".gitignore": "gauntlet_logs\n",
    "src/cart.ts": "export interface Line {\n  readonly price: number;\n  readonly count: number;\n}\n",
    "src/price.ts": price(...GOOD),
    "src/price.mjs":
      "export const total = (lines) => lines.reduce((sum, { price, count }) => sum + price * count, 0);\n",
    "src/price.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "./price.mjs";

test("an empty cart costs nothing", () => assert.equal(total([]), 0));
test("a cart costs what its lines cost", () => assert.equal(total([{ price: 2, count: 3 }]), 6));
`,
  });
  git("init", "--initial-branch=main");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-m", "start");

  write({ "src/price.ts": price(GOOD[0], "return price.toFixed(2);") });
  stop("a1f3c0de");
  write({ "src/price.ts": price(GOOD[0], "return Number(price.toFixed(2));") });
  stop("a1f3c0de", true);
  write({
    "src/cart.ts":
      "export interface Line {\n  readonly price: number;\n  readonly count: number;\n  readonly sku?: string;\n}\n",
  });
  stop("b7e29d41");
  write({
    "src/price.ts": price(
      "var sum = lines.reduce((all, { price }) => all + price);\n  return sum;",
      "return Math.round(price, 2);",
    ),
    "src/price.mjs": "export const total = (lines) => lines.reduce((sum, { price }) => sum + price, 0);\n",
  });
  stop("c40b77a2");
  write({ "src/price.ts": price(GOOD[0], "return Math.round(price, 2);") });
  stop("c40b77a2", true);
  repeatOverMonth();
}

function repeatOverMonth() {
  const projects = join(home, ".local/state/agent-gauntlet/projects");
  const [key] = readdirSync(projects);
  const file = join(projects, key, "ledger.jsonl");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const verdicts = lines.slice(0, 3).map((line) => JSON.parse(line));
  const moved = Array.from({ length: 28 }, (_, at) => 28 - at).flatMap((back) =>
    Array.from({ length: back % 7 < 2 ? 0 : 1 + ((back * 5) % 4) }, (__, part) =>
      verdicts.map((one, at) => ({
        ...one,
        at: one.at - back * DAY_MS - part * HOUR_MS + at * 60_000,
        session: `${one.session}-${back}-${part}`,
      })),
    )
      .toReversed()
      .flat()
      .map((one) => JSON.stringify(one)),
  );
  writeFileSync(file, `${[...moved, ...lines].join("\n")}\n`);
}

async function reportPictures(browser) {
  const html = execFileSync(process.execPath, [PROGRAM, "report", "--format", "html"], {
    cwd: shop,
    env,
    encoding: "utf8",
  });
  const file = join(scratch, "report.html");
  writeFileSync(file, html);
  return picturesOf(browser, "report", pathToFileURL(file).href, ".problem");
}

async function dashboardPictures(browser) {
  const server = spawn(process.execPath, [PROGRAM, "dashboard"], {
    cwd: shop,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [url] = await once(createInterface({ input: server.stdout }), "line");
    return await picturesOf(browser, "dashboard", url, ".tiles");
  } finally {
    server.kill("SIGINT");
  }
}

async function picturesOf(browser, name, url, sign) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(sign).first().waitFor();
  for (const theme of isCheck ? [] : THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.reload();
    await page.locator(sign).first().waitFor();
    await page.screenshot({ path: join(IMAGES, `${name}-${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.reload();
  await page.locator(sign).first().waitFor();
  const text = await page.locator("body").innerText();
  await context.close();
  return [`${name}:`, ...wordsOf(text)];
}

/** Without what differs from run to run: times, durations, hashes, and the order that follows from durations. */
function wordsOf(text) {
  const lines = text
    .replaceAll(/\b[0-9a-f]{10}\b/g, "#")
    .replaceAll(/\d[\d.:,/-]*(?:\s?(?:ms|s|min|h|AM|PM)\b)?/g, "#")
    .replaceAll(/just now|#[a-z ]*ago/g, "#")
    .replaceAll(/#( #)+/g, "#")
    .split("\n");
  return [...new Set(lines.map((line) => line.trim()))]
    .filter((line) => line !== "" && !line.includes(tmpdir()))
    .toSorted((one, other) => one.localeCompare(other, "en"));
}
