import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Script } from "node:vm";
import { type CompiledFile, readCompiled, writeCompiled } from "./compiled-files.ts";

/** What Node gives every CommonJS file. */
declare const __dirname: string;
declare const require: (id: string) => unknown;

interface Module {
  exports: unknown;
}

type Wrapper = (exports: unknown, require: (id: string) => unknown, module: Module) => void;

interface LoadedFile extends CompiledFile {
  readonly isFresh: boolean;
}

/**
 * Runs one of our programs, file by file as its `require`s ask for them, from code that V8 compiled the last time: compiling
 * anew what a stop uses takes up to half as long as Node's own start (docs/decisions/0092). Only stops, which are many, leave
 * what was compiled for the next one.
 */
export function runProgram(main: string, { isStop }: { readonly isStop: boolean }): void {
  if (!("getBuiltinModule" in process)) return refuse();
  const files: LoadedFile[] = [];
  const modules = new Map<string, Module>();
  const load = (path: string): unknown => {
    const known = modules.get(path);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(path, module);
    const requireHere = (id: string): unknown =>
      id.startsWith(".") ? load(resolve(dirname(path), id)) : require(id);
    const file = compile(path);
    files.push(file);
    const wrapper = file.script.runInThisContext() as Wrapper; // that is what the bundler makes of each file
    wrapper(module.exports, requireHere, module);
    return module.exports;
  };
  process.once("exit", () => {
    if (isStop && files.some(({ isFresh }) => isFresh)) writeCompiled(files); // all of them: the others were used further than before
  });
  load(join(__dirname, main));
}

/** What the program cannot do without came with 20.16 and 22.3. */
function refuse(): void {
  const { node } = process.versions;
  process.stderr.write(
    `agent-gauntlet needs Node 20.16, 22.3 or newer. This is ${node}: install a newer one.\n`,
  );
  process.exitCode = 1;
}

function compile(path: string): LoadedFile {
  const text = readFileSync(path, "latin1"); // it is ASCII, and this way stays as small
  const cachedData = readCompiled(path);
  const script = new Script(text, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
  return { path, script, isFresh: cachedData === undefined || script.cachedDataRejected === true };
}
