import { defineConfig, type UserConfig } from "tsdown";

/**
 * The CLIs are CommonJS, split at every dynamic import: the entry starts ~30 ms faster than ESM and loads only what a
 * command needs. Each is built alone: what two entries share would become files of its own, and each file read at the
 * start costs a quarter of a millisecond.
 */
function cli(name: string): UserConfig[] {
  const common: UserConfig = {
    format: "cjs",
    platform: "node",
    target: "node20",
    fixedExtension: true,
    dts: false,
    minify: true,
    deps: { onlyBundle: false },
  };
  const start: UserConfig = {
    ...common,
    entry: { [name]: `src/bin/${name}.ts` },
    outDir: "dist/cli",
    clean: [`dist/cli/${name}.cjs`],
    inputOptions: { checks: { pluginTimings: false } },
  };
  const program: UserConfig = {
    ...common,
    entry: { main: `src/cli/${name}.ts` },
    outDir: `dist/cli/${name}`,
    outputOptions: {
      chunkFileNames: "[name].cjs",
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: layerOf }] },
    },
    // jsonc-parser's CommonJS build loads its parts by names that no bundler can follow; its ES build does not.
    inputOptions: {
      resolve: { mainFields: ["module", "main"] },
      preserveEntrySignatures: "allow-extension",
      checks: { pluginTimings: false },
    },
    plugins: [
      {
        name: "made-for-run-program",
        generateBundle: (_options, files) => {
          for (const file of Object.values(files))
            if (file.type === "chunk") file.code = asFunction(inAscii(dropUnusedRuntime(file)));
        },
      },
    ],
    // Its UMD build, the one a CommonJS bundle would take, requires its parts at run time.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  };
  return [start, program];
}

/** The first file of a program uses none of the bundler's helpers, yet asks for the file they are in, which costs it a read. */
function dropUnusedRuntime({ fileName, code }: { readonly fileName: string; readonly code: string }): string {
  if (fileName !== "main.cjs") return code;
  return code.replace(/(?<=[,;])require\(`\.\/rolldown-runtime\.cjs`\)(?=[,;])/, "0");
}

/** One letter beyond Latin makes V8 keep the whole text in twice the memory, which every child that is started has to be given. */
function inAscii(code: string): string {
  if (/String\.raw`[^`]*[^\p{ASCII}`]/u.test(code))
    throw new Error("String.raw would show an escape as it is");
  return code.replaceAll(/[^\p{ASCII}]/gu, (letter) =>
    [...Array(letter.length).keys()]
      .map((at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** What `src/bin/run-program.ts` runs; put around the text only there, it would be a second copy of it. */
function asFunction(code: string): string {
  return `(function (exports, require, module) {${code}\n})`;
}

/** What a stop loads, step by step: a module belongs to the first step that needs it, and each step is one file. */
const STEPS = [
  { name: "stop", start: /src\/cli\/(?:agent-gauntlet|brepl)\.ts$/ },
  { name: "unchanged", start: /src\/engine\/execute-run\.ts$/ },
  { name: "run", start: /src\/engine\/run-project\.ts$/ },
  { name: "gates", start: /src\/engine\/run-under-lock\.ts$/ },
  { name: "hooks", start: /src\/cli\/commands\/brepl-stop\.ts$/ },
  { name: "settings", start: /src\/config\/gauntlet\/load\.ts$/ },
];

type Modules = { getModuleInfo: (id: string) => { readonly importers: readonly string[] } | null };

function layerOf(id: string, modules: Modules): string | undefined {
  if (id.includes("rolldown/runtime")) return STEPS[0]?.name;
  const importers = importersOf(id, modules);
  return STEPS.find(({ start }) => importers.some((importer) => start.test(importer)))?.name;
}

/** The module and everything that imports it when it is itself loaded. */
function importersOf(id: string, modules: Modules): readonly string[] {
  const found = new Set([id]);
  for (const one of found)
    for (const importer of modules.getModuleInfo(one)?.importers ?? []) found.add(importer);
  return [...found];
}

export default defineConfig([
  ...cli("agent-gauntlet"),
  ...cli("brepl"),
  {
    entry: { index: "src/index.ts", sdk: "src/sdk/index.ts" },
    outDir: "dist",
    clean: ["dist/*.mjs", "dist/*.mts"],
    format: "esm",
    platform: "node",
    target: "node20",
    fixedExtension: true,
    dts: true,
    inputOptions: { checks: { pluginTimings: false } },
    deps: { onlyBundle: false },
  },
]);
