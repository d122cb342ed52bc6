import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { SIDEBAR } from "./sidebar.mjs";

const ROOT = new URL("../../", import.meta.url);
const { repository } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
const repositoryUrl = (repository?.url ?? repository)?.replace(/^git\+/, "").replace(/\.git$/, "");

/** The pages lie outside of this folder, so that they would not find its packages. */
const vueForPages = {
  name: "vue-for-pages",
  enforce: "pre",
  resolveId(source, importer) {
    const isOfPage = /^vue($|\/)/.test(source) && importer?.includes("/docs/");
    return isOfPage ? this.resolve(source, fileURLToPath(import.meta.url), { skipSelf: true }) : undefined;
  },
};

export default defineConfig({
  title: "agent-gauntlet",
  description: "Your coding agent says it is done. Is it?",
  srcDir: "../docs",
  outDir: "./dist",
  base: process.env["DOCS_BASE"] ?? "/", // GitHub Pages serves a project below its name
  cleanUrls: true,
  lastUpdated: false,
  vite: { plugins: [vueForPages], ssr: { external: ["vue", "vue/server-renderer"] } },
  themeConfig: {
    search: { provider: "local" },
    outline: "deep",
    sidebar: SIDEBAR,
    socialLinks: repositoryUrl ? [{ icon: "github", link: repositoryUrl }] : [],
  },
  markdown: {
    config: (markdown) => void (markdown.renderer.rules.link_open = linkOutOfDocs(markdown.renderer)),
  },
});

/** The site holds `docs/` alone. A link to another file of the repository goes to the repository, or nowhere if it has no address. */
function linkOutOfDocs(renderer) {
  const rendered =
    renderer.rules.link_open ?? ((tokens, at, options) => renderer.renderToken(tokens, at, options));
  return (tokens, at, options, env, self) => {
    const token = tokens[at];
    const href = token.attrGet("href") ?? "";
    const target = new URL(href, new URL(`docs/${env.relativePath}`, ROOT));
    const isOutside =
      target.protocol === "file:" && !target.pathname.startsWith(new URL("docs/", ROOT).pathname);
    if (!isOutside) return rendered(tokens, at, options, env, self);
    if (repositoryUrl === undefined) token.attrs = [];
    else token.attrSet("href", `${repositoryUrl}/blob/main/${target.pathname.slice(ROOT.pathname.length)}`);
    return self.renderToken(tokens, at, options);
  };
}
