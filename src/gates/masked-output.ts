/** Hides secrets in output on its way to a log. Works line by line, for a secret may arrive in two chunks. */
export class MaskedOutput {
  readonly #mask: (text: string) => string;
  readonly #write: (chunk: Buffer) => void;
  #rest = "";

  /** `mask` gets bytes as Latin-1 text, so that output in any encoding comes through unchanged. */
  constructor(mask: (text: string) => string, write: (chunk: Buffer) => void) {
    this.#mask = mask;
    this.#write = write;
  }

  push(chunk: Buffer): void {
    const text = this.#rest + chunk.toString("latin1");
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf("\n") + 1;
    this.#rest = text.slice(end);
    if (end > 0) this.#pass(text.slice(0, end));
  }

  end(): void {
    if (this.#rest !== "") this.#pass(this.#rest);
    this.#rest = "";
  }

  #pass(text: string): void {
    this.#write(Buffer.from(this.#mask(text), "latin1"));
  }
}

const LONGEST_LINE = 1024 * 1024;

/** The environment as `mask` of a `MaskedOutput` meets it: the bytes of every value as Latin-1. */
export function inLatin1(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value === undefined ? undefined : Buffer.from(value, "utf8").toString("latin1"),
    ]),
  );
}
