// The npm packages of the native program: one for each platform, whose commands are the executable itself (no script between), and
// one that asks for whichever fits. Nothing runs at installation.
import { chmodSync, copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export function writePackages(built, { all, out, ...facts }) {
  rmSync(out, { recursive: true, force: true });
  const { name, version } = facts;
  for (const platform of built) writePlatformPackage(platform, { out, ...facts });
  const optionalDependencies = Object.fromEntries(
    all.map((platform) => [`${name}-${platform.name}`, version]),
  );
  writePackage(join(out, "native"), facts, { name: `${name}-native`, optionalDependencies });
}

function writePlatformPackage({ name: platform, os, cpu, libc, file }, { out, ...facts }) {
  const folder = join(out, platform);
  const program = basename(file);
  writePackage(folder, facts, {
    name: `${facts.name}-${platform}`,
    os: [os],
    cpu: [cpu],
    libc: libc && [libc],
    bin: { "agent-gauntlet-native": program, "brepl-native": os === "win32" ? "brepl.cmd" : program },
    files: [program, "brepl.cmd", "THIRD-PARTY-NOTICES.txt"],
  });
  linkOrCopy(file, join(folder, program));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), facts.notices);
  if (os === "win32") writeFileSync(join(folder, "brepl.cmd"), BREPL_CMD);
}

/** npm's own start files for Windows always start a program under the same name, so its name cannot decide what it does there. */
export const BREPL_CMD = '@"%~dp0agent-gauntlet.exe" brepl %*\r\n';

function writePackage(folder, { root, name: mainName, version, license, repository, description }, more) {
  mkdirSync(folder, { recursive: true });
  const { name, ...rest } = more;
  const about = { description: `${description} (Native program.)`, license, repository };
  const manifest = { name, version, ...about, ...rest };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), readmeOf(mainName));
}

function readmeOf(name) {
  return `# agent-gauntlet, native

The native program of the package \`${name}\`: the same commands without Node, and a quicker
answer to every stop. \`npm install --save-dev ${name}-native\` adds \`agent-gauntlet-native\` and \`brepl-native\`.
`;
}

/** A hundred megabytes that are there already. */
function linkOrCopy(file, target) {
  mkdirSync(dirname(target), { recursive: true });
  try {
    linkSync(file, target);
  } catch {
    copyFileSync(file, target);
  }
  chmodSync(target, 0o755);
}
