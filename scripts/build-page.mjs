// Writes dist/page/page.txt: the page of the HTML report and of the dashboard, with its style and script in one file, and the hashes
// by which its content security policy names them. The command line takes it in as text.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "tsdown";

const MOST_BYTES = 250_000;

const [built] = await build({
  config: false,
  entry: "src/features/dashboard/page/main.tsx",
  format: "iife",
  platform: "browser",
  target: "es2022",
  tsconfig: "src/features/dashboard/page/tsconfig.json",
  dts: false,
  clean: false, // the command lines and native programs are in the same directory
  minify: true,
  write: false,
  logLevel: "warn",
  deps: { onlyBundle: false, alwaysBundle: [/./] },
});
const chunks = built?.chunks.flatMap((chunk) => (chunk.type === "chunk" ? [chunk.code] : [])) ?? [];
if (chunks.length !== 1) throw new Error(`the page is one script, not ${chunks.length}`);
const script = chunks[0].trim().replaceAll(/<\/script/gi, String.raw`<\/script`);
const style = ["src/features/dashboard/page/page.css", "src/features/dashboard/page/views.css"]
  .map((file) => smaller(readFileSync(file, "utf8")))
  .join("");
const html = readFileSync("src/features/dashboard/page/page.html", "utf8")
  .replace("__PAGE_STYLE__", () => style)
  .replace("__PAGE_SCRIPT__", () => script);
if (html.length > MOST_BYTES) throw new Error(`the page has ${html.length} bytes, more than ${MOST_BYTES}`);
mkdirSync("dist/page", { recursive: true });
writeFileSync("dist/page/page.txt", JSON.stringify({ html, style: hash(style), script: hash(script) }));

function smaller(css) {
  return css
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .trim();
}

function hash(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
