// Writes what the libraries are that the bundle contains: their licences into dist/THIRD-PARTY-NOTICES.txt, a list for programs into
// dist/sbom.cdx.json (CycloneDX).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const sources = readdirSync("src", { recursive: true }).filter((name) => /\.tsx?$/.test(name));
/** What the MCP SDK, the OpenTelemetry SDK and clack bring into the bundle. */
const BROUGHT_ALONG = [
  "@clack/core",
  "ajv",
  "ajv-formats",
  "fast-deep-equal",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-uri",
  "fast-wrap-ansi",
  "json-schema-traverse",
  "sisteransi",
  ...["core", "otlp-exporter-base", "otlp-transformer", "semantic-conventions"].map(
    (name) => `@opentelemetry/${name}`,
  ),
];

const imported = new Set(
  sources.flatMap((name) => importedPackages(readFileSync(join("src", name), "utf8"))),
);
const names = new Map();
const components = [];
for (const name of [...imported, ...BROUGHT_ALONG].toSorted((a, b) => a.localeCompare(b))) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  components.push({
    type: "library",
    name,
    version,
    licenses: [{ expression: license }],
    purl: purlOf(name, version),
  });
  names.set(text, [...(names.get(text) ?? []), `${name} ${version} (${license})`]);
}
// Many have the very same text, which need not be there ten times.
const notices = [...names].map(([text, packages]) => `${packages.join("\n")}\n\n${text}\n`);
writeFileSync("dist/THIRD-PARTY-NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

const own = JSON.parse(readFileSync("package.json", "utf8"));
const bun = { name: "bun", version: own.devDependencies.bun };
const runtime = {
  type: "framework",
  ...bun,
  scope: "optional",
  description: "Inside the native executables only.",
  licenses: [{ expression: "MIT" }],
  purl: purlOf(bun.name, bun.version),
};
const component = {
  type: "application",
  name: own.name,
  version: own.version,
  purl: purlOf(own.name, own.version),
};
const sbom = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component } };
writeFileSync(
  "dist/sbom.cdx.json",
  `${JSON.stringify({ ...sbom, components: [...components, runtime] }, null, 2)}\n`,
);

function purlOf(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Types are erased and optional peers are not bundled: only what is imported for real. */
function importedPackages(text) {
  const specifiers = [...text.matchAll(/^import (?!type)[^;]*? from "([^".#][^"]*)"/gm)].map(
    ([, specifier]) => specifier,
  );
  return specifiers
    .filter((specifier) => !specifier.startsWith("node:"))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}
