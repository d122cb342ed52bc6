// node scripts/check-release.mjs TAG: whether this tree can be released under this tag; otherwise what is missing, a line each.
import { readFileSync } from "node:fs";
import { renamedFiles } from "./set-package-name.mjs";

const [, , tag = ""] = process.argv;
const { name, version, repository } = readJson("package.json");
const problems = [
  tag !== `v${version}` && `the tag is ${tag || "missing"}, but package.json has version ${version}`,
  !/^@[^/]+\/agent-gauntlet$/.test(name) &&
    `${name} is not a name of its own: node scripts/set-package-name.mjs @owner/agent-gauntlet`,
  !/^(?:git\+)?https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(repository?.url ?? repository ?? "") &&
    "package.json has no `repository` (https://github.com/owner/name): provenance, links and install.sh need it",
  ...["package-lock.json", ".claude-plugin/plugin.json"].map(
    (file) =>
      readJson(file).version !== version && `${file} has version ${readJson(file).version}, not ${version}`,
  ),
  !readFileSync("CHANGELOG.md", "utf8").includes(`\n## [${version}]`) &&
    `CHANGELOG.md has no heading "## [${version}]"`,
  ...renamedFiles(name).map(
    ({ file }) => `${file} names the package otherwise: node scripts/set-package-name.mjs ${name}`,
  ),
].filter(Boolean);

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
