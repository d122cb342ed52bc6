import { defineConfig, type UserConfig } from "tsdown";

const common: UserConfig = {
  platform: "node",
  target: "node20",
  fixedExtension: true,
  deps: { onlyBundle: false },
};

/**
 * The command lines are CommonJS, split at every dynamic import: the entry starts about 30 ms faster than ESM under Node 20 and
 * loads only what a command needs. Each is built alone, so that its first file holds all that its first answers need.
 */
function cli(name: string, { plugins, entry }: Pick<UserConfig, "plugins"> & Entries = {}): UserConfig {
  return {
    ...common,
    plugins,
    entry: { [name]: `src/cli/${name}.ts`, ...entry },
    outDir: `dist/cli`,
    clean: [`dist/cli/${name}*`],
    format: "cjs",
    dts: false,
    minify: true,
    outputOptions: {
      chunkFileNames: `${name}/[name].cjs`,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: stepOf }] },
    },
    inputOptions: {
      preserveEntrySignatures: "allow-extension",
      checks: { pluginTimings: false },
      // What a CommonJS bundle would take otherwise requires its parts at run time (jsonc-parser) or comes whole (OpenTelemetry).
      resolve: { mainFields: ["module", "main"] },
    },
  };
}

type Entries = { readonly entry?: Readonly<Record<string, string>> };

/** What is large is in the package once: the others load that of `agent-gauntlet` when they need it, from these places. */
function loading(places: Readonly<Record<string, string>>) {
  return {
    name: "loads-that-of-agent-gauntlet",
    resolveId: (source: string) => {
      const id = Object.entries(places).find(([name]) => source.endsWith(`/${name}`))?.[1];
      return id === undefined ? undefined : { id, external: true as const };
    },
  };
}

/** What a stop loads, step by step; each step is one file, because every file read costs a quarter of a millisecond. */
const STEPS = [
  { name: "first-answers", start: /src\/cli\/start-(?:gauntlet|brepl)\.ts$/ },
  { name: "record", start: /src\/engine\/proof\/record-verdict\.ts$/ },
  { name: "run", start: /src\/engine\/(?:run|brepl)\.ts$/ },
  { name: "gates-at-start", start: /src\/engine\/trust\/watch-gates\.ts$/ }, // without what only parsing settings needs
  { name: "failures", start: /src\/engine\/run\/failures\.ts$/ }, // a failing stop reads logs, but parses no settings
  { name: "settings", start: /src\/config\/gauntlet\/load\.ts$/ },
];

type Modules = { getModuleInfo: (id: string) => { readonly importers: readonly string[] } | null };

function stepOf(id: string, modules: Modules): string | undefined {
  if (id.includes("rolldown/runtime")) return STEPS[0]?.name;
  const importers = new Set([id]); // grows while it is walked
  for (const one of importers)
    for (const importer of modules.getModuleInfo(one)?.importers ?? []) importers.add(importer);
  return STEPS.find(({ start }) => [...importers].some((importer) => start.test(importer)))?.name;
}

export default defineConfig([
  cli("agent-gauntlet", { entry: { engine: "src/engine/library.ts" } }),
  cli("brepl", { plugins: [loading({ "export-stop.ts": "../agent-gauntlet/export-stop.cjs" })] }),
  {
    ...common,
    entry: { index: "src/index.ts", sdk: "src/sdk/index.ts" },
    outDir: "dist",
    clean: ["dist/*.mjs", "dist/*.mts"],
    format: "esm",
    dts: true,
    minify: true,
    plugins: [
      loading({
        "export-stop.ts": "./cli/agent-gauntlet/export-stop.cjs",
        "engine/library.ts": "./cli/engine.cjs",
      }),
    ],
    inputOptions: { checks: { pluginTimings: false } },
  },
]);
