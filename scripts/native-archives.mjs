// What a release offers to people without npm: an archive for each platform, SHA256SUMS, and the script that installs from them. The
// same executable gives the same bytes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { BREPL_CMD } from "./native-packages.mjs";

export function writeArchives(built, { root, out, notices, repository }) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const sums = built.map((platform) => {
    const name = `agent-gauntlet-${platform.name}.tar.gz`;
    const bytes = gzipSync(tar(entriesOf(platform, { root, notices })), { level: 9 });
    writeFileSync(join(out, name), bytes);
    return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(out, "install.sh"), installScript(root, repository), { mode: 0o755 });
}

/** The script of a release knows where releases are, if the package says so. */
function installScript(root, repository) {
  const script = readFileSync(join(root, "scripts/install.sh"), "utf8");
  const url = (repository?.url ?? repository ?? "").replace(/^git\+/, "").replace(/\.git$/, "");
  return url === "" ? script : script.replace("releases=''", `releases='${url}/releases'`);
}

function entriesOf({ os, file }, { root, notices }) {
  const isWindows = os === "win32";
  return [
    { name: basename(file), mode: 0o755, bytes: readFileSync(file) },
    isWindows
      ? { name: "brepl.cmd", mode: 0o755, bytes: Buffer.from(BREPL_CMD) }
      : { name: "brepl", linkTo: basename(file) },
    { name: "LICENSE", mode: 0o644, bytes: readFileSync(join(root, "LICENSE")) },
    { name: "THIRD-PARTY-NOTICES.txt", mode: 0o644, bytes: Buffer.from(notices) },
  ];
}

/** A tar file (ustar) without owners and times. */
function tar(entries) {
  const parts = entries.flatMap(({ name, mode = 0o777, linkTo = "", bytes = Buffer.alloc(0) }) => [
    header({ name, mode, linkTo, size: bytes.length }),
    bytes,
    Buffer.alloc(-bytes.length & 511),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

function header({ name, mode, linkTo, size }) {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(linkTo === "" ? "0" : "2", 156);
  block.write(linkTo, 157);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}

function octal(number, width) {
  return number.toString(8).padStart(width - 1, "0");
}
