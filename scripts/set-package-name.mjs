// node scripts/set-package-name.mjs NAME: gives the package another name, with a scope or without, wherever people or programs would
// fetch it by its name. Its programs keep theirs: `agent-gauntlet`, `agent-gauntlet-native`, `brepl`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = [
  "README.md",
  "llms.txt",
  "package.json",
  "package-lock.json",
  ".claude-plugin/marketplace.json",
];
const FOLDERS = ["docs", "examples", "scripts", "test"];

/** Any name that it had before. */
const ANY_NAME = String.raw`(?:@[\w.-]+/)?agent-gauntlet`;

if (process.argv[1] === import.meta.filename) {
  const [, , name = ""] = process.argv;
  if (/^(?:@[a-z\d][\w.-]*\/)?agent-gauntlet$/.test(name)) {
    for (const { file, text } of renamedFiles(name)) writeFileSync(file, text);
  } else {
    const why = "npx starts the program that is called like the part after the slash";
    console.error(`Type a name like @owner/agent-gauntlet: ${why}.`);
    process.exitCode = 2;
  }
}

/** The files that another name changes, with their new text. */
export function renamedFiles(name) {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:md|ya?ml|mjs|ts|sh|snap)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const below = files.filter((file) => !file.endsWith("release.test.ts")); // which tries other names
  return [...FILES, ...below].flatMap((file) => {
    const before = readFileSync(file, "utf8");
    const text = renamed(before, name, file.startsWith("test"));
    return text === before ? [] : [{ file, text }];
  });
}

/** Where a text means the package, not its program: what is installed, fetched, imported, or looked up in `node_modules`. */
function renamed(text, name, isTest) {
  const fetched = [
    String.raw`\b(?:npm|pnpm|yarn|bun) (?:install|i|add)(?: -[\w-]+)* `,
    String.raw`(?:from|import\() ?"`,
    String.raw`"package": "`,
    String.raw`"(?:devD|d)ependencies": \{ "`,
    ...(isTest ? [] : ["node_modules/"]), // tests make such directories themselves
  ].join("|");
  return text
    .replaceAll(new RegExp(`(${fetched})${ANY_NAME}(?![\\w.])`, "g"), `$1${name}`)
    .replaceAll(new RegExp(`(\\bnpx (?:--yes )?)${ANY_NAME}(?![\\w.-])`, "g"), `$1${name}`)
    .replaceAll(new RegExp(`("name": ")${ANY_NAME}(",\\s+"version")`, "g"), `$1${name}$2`);
}
