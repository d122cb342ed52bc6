import { dirname, isAbsolute, join } from "node:path";
import { type Diagnostic, type Trouble, explain } from "../../trouble.ts";
import type { AbsolutePath } from "../../path.ts";
import { isFile, listDirectory, namesIn, readBytes, readText } from "../../system/files/files.ts";
import { CONFIG_FILE, configFileOf } from "../../system/files/find-project.ts";
import { SourceText } from "../source-text.ts";
import { isWithoutEffect } from "./without-effect.ts";

const MAX_DIAGNOSTICS = 200;
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/**
 * A directory that the configuration names. Only `validate` looks for it: for a run, a missing one is an
 * outcome.
 */
export interface ExpectedDirectory {
  readonly path: string;
  readonly complain: (obstacle: string) => Diagnostic;
}

export class ConfigFiles {
  /** Absolute paths of everything looked at, found or not: a cache of settings must watch these. */
  readonly lookedAt: string[] = [];
  readonly expected: ExpectedDirectory[] = [];
  readonly #order: string[] = [];
  readonly root: AbsolutePath;
  /** `.gauntlet/config.yml` or `.validator/config.yml`. */
  readonly configFile: string;
  readonly #diagnostics: Diagnostic[] = [];
  #untold = 0;
  #isSound = true;

  constructor(root: AbsolutePath) {
    this.root = root;
    this.configFile = configFileOf(root);
    if (this.configFile !== CONFIG_FILE) this.lookedAt.push(join(root, CONFIG_FILE));
  }

  /** The path of a file beside `config.yml`. */
  beside(name: string): string {
    return `${dirname(this.configFile)}/${name}`;
  }

  readonly report = (diagnostic: Diagnostic): void => {
    if (
      isWithoutEffect(diagnostic) &&
      this.#diagnostics.some(({ message }) => message === diagnostic.message)
    )
      return;
    if (diagnostic.severity === "error") this.#isSound = false;
    if (this.#diagnostics.length < MAX_DIAGNOSTICS) this.#diagnostics.push(diagnostic);
    else this.#untold += 1;
  };

  get isSound(): boolean {
    return this.#isSound;
  }

  get diagnostics(): readonly Diagnostic[] {
    const order = this.#order;
    const sorted = this.#diagnostics.toSorted(
      (a, b) =>
        order.indexOf(a.file) - order.indexOf(b.file) ||
        (a.line ?? Number.MAX_SAFE_INTEGER) - (b.line ?? Number.MAX_SAFE_INTEGER) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
    if (this.#untold === 0) return sorted;
    const file = sorted.at(-1)?.file ?? "";
    const severity = this.#isSound ? "warning" : "error";
    return [...sorted, { severity, file, message: `and ${this.#untold} more problems` }];
  }

  async read(file: string): Promise<SourceText | "missing" | "unreadable"> {
    const text = readText(this.#locate(file));
    if (text.ok) return new SourceText(file, text.value);
    if (text.trouble.kind === "file-missing") return "missing";
    this.report(troubleDiagnostic(file, text.trouble));
    return "unreadable";
  }

  exists(file: string): boolean {
    const path = this.#locate(file);
    return isFile(path);
  }

  async list(directory: string): Promise<readonly string[]> {
    const names = listDirectory(this.#locate(directory));
    if (names.ok) return names.value;
    if (names.trouble.kind !== "file-missing") this.report(troubleDiagnostic(directory, names.trouble));
    return [];
  }

  peek(file: string): Buffer | undefined {
    const bytes = readBytes(this.#watch(file), MAX_SCRIPT_BYTES);
    return bytes.ok ? bytes.value : undefined;
  }

  peekNames(directory: string): readonly string[] {
    return namesIn(this.#watch(directory));
  }

  /** Not watched: the time of a directory changes with every file that is created in it. */
  isFile(path: string): boolean {
    return isFile(join(this.root, path));
  }

  #locate(file: string): string {
    this.#order.push(file);
    return this.#watch(file);
  }

  #watch(file: string): string {
    const path = isAbsolute(file) ? file : join(this.root, file);
    this.lookedAt.push(path);
    return path;
  }
}

function troubleDiagnostic(file: string, trouble: Trouble): Diagnostic {
  const base = { severity: "error", file } as const;
  if (trouble.kind === "text-invalid")
    return {
      ...base,
      line: trouble.line,
      column: trouble.column,
      message: `cannot be read: ${trouble.detail}`,
    };
  return {
    ...base,
    message: trouble.kind === "file-failed" ? `cannot be read: ${trouble.detail}` : explain(trouble),
  };
}
