// Fills the marked section of docs/sdk-api.md with what src/sdk/index.ts exports, taken from the types and their comments.
// With --check it writes nothing and fails when the section is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import ts from "typescript";

const ENTRY = fileURLToPath(new URL("../src/sdk/index.ts", import.meta.url));
const PAGE = fileURLToPath(new URL("../docs/sdk-api.md", import.meta.url));
const START = "<!-- api-reference: written by `npm run api-reference` -->";
const END = "<!-- api-reference: end -->";

const SECTIONS = {
  "Functions and constants": (node) => ts.isFunctionDeclaration(node) || ts.isVariableStatement(node),
  Classes: ts.isClassDeclaration,
  Types: (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
};

const before = readFileSync(PAGE, "utf8");
const after = await format(insert(before, reference(readExports())), {
  ...(await resolveConfig(PAGE)),
  filepath: PAGE,
});
if (!process.argv.includes("--check")) writeFileSync(PAGE, after);
else if (after !== before) {
  console.error("The API reference in docs/sdk-api.md is stale. Run `npm run api-reference`.");
  process.exitCode = 1;
}

function insert(page, text) {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/sdk-api.md has no section between ${START} and ${END}`);
  return `${page.slice(0, start + START.length)}\n\n${text}\n\n${page.slice(end)}`;
}

/** The declarations behind the exports, as the compiler would publish them. */
function readExports() {
  const index = ts.createSourceFile(ENTRY, readFileSync(ENTRY, "utf8"), ts.ScriptTarget.ES2023, true);
  return index.statements.filter(ts.isExportDeclaration).flatMap(({ moduleSpecifier, exportClause }) => {
    const file = publish(fileURLToPath(new URL(moduleSpecifier.text, pathToFileURL(ENTRY))));
    return exportClause.elements.map(({ name }) => findDeclaration(file, name.text));
  });
}

/** Works without the rest of the program, because what is exported says its types. */
function publish(fileName) {
  const source = readFileSync(fileName, "utf8");
  const compilerOptions = { isolatedDeclarations: true, target: ts.ScriptTarget.ES2023 };
  const { outputText, diagnostics } = ts.transpileDeclaration(source, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  });
  for (const { messageText } of diagnostics) throw new Error(`${fileName}: ${JSON.stringify(messageText)}`);
  return ts.createSourceFile(fileName, outputText, ts.ScriptTarget.ES2023, true);
}

function findDeclaration(file, name) {
  const node = file.statements.find((statement) => namesOf(statement).includes(name));
  if (node === undefined) throw new Error(`No declaration of ${name} in ${file.fileName}`);
  const [comment] = node.jsDoc ?? [];
  return { name, node, comment: ts.getTextOfJSDocComment(comment?.comment) ?? "", code: codeOf(node) };
}

function namesOf(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return statement.name === undefined ? [] : [statement.name.getText()];
}

function codeOf(node) {
  return node
    .getText()
    .replace(/^export (?:declare )?/, "")
    .replace(/^ +#private;\n/m, "");
}

function reference(declarations) {
  return Object.entries(SECTIONS)
    .map(([title, belongs]) => {
      const entries = declarations
        .filter(({ node }) => belongs(node))
        .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
        .map(({ name, comment, code }) => `### ${name}\n\n${comment}\n\n\`\`\`ts\n${code}\n\`\`\``);
      return [`## ${title}`, ...entries].join("\n\n");
    })
    .join("\n\n");
}
