/** A project as detectors see it: names of all files, text of the manifests at its top. */
export class Project {
  readonly files: readonly string[];
  readonly #texts: ReadonlyMap<string, string>;

  constructor(files: readonly string[], texts: ReadonlyMap<string, string>) {
    this.files = files;
    this.#texts = texts;
  }

  /** The first of these that lies at the top. */
  find(...names: readonly string[]): string | undefined {
    return names.find((name) => this.files.includes(name));
  }

  has(...names: readonly string[]): boolean {
    return this.find(...names) !== undefined;
  }

  /** Whether any file, however deep, has such a path. */
  hasFile(pattern: RegExp): boolean {
    return this.files.some((file) => pattern.test(file));
  }

  /** The text of a manifest; empty where there is none. */
  text(name: string): string {
    return this.#texts.get(name) ?? "";
  }

  /** Whether one of these manifests says so. */
  says(pattern: RegExp, ...names: readonly string[]): boolean {
    return names.some((name) => pattern.test(this.text(name)));
  }
}

/** A command that really checks this project, and how we know. */
export interface DetectedCheck {
  readonly name: string;
  readonly command: string;
  /** The file that told us. */
  readonly source: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What one kind of project offers; nothing where it is not of that kind. */
export type Detector = (project: Project) => readonly DetectedCheck[];

/** A table row for the common case: this check, if that holds. */
type Row = DetectedCheck & { readonly when: boolean };

/** The checks of the rows whose condition holds. */
export function rows(...table: readonly Row[]): readonly DetectedCheck[] {
  return table.flatMap(({ when, ...check }) => (when ? [check] : []));
}
