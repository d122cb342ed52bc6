// npm run build:native [-- --all] [--compile-only] [--out=DIRECTORY]: the native program of this platform, or of all of them, as executables
// (dist/native/), npm packages (dist/npm/) and archives with their checksums (dist/release/). With --write-order, what hooks use is
// noted again first: when they have come to use much else, and with every new version of Bun.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bunFile } from "./bun-file.mjs";
import { writeArchives } from "./native-archives.mjs";
import { writeOrder } from "./native-order.mjs";
import { writePackages } from "./native-packages.mjs";

/** Names are those of the packages and archives; `bun` is what Bun calls the same platform. */
const PLATFORMS = [
  { name: "linux-x64", os: "linux", cpu: "x64", libc: "glibc", bun: "linux-x64" },
  { name: "linux-arm64", os: "linux", cpu: "arm64", libc: "glibc", bun: "linux-arm64" },
  { name: "linux-x64-musl", os: "linux", cpu: "x64", libc: "musl", bun: "linux-x64-musl" },
  { name: "darwin-x64", os: "darwin", cpu: "x64", bun: "darwin-x64" },
  { name: "darwin-arm64", os: "darwin", cpu: "arm64", bun: "darwin-arm64" },
  { name: "windows-x64", os: "win32", cpu: "x64", bun: "windows-x64" },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const { name, version, license, description, repository } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

const args = process.argv.slice(2);
const dist = join(root, "dist");
const out = args.find((arg) => arg.startsWith("--out="))?.slice("--out=".length) ?? dist;
const platforms = args.includes("--all") ? PLATFORMS : PLATFORMS.filter(isThisOne);
if (platforms.length === 0) throw new Error(`no native program for ${process.platform} ${process.arch}`);

execFileSync(process.execPath, [tsdownFile(), "--env.NATIVE", "--logLevel", "error"], {
  cwd: root,
  stdio: "inherit",
});
const order = join(root, "scripts", "native-order.txt");
if (args.includes("--write-order")) writeOrder(dirname(compile(PLATFORMS.find(isThisOne))), order);
const built = platforms.map((platform) => ({ ...platform, file: compile(platform) }));
if (!args.includes("--compile-only")) {
  const notices = `${readFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), "utf8")}\n${"-".repeat(80)}\n\n${bunNotice()}`;
  const facts = { root, notices, name, version, license, description, repository };
  writePackages(built, { all: PLATFORMS, out: join(out, "npm"), ...facts });
  writeArchives(built, { out: join(out, "release"), ...facts });
}
for (const { file } of built) console.log(relative(process.cwd(), file));

function compile({ name, os, bun }) {
  const file = join(out, "native", name, os === "win32" ? "agent-gauntlet.exe" : "agent-gauntlet");
  rmSync(dirname(file), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  const flags = [
    "--compile",
    "--format=esm",
    "--splitting",
    "--bytecode", // without it the program starts slower than under Node
    `--bytecode-order=${order}`, // what hooks use together at the front
    "--compile-jit-policy=1000", // most runs end before compiled code would pay
    "--no-compile-autoload-dotenv", // a project's files must not configure the program that checks it
    "--no-compile-autoload-bunfig",
    `--target=bun-${bun}`,
    `--outfile=${file}`,
  ];
  execFileSync(bunFile(), ["build", ...flags, "dist/native/source/native.mjs"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (os !== "win32") symlinkSync(basename(file), join(dirname(file), "brepl"));
  return file;
}

function tsdownFile() {
  const file = createRequire(import.meta.url).resolve("tsdown/package.json");
  return join(dirname(file), JSON.parse(readFileSync(file, "utf8")).bin.tsdown);
}

function bunNotice() {
  const { bun } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
  return `bun ${bun} (MIT)

The runtime inside the executable. It links JavaScriptCore (LGPL-2) and other libraries; their licences, the sources and how to build
it with a changed JavaScriptCore: https://bun.com/docs/project/license
`;
}

function isThisOne({ os, cpu, libc }) {
  if (os !== process.platform || cpu !== process.arch) return false;
  return libc === undefined || libc === (isGlibc() ? "glibc" : "musl");
}

function isGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}
