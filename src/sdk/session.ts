/** What an execution knows, in slices: one list of values for each class. */
export class Session {
  readonly #slices = new Map<SliceType<unknown>, unknown>();

  /** The values of one class. */
  slice<T>(type: SliceType<T>): SliceAccessor<T> {
    // A slice is only ever stored under the class of its values.
    const known = this.#slices.get(type) as SliceAccessor<T> | undefined;
    if (known) return known;
    const slice = new Slice(type);
    this.#slices.set(type, slice);
    return slice;
  }
}

/** The class that names a slice. */
export type SliceType<T> = abstract new (...parameters: never[]) => T;

/** Reads and changes one slice of a session. What it hands out is frozen and never changes afterwards. */
export interface SliceAccessor<T> {
  all(): readonly T[];
  latest(): T | undefined;
  where(predicate: (value: T) => boolean): readonly T[];
  append(value: T): void;
  /** Replaces everything with one value or several. */
  seed(values: T | Iterable<T>): void;
  clear(): void;
}

class Slice<T> implements SliceAccessor<T> {
  readonly #type: SliceType<T>;
  #values: readonly T[] = Object.freeze([]);

  constructor(type: SliceType<T>) {
    this.#type = type;
  }

  all(): readonly T[] {
    return this.#values;
  }

  latest(): T | undefined {
    return this.#values.at(-1);
  }

  where(predicate: (value: T) => boolean): readonly T[] {
    return Object.freeze(this.#values.filter((value) => predicate(value)));
  }

  append(value: T): void {
    this.#values = Object.freeze([...this.#values, value]);
  }

  seed(values: T | Iterable<T>): void {
    this.#values = Object.freeze(this.#isOneValue(values) ? [values] : [...values]);
  }

  clear(): void {
    this.#values = Object.freeze([]);
  }

  #isOneValue(values: T | Iterable<T>): values is T {
    if (values instanceof this.#type) return true;
    return typeof values !== "object" || values === null || !(Symbol.iterator in values);
  }
}
