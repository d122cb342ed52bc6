// node scripts/pack-release.mjs, after `npm run build:native -- --all`: adds to dist/release the npm packages as they will be published
// (npm/, in this order by name) and the list of what is in them (sbom.cdx.json), which SHA256SUMS names as well.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";

const release = resolve("dist/release");
const packages = join(release, "npm");
rmSync(packages, { recursive: true, force: true });
mkdirSync(packages, { recursive: true });

// Whoever installs one finds what it depends on: the platforms first, then the package that chooses one of them, then the main one.
const folders = readdirSync("dist/npm").filter((folder) => folder !== "native");
const inOrder = [...folders.map((folder) => `dist/npm/${folder}`), "dist/npm/native", "."];
for (const [at, folder] of inOrder.entries()) {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", packages, resolve(folder)];
  const stdio = ["ignore", "pipe", "ignore"];
  const [{ filename }] = JSON.parse(execFileSync("npm", args, { encoding: "utf8", stdio, shell: false }));
  renameSync(join(packages, filename), join(packages, `${String(at).padStart(2, "0")}-${filename}`));
}

const sbom = "sbom.cdx.json";
copyFileSync(join("dist", sbom), join(release, sbom));
const sum = createHash("sha256")
  .update(readFileSync(join(release, sbom)))
  .digest("hex");
const sums = join(release, "SHA256SUMS");
if (!readFileSync(sums, "utf8").includes(sbom)) appendFileSync(sums, `${sum}  ${sbom}\n`);
