import { join } from "node:path";
import ts from "typescript";

/**
 * Compiles programs, given by name, as if they were files of a directory, with `--strict` and nothing stricter; answers
 * with the errors of each. The packages of that directory are what they import.
 */
export function typeErrors<Name extends string>(
  directory: string,
  programs: Readonly<Record<Name, string>>,
): Readonly<Record<Name, readonly string[]>> {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  };
  const names = Object.keys(programs) as Name[]; // exactly the keys of the record
  const texts = new Map(
    names.map((name, index) => [join(directory, `program-${index}.mts`), programs[name]]),
  );
  const program = ts.createProgram([...texts.keys()], options, overlay(options, texts));
  const errors = [...texts.keys()].map((path) => errorsOf(program, path));
  return Object.fromEntries(names.map((name, index) => [name, errors[index] ?? []])) as Record<
    Name,
    string[]
  >; // a row for each name
}

function overlay(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const disk = ts.createCompilerHost(options);
  return {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const text = texts.get(path);
      if (text === undefined) return disk.getSourceFile(path, language, ...rest);
      return ts.createSourceFile(path, text, language);
    },
  };
}

function errorsOf(program: ts.Program, path: string): readonly string[] {
  const file = program.getSourceFile(path);
  return ts
    .getPreEmitDiagnostics(program, file)
    .map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}
