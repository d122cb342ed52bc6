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
function cli(name: string, { source, plugins, entry, steps }: Options): UserConfig {
  return {
    ...common,
    plugins,
    entry: { [name]: source, ...entry },
    outDir: `dist/cli`,
    clean: [`dist/cli/${name}*`],
    format: "cjs",
    dts: false,
    minify: true,
    outputOptions: {
      chunkFileNames: (chunk) => `${name}/${nameOf(chunk)}.cjs`,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf(steps) }] },
    },
    inputOptions: {
      preserveEntrySignatures: "allow-extension",
      checks: { pluginTimings: false },
      // What a CommonJS bundle would take otherwise requires its parts at run time (jsonc-parser) or comes whole (OpenTelemetry).
      resolve: { mainFields: ["module", "main"] },
    },
  };
}

/** The commands of a feature, and what a run needs of it, are named after it: their files are all called the same. */
function nameOf({
  name,
  facadeModuleId,
}: {
  readonly name: string;
  readonly facadeModuleId?: string | null;
}): string {
  const [, feature, part] = /features\/([\w-]+)\/(commands?|at-run)\.ts$/.exec(facadeModuleId ?? "") ?? [];
  if (feature === undefined) return name;
  return part === "at-run" ? `${feature}-at-run` : feature;
}

interface Options extends Pick<UserConfig, "plugins"> {
  readonly source: string;
  readonly entry?: Readonly<Record<string, string>>;
  readonly steps: readonly Part[];
}

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

/** A part of a program that is one file: what its first modules need, as far as no part before it has that. */
interface Part {
  readonly name: string;
  readonly start: RegExp;
}

/** What a stop loads, step by step; each step is one file, because every file read costs a quarter of a millisecond. */
const STEPS: readonly Part[] = [
  { name: "first-answers", start: /src\/cli\/start-gauntlet\.ts$/ },
  { name: "record", start: /src\/(?:ledger\/record-verdict|features\/trust\/skip-store)\.ts$/ },
  { name: "run", start: /src\/(?:run\/run|words)\.ts$/ },
  // What a session's start needs, too, and what a run does before the rest of it is loaded.
  {
    name: "snapshot",
    start:
      /src\/(?:run\/take-lock|system\/git\/(?:questions|changes|snapshot)|system\/process\/leftovers|gates\/gate)\.ts$/,
  },
  { name: "gates", start: /src\/run\/stage-run\.ts$/ },
  { name: "gates-at-start", start: /src\/features\/trust\/at-stop\.ts$/ }, // without what only parsing settings needs
  { name: "failures", start: /src\/run\/failures\.ts$/ }, // a failing stop reads logs, but parses no settings
  { name: "settings", start: /src\/config\/gauntlet\/load\.ts$/ },
  { name: "statusline", start: /src\/cli\/commands\/statusline\.ts$/ },
];

const BREPL_STEPS: readonly Part[] = [
  { name: "first-answers", start: /src\/brepl\/start-brepl\.ts$/ },
  { name: "record", start: /src\/ledger\/record-verdict\.ts$/ },
  { name: "failures", start: /src\/brepl\/report-hooks\.ts$/ },
];

type Modules = { getModuleInfo: (id: string) => { readonly importers: readonly string[] } | null };

function partOf(parts: readonly Part[]) {
  return (id: string, modules: Modules): string | undefined => {
    if (id.includes("rolldown/runtime")) return parts[0]?.name;
    const importers = new Set([id]); // grows while it is walked
    for (const one of importers)
      for (const importer of modules.getModuleInfo(one)?.importers ?? []) importers.add(importer);
    return parts.find(({ start }) => [...importers].some((importer) => start.test(importer)))?.name;
  };
}

/**
 * What Bun compiles into the native program. Bun cuts by itself where ways through the program meet, into 48 files for a run of
 * gates; in parts like those of the package that run starts 1 ms sooner.
 */
const NATIVE: UserConfig = {
  ...common,
  target: "esnext",
  entry: { native: "src/native.ts" },
  outDir: "dist/native/source",
  clean: true,
  format: "esm",
  dts: false,
  minify: true,
  outputOptions: {
    chunkFileNames: "parts/[name].mjs",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf(STEPS) }] },
  },
  inputOptions: {
    preserveEntrySignatures: "allow-extension",
    checks: { pluginTimings: false },
    resolve: { mainFields: ["module", "main"], conditionNames: ["bun", "node"] },
  },
};

const PACKAGE: readonly UserConfig[] = [
  cli("agent-gauntlet", {
    source: "src/cli/agent-gauntlet.ts",
    entry: { engine: "src/run/run-and-record.ts" },
    steps: STEPS,
  }),
  cli("brepl", {
    source: "src/brepl/brepl.ts",
    plugins: [loading({ "export-stop.ts": "../agent-gauntlet/export-stop.cjs" })],
    steps: BREPL_STEPS,
  }),
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
        "run/run-and-record.ts": "./cli/engine.cjs",
      }),
    ],
    inputOptions: { checks: { pluginTimings: false } },
  },
];

/** `tsdown --env.NATIVE` is the first step of `npm run build:native`. */
export default defineConfig(({ env }) => (env?.["NATIVE"] ? NATIVE : [...PACKAGE]));
