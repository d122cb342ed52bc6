import type { Diagnostic } from "../trouble.ts";

export interface Complaint {
  readonly severity?: Diagnostic["severity"];
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const MAX_EXCERPT = 160;
const MAX_WORDS = 500;

export class SourceText {
  readonly file: string;
  readonly content: string;
  /** Front matter, for example, begins in line 2. */
  readonly #linesBefore: number;
  #lines: readonly string[] | undefined;

  constructor(file: string, content: string, linesBefore = 0) {
    this.file = file;
    this.content = content;
    this.#linesBefore = linesBefore;
  }

  complain({ line, column }: Position, { severity = "error", message, hint }: Complaint): Diagnostic {
    const excerpt = this.#excerpt(line, column);
    return {
      severity,
      file: this.file,
      line: line + this.#linesBefore,
      column,
      message: readable(message),
      excerpt,
      hint: hint === undefined ? undefined : readable(hint),
    };
  }

  complainAboutFile(message: string): Diagnostic {
    return { severity: "error", file: this.file, message };
  }

  #excerpt(line: number, column: number): string | undefined {
    this.#lines ??= this.content.split(/\r?\n/);
    const excerpt = this.#lines[line - 1]?.slice(0, MAX_EXCERPT);
    if (excerpt === undefined || excerpt.trim() === "" || column > MAX_EXCERPT) return undefined;
    return printable(excerpt);
  }
}

function readable(words: string): string {
  const text = printable(words);
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text;
}

/** One column for each character, and no terminal control characters. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, " ").trimEnd();
}

export const DURATION = /^(\d+(?:\.\d+)?)\s*([smh])$/;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

export function secondsIn(text: string): number | undefined {
  const [, amount, unit = ""] = DURATION.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 1);
}
