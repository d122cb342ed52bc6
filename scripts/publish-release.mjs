// node scripts/publish-release.mjs [what npm publish takes, such as --dry-run or --provenance]: publishes dist/release/npm in order. A package
// whose version is there already is left out, so it can be run again after a failure.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve("dist/release/npm");
for (const file of readdirSync(folder).toSorted()) {
  const { name, version } = manifestIn(join(folder, file));
  const published = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" });
  if (published.stdout.trim() === version) {
    console.log(`${name}@${version} is published`);
    continue;
  }
  const args = [
    "publish",
    join(folder, file),
    "--access",
    "public",
    "--ignore-scripts",
    ...process.argv.slice(2),
  ];
  execFileSync("npm", args, { stdio: "inherit" });
}

function manifestIn(archive) {
  return JSON.parse(execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" }));
}
