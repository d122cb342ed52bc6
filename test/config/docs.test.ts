import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readHooks } from "../../src/config/brepl/load.ts";
import { SourceText } from "../../src/config/source-text.ts";
import { detectChecks } from "../../src/install/detect/detect-checks.ts";
import { Project } from "../../src/install/detect/project.ts";
import { starterConfig } from "../../src/install/starter-config.ts";
import { EXAMPLES, examplesIn, PAGES, readPage } from "../rig/docs.ts";
import { loadProject, told } from "./temp-project.ts";

const CONFIGURATIONS = EXAMPLES.filter(({ language }) => ["yaml", "markdown"].includes(language)).map(
  ({ page, language, text }) => {
    const named = /^# (?:in )?(\S+\.ya?ml)$/m.exec(text)?.[1] ?? ".gauntlet/config.yml";
    return [page, language === "markdown" ? ".gauntlet/reviews/example.md" : named, text] as const;
  },
);

test.for(CONFIGURATIONS)("%s: the example of a %s is valid: %s", async ([, file, text]) => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": "",
    ".gauntlet/how-to-fix/integration.md": "Start the database first.",
    ".gauntlet/keys/ci-2026.pub":
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
    "node_modules/@acme/gates/gauntlet.yml": "checks: { lint: npx eslint . }",
    [file]: text,
  });

  expect(loaded.ok, told(loaded)).toBe(true);
  expect(told(loaded)).not.toContain("unknown key");
});

test.for(EXAMPLES.filter(({ language }) => language === "clojure"))(
  "the hooks of $page are valid",
  ({ text }) => {
    expect(readHooks(new SourceText(".brepl/hooks.edn", text)).diagnostics).toEqual([]);
  },
);

test.for(EXAMPLES.filter(({ language }) => language === "json"))(
  "the JSON of $page can be read",
  ({ text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  },
);

test("init makes of the lefthook.yml of its page what stands beside it", () => {
  const [left, right] = examplesIn("docs/i-use/lefthook.md");
  const files = new Map([["lefthook.yml", left?.text ?? ""]]);

  const checks = detectChecks(new Project([...files.keys()], files));
  const written = parse(starterConfig({ scopes: [{ path: ".", checks }], hasOwnChecks: false })) as object;

  expect(written).toMatchObject(parse(right?.text ?? "") as object);
});

test.for(PAGES)("every link of %s leads somewhere", (page) => {
  const links = [...readPage(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => target);

  const broken = links.filter((target) => {
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? page : join(dirname(page), file);
    if (!existsSync(join(import.meta.dirname, "../..", path))) return true;
    return anchor !== undefined && !anchorsOf(path).includes(anchor);
  });

  expect(broken).toEqual([]);
});

test("README shows the two commands in full, and a clean clone is installed from the lock file", () => {
  expect(readPage("README.md")).toMatch(/^npm install && npm start .*\nnpm install && npm test /m);
  expect(readPage(".ci/run")).toMatch(/^npm ci /m);
});

test("every log that a page names is called as logs are", () => {
  const named = PAGES.flatMap((page) => [
    ...readPage(page).matchAll(/gauntlet_logs\/(?!\.)[^\s`"),]*\.log/g),
  ]).map(([path]) => path);

  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !/\/(?:console|[a-z]+_[^/]+)\.(?:\d+|<run>)\.log$/.test(path))).toEqual([]);
});

/** As GitHub names them. */
function anchorsOf(page: string): readonly string[] {
  return [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
