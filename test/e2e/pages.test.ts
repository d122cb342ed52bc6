import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../rig/browser.ts";
import { ControlledCommand } from "../rig/controlled-command.ts";
import { openDashboard, seedVerdicts } from "../rig/dashboard.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let opened: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  opened = await openBrowser();
});
afterAll(async () => {
  if (opened?.ok) await opened.browser.close();
});

function browserOr(skip: (reason: string) => never): Browser {
  return opened.ok ? opened.browser : skip(opened.reason);
}

/** A page that fails the test for every script error, message on its console, dialog and request to another place. */
async function openPage(browser: Browser, url: string, options: object = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const trouble: string[] = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => trouble.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "file:" && origin !== new URL(url).origin) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, trouble, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds wrong, in light and in dark. */
async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const _ of ["light", "dark"]) {
    found.push(...(await axe(page)));
    await page.locator("button.theme").click();
  }
  return found;
}

/** Through the developer tools, for the page's own policy would not run a second script. */
async function axe(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(async () => {
    const module = { exports: {} };
    ${AXE}
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | "));
  })()`);
}

const HOSTILE = String.raw`printf 'src/a.c:2:1: error: \033[31m<img src=x onerror=alert(1)>\033[0m\n</script><script>alert(2)</script>\nright\342\200\256left\n'; exit 1`;

async function hostileProject(): Promise<GauntletProject> {
  const project = await GauntletProject.withChecks({
    lint: HOSTILE,
    fine: "seq 1 5000 | sed 's/^/line /'",
  });
  await project.write({ "src/a.c": "int a;\nint b\nint c;\n" });
  return project;
}

async function report(project: GauntletProject): Promise<string> {
  const { stdout } = await project.gauntlet(["report", "--format", "html"]);
  await project.write({ "report.html": stdout });
  return pathToFileURL(join(project.root, "report.html")).href;
}

describe("the HTML report", () => {
  test("shows hostile output as text, makes no requests, and has nothing that axe complains about", async ({
    skip,
  }) => {
    const browser = browserOr(skip);
    await using project = await hostileProject();
    await project.stop();
    await using opened = await openPage(browser, await report(project));
    const { page, trouble } = opened;

    expect(await page.locator("h1").textContent()).toContain("Failed");
    expect(await page.locator(".message").first().textContent()).toBe("<img src=x onerror=alert(1)>");
    expect(await page.locator(".frame .hit").textContent()).toContain("int b");
    expect(await page.locator(".told").textContent()).toContain("Gauntlet gates did not pass");
    const log = await page.locator(".log").innerText();
    expect(log).toContain("</script><script>alert(2)</script>");
    expect(log).toContain(String.raw`right\u202Eleft`);
    expect(log).not.toContain("[31m");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(trouble).toEqual([]);
  });

  test("finds text in all logs, has only the lines in view in the document, and compares attempts", async ({
    skip,
  }) => {
    const browser = browserOr(skip);
    await using project = await hostileProject();
    await project.write({
      ".gauntlet/config.yml": project
        .read(".gauntlet/config.yml")
        .replace("checks:", "stop_hook: { when_active: enforce }\nchecks:"),
    });
    await project.stop();
    await project.write({ "src/a.c": "int a;\nint b;\nint cc\n" });
    await project.stop({ stop_hook_active: true });
    await using opened = await openPage(browser, await report(project));
    const { page, trouble } = opened;

    await page.getByRole("button", { name: "fine" }).click();
    const found = page.getByRole("region", { name: "Logs" }).getByRole("status");
    expect(await found.textContent()).toBe("5000 lines");
    expect(await page.locator(".log .row").count()).toBeLessThan(60);
    await page.locator(".log").focus();
    await page.keyboard.press("End");
    await page.locator(".log code", { hasText: /line 5000$/ }).waitFor();
    await page.getByLabel("Search in all logs").fill("line 499");
    expect(await found.textContent()).toBe("11 lines found");
    expect(await page.locator(".log mark").first().textContent()).toBe("line 499");
    await page.getByLabel("Compare with the attempt before").check();
    expect(await page.locator(".told .new").allTextContents()).toContainEqual(
      expect.stringContaining("same failure as before"),
    );
    expect(await page.locator(".attempts > li").count()).toBe(2);
    expect(trouble).toEqual([]);
  });

  test("fits a phone", async ({ skip }) => {
    const browser = browserOr(skip);
    await using project = await hostileProject();
    await project.stop();
    await using opened = await openPage(browser, await report(project), {
      viewport: { width: 360, height: 700 },
      colorScheme: "dark",
    });
    const { page } = opened;

    const [width, background] = await page.evaluate<[number, string]>(
      "[document.documentElement.scrollWidth, getComputedStyle(document.documentElement).backgroundColor]",
    );
    expect(width).toBeLessThanOrEqual(360);
    expect(background).toBe("rgb(18, 22, 29)");
    expect(await violations(page)).toEqual([]);
  });
});

describe("a report with three hundred problems", () => {
  test("is folded, filtered, searched, walked through by keyboard, and copied for an agent", async ({
    skip,
  }) => {
    const browser = browserOr(skip);
    await using project = await GauntletProject.withChecks({
      lint: `seq 1 150 | sed 's|.*|src/f&.c:&:2: error: lint problem number &.|'; exit 1`,
      types: `seq 1 150 | sed 's|.*|src/f&.c:&:2: error: type problem number &.|'; exit 1`,
      silent: "echo the only reason; exit 4",
    });
    await project.write({ "a.txt": "" });
    await project.gauntlet(["run"]);
    await using opened = await openPage(browser, await report(project), {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, trouble } = opened;
    const shown = page.getByRole("region", { name: /^Problems/ }).getByRole("status");

    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    expect(height).toBeLessThanOrEqual(12 * 800);
    expect(await page.locator(".failed li").allTextContents()).toContainEqual(
      expect.stringContaining("silent failed: exit code 4"),
    );
    await page.keyboard.press("/");
    await page.keyboard.type("the only reason");
    expect(await shown.textContent()).toMatch(/^0 of /);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("exit code 4");
    expect(await page.locator(".excerpt").textContent()).toContain("the only reason");
    await page.getByLabel("Search problems").fill("");
    await page.getByRole("button", { name: /^types / }).click();
    expect(await shown.textContent()).toMatch(/^150 of /);
    await page.locator("h1").click();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("type problem number");
    await page.locator(".problem:focus").getByRole("button", { name: "Copy prompt" }).click();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(/the gate types does not pass\. Fix this problem:\n\nsrc\/f\d+\.c:\d+:2 error /);
    await page.reload();
    expect(await shown.textContent()).toMatch(/^150 of /);
    expect(trouble).toEqual([]);
  });
});

describe("the dashboard", () => {
  test("shows a run while it goes on and its verdict when it is there, without a reload", async ({
    skip,
  }) => {
    const browser = browserOr(skip);
    await using command = await ControlledCommand.create();
    await using project = await GauntletProject.withChecks({ slow: command.command("slow") });
    await project.gauntlet(["run", "--uncommitted"]); // makes the project known
    await project.write({ "a.txt": "" });
    await using dashboard = await openDashboard(project);
    await using opened = await openPage(browser, dashboard.url);
    const { page, trouble } = opened;
    await page.getByText("No gates are running.").waitFor();
    expect(page.url()).not.toContain("token");

    const stopped = project.stop({ session_id: "live-1" });
    const gate = await command.started();
    await page.locator(".running", { hasText: "slow" }).waitFor();
    gate.print("a.txt:1:1: error: no\n");
    gate.exit(1);
    await stopped;
    await page.locator(".stop", { hasText: "blocked: slow" }).waitFor();

    await page.getByText("No gates are running.").waitFor();
    await page.locator(".stop", { hasText: "blocked: slow" }).click();
    await page.locator(".message", { hasText: "no" }).waitFor();
    expect(await page.locator(".told").textContent()).toContain("Gauntlet gates did not pass");
    expect(await violations(page)).toEqual([]);
    expect(trouble).toEqual([]);
  });

  test("stays quick with ten thousand runs, by keyboard, in every view, without anything axe complains about", async ({
    skip,
  }) => {
    const browser = browserOr(skip);
    await using project = await GauntletProject.withChecks({ test: "true" });
    await seedVerdicts(project, 10_000);
    await using dashboard = await openDashboard(project);
    await using opened = await openPage(browser, dashboard.url);
    const { page, trouble } = opened;
    await page.locator(".tiles").waitFor();
    await page.getByRole("combobox", { name: /^Time/ }).selectOption("all time");
    expect(await page.locator(".tiles li").first().textContent()).toBe("3334 blocked");
    await page.getByText("The same as a table").click();
    expect(
      await page
        .getByRole("img", { name: /per day/ })
        .locator(".column")
        .count(),
    ).toBeGreaterThan(5);
    expect(await violations(page)).toEqual([]);

    await page.getByRole("link", { name: "Stops" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("10000 verdicts").waitFor();
    expect(await page.locator(".stop").count()).toBeLessThan(50);
    await page.getByRole("region", { name: "Verdicts" }).focus();
    await page.keyboard.press("End");
    await page.locator('[aria-posinset="10000"]').waitFor();
    await page.getByRole("combobox", { name: /^Show/ }).selectOption("blocked");
    await page.getByText("3334 verdicts").waitFor();
    await page.getByLabel("Search", { exact: true }).fill("session-2499");
    await page.getByText("2 verdicts").waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole("link", { name: "Gates" }).click();
    expect(await page.locator(".cards tbody th").allTextContents()).toEqual([
      "testwarehouse",
      "lintwarehouse",
      "cart > <b>adds up</b>",
    ]);
    expect(await page.locator(".cards tbody tr").last().locator("td.number").textContent()).toBe("10");
    await page.getByRole("button", { name: "Failures caught" }).click();
    expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain("Failures caught");
    expect(await violations(page)).toEqual([]);

    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByText("2500 sessions").waitFor();
    await page.keyboard.press("Tab"); // from the view, which has the focus, past its filters
    await page.locator(".stop", { hasText: "blocks" }).first().press("Enter");
    await page.getByRole("heading", { name: /^Session session-/ }).waitFor();
    expect(await page.locator(".stop").count()).toBe(4);
    expect(await violations(page)).toEqual([]);
    expect(trouble).toEqual([]);
  });

  test.for([390, 820, 1440])(
    "every view fits %s pixels: nothing to scroll sideways, no word torn apart",
    async (width, { skip }) => {
      const browser = browserOr(skip);
      await using project = await hostileProject();
      await seedVerdicts(project, 40);
      await project.stop();
      await using dashboard = await openDashboard(project);
      await using opened = await openPage(browser, dashboard.url, { viewport: { width, height: 900 } });
      const { page, trouble } = opened;

      for (const view of ["Overview", "Stops", "Gates", "Sessions"]) {
        await page.getByRole("link", { name: view, exact: true }).click();
        await page.getByRole("heading", { level: 2 }).first().waitFor();
        expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
        expect([view, await page.evaluate(TORN_WORDS)]).toEqual([view, []]);
        expect([view, await violations(page)]).toEqual([view, []]);
      }
      expect(trouble).toEqual([]);
    },
  );

  test("what was chosen survives a reload and is there again after Back", async ({ skip }) => {
    const browser = browserOr(skip);
    await using project = await hostileProject();
    await seedVerdicts(project, 40);
    await project.stop();
    await using dashboard = await openDashboard(project);
    await using opened = await openPage(browser, dashboard.url);
    const { page, trouble } = opened;

    await page.getByRole("combobox", { name: /^Project/ }).selectOption({ label: "warehouse" });
    await page.getByRole("link", { name: "Stops" }).click();
    await page.getByLabel("Search", { exact: true }).fill("session-3");
    await page.getByRole("button", { name: "Dark" }).click();
    const counted = await page.getByText(/^\d+ verdicts$/).textContent();
    await page.reload();
    await page.getByText(counted ?? "").waitFor();
    await page.locator("a.stop").first().click();
    await page.getByRole("heading", { name: /warehouse, run/ }).waitFor();
    await page.goBack();

    expect(await page.getByText(/^\d+ verdicts$/).textContent()).toBe(counted);
    expect(await page.getByLabel("Search", { exact: true }).inputValue()).toBe("session-3");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    expect(await page.title()).toBe("✗ agent-gauntlet");
    expect(trouble).toEqual([]);
  });
});

/** Words of ordinary text that are broken over two lines. */
const TORN_WORDS = `(() => {
  const torn = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest("pre, code, script, .hidden, svg")) continue;
    for (const { 0: word, index } of node.data.matchAll(/\\p{L}{4,}/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) torn.push(word);
    }
  }
  return torn;
})()`;
