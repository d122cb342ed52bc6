/**
 * The arrows between the folders of `src`, as docs/ARCHITECTURE.md shows them. Values are imported downwards only; types may also come
 * from a folder above, because a type lives where its value is made, but never from a feature or a front end.
 */
const LAYERS = [
  ["[^/]+\\.ts$"], // trouble.ts, path.ts, json.ts …: they import nothing but each other
  ["system/", "hosts/"],
  ["gates/"],
  ["feedback/"],
  ["config/"],
  ["stop/"],
  ["ledger/"],
  ["report/"],
  ["run/"],
  ["features/"],
  ["install/"],
  ["brepl/", "sdk/"],
  ["cli/", "(?:index|native)\\.ts$"],
];

/** The scripts: the only files that look up, each for the steps it names. */
const SCRIPTS = {
  "stop/handle-stop": ["run/", "features/trust/"],
  "stop/answer-stop": ["features/telemetry/"],
  "stop/record-stop": ["ledger/"],
  "stop/session-start": ["features/trust/"],
  "run/stages": ["features/(?:trust|guards|baseline|remote|ahead)/"],
};

const inSrc = (parts) => `^src/(?:${parts.join("|")})`;
const isFeature = (layer) => layer.includes("features/");
const scriptsIn = (layer) =>
  Object.keys(SCRIPTS).filter((file) => layer.some((folder) => file.startsWith(folder)));
const features = LAYERS.findIndex(isFeature);
const root = { path: inSrc(LAYERS[0]), pathNot: inSrc(LAYERS.at(-1)) };

const arrows = LAYERS.slice(0, -1).flatMap((layer, at) => {
  const above = LAYERS.slice(at + 1).flat();
  const aboveTypes = LAYERS.slice(Math.max(at + 1, features)).flat();
  const scripts = scriptsIn(layer);
  const from = at === 0 ? root : { path: inSrc(layer), pathNot: scripts.map((file) => `^src/${file}\\.ts$`) };
  const name = at === 0 ? "root files" : layer.map((folder) => `src/${folder}`).join(" and ");
  return [
    {
      name: `values go down: ${name}`,
      severity: "error",
      from,
      to: { path: inSrc(above), dependencyTypesNot: ["type-only"] },
    },
    {
      name: `no types of features and front ends: ${name}`,
      severity: "error",
      from: scripts.length === 0 ? from : { path: inSrc(layer), pathNot: from.pathNot },
      to: { path: inSrc(aboveTypes), dependencyTypes: ["type-only"] },
    },
    ...scripts.map((file) => ({
      name: `script: src/${file}.ts`,
      severity: "error",
      from: { path: `^src/${file}\\.ts$` },
      to: { path: inSrc(above), pathNot: inSrc(SCRIPTS[file]), dependencyTypesNot: ["type-only"] },
    })),
  ];
});

const beside = LAYERS.filter(({ length }) => length === 2).flatMap(([one, other]) =>
  [
    [one, other],
    [other, one],
  ].map(([a, b]) => ({
    name: `side by side: src/${a} and src/${b}`,
    severity: "error",
    from: { path: inSrc([a]) },
    to: { path: inSrc([b]), dependencyTypesNot: ["type-only"] },
  })),
);

module.exports = {
  forbidden: [
    ...arrows,
    ...beside.slice(0, -2), // the last pair is the front ends: cli/, index.ts and native.ts may use all
    {
      name: "no feature imports another",
      severity: "error",
      from: { path: "^src/features/([^/]+)/" },
      to: { path: "^src/features/", pathNot: "^src/features/$1/" },
    },
    {
      name: "no cycle",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "dynamic-import"] } },
    },
    {
      name: "pure: no effects",
      severity: "error",
      from: { path: ["^src/[^/]+\\.ts$", "^src/(?:hosts|feedback)/"], pathNot: "^src/native" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "files, processes and sockets belong to system/",
      severity: "error",
      from: { path: "^src/(?:config|gates|stop|run|install|report)/" },
      to: { dependencyTypes: ["core"], path: "^(?:fs|child_process|net|os)" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".tsx"] },
  },
};
