/** One thing wrong with an EDN text, at an offset. */
export interface EdnProblem {
  readonly start: number;
  readonly message: string;
  readonly hint?: string;
}

const WHITESPACE = /[\t-\r\u001c- ,\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/;
const MACRO = /["#();[\\\]^{}]/;

/** Whether Clojure's reader skips this character. */
export function isBlank(character: string): boolean {
  return WHITESPACE.test(character);
}

/** Whether the character means something by itself, so that a number ends before it. */
export function isMacro(character: string): boolean {
  return MACRO.test(character);
}

/** A place in a text and the problems met so far. */
export class EdnCursor {
  readonly text: string;
  readonly problems: EdnProblem[] = [];
  /** The end was reached inside something: whatever is missing now is missing because of that. */
  cutOff = false;
  offset = 0;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith("\uFEFF")) this.offset = 1;
  }

  /** The character `ahead` places on; empty at the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.offset + ahead);
  }

  report(start: number, message: string, hint?: string): void {
    if (this.cutOff) return;
    this.problems.push({ start, message, ...(hint === undefined ? {} : { hint }) });
  }

  /** Reports the one problem behind which nothing can be trusted, and goes to the end. */
  giveUp(start: number, message: string): void {
    this.report(start, message);
    this.cutOff = true;
    this.offset = this.text.length;
  }

  skipBlanksAndComments(): void {
    for (;;) {
      const character = this.peek();
      if (character === ";") this.skipLine();
      else if (character !== "" && isBlank(character)) this.offset++;
      else return;
    }
  }

  /** Takes characters up to a blank, or to one that `endsAt` names. */
  takeUntil(endsAt: (character: string) => boolean): string {
    const start = this.offset;
    for (;;) {
      const character = this.peek();
      if (character === "" || isBlank(character) || endsAt(character)) break;
      this.offset++;
    }
    return this.text.slice(start, this.offset);
  }

  private skipLine(): void {
    const newline = this.text.slice(this.offset).search(/[\n\r]/);
    this.offset = newline === -1 ? this.text.length : this.offset + newline + 1;
  }
}
