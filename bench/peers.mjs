import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CACHE } from "./fixtures.mjs";

/** The last versions that run on the oldest Node we support. */
const NPM_PEERS = {
  lefthook: "2.2.2",
  "@j178/prek": "0.5.3",
  turbo: "2.11.10",
  wireit: "0.14.13",
  concurrently: "9.2.1",
};

const PLACE = join(CACHE, "peers");

/** What of the field can run here, and why the rest cannot. Installed into the cache when it is not there yet. */
export function findPeers({ install }) {
  const skipped = [];
  const versions = {};
  for (const [name, version] of Object.entries(NPM_PEERS)) {
    const problem = ensureInstalled(name, version, install);
    if (problem === undefined) versions[name] = version;
    else skipped.push({ name, reason: problem });
  }
  const preCommit = onPath("pre-commit");
  if (preCommit === undefined) {
    skipped.push({ name: "pre-commit", reason: "not on the PATH (Debian: apt-get install pre-commit)" });
  } else
    versions["pre-commit"] = execFileSync(preCommit, ["--version"], { encoding: "utf8" })
      .trim()
      .split(" ")[1];
  return {
    versions,
    skipped,
    bin: (name) => join(PLACE, "node_modules", ".bin", name),
    native: nativeLefthook(),
  };
}

/** For measurements without the field. */
export function noPeers() {
  return { versions: {}, skipped: [], bin: (name) => name, native: undefined };
}

function ensureInstalled(name, version, mayInstall) {
  if (installedVersion(name) === version) return undefined;
  if (!mayInstall) return "not installed yet, and --quick installs nothing";
  mkdirSync(PLACE, { recursive: true });
  if (!existsSync(join(PLACE, "package.json")))
    writeFileSync(join(PLACE, "package.json"), '{"private":true}\n');
  try {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--save-exact", `${name}@${version}`], {
      cwd: PLACE,
      stdio: ["ignore", "ignore", "pipe"],
    });
    return undefined;
  } catch (error) {
    return `npm could not install it: ${String(error.stderr ?? error)
      .trim()
      .split("\n")
      .at(-1)}`;
  }
}

function installedVersion(name) {
  const file = join(PLACE, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/** The program behind the Node shim, for those who install it by other means than npm. */
function nativeLefthook() {
  const name = `lefthook-${process.platform}-${process.arch}`;
  const file = join(PLACE, "node_modules", name, "bin", "lefthook");
  return existsSync(file) ? file : undefined;
}

function onPath(program) {
  return process.env.PATH.split(delimiter)
    .map((dir) => join(dir, program))
    .find((file) => existsSync(file));
}
