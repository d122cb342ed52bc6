const WRONG: readonly unknown[] = [undefined, null, "", 0, -1, [], {}, [null], "x".repeat(100_000)];

/** Copies of a JSON text, in each of which one value at or below a field is another: absent, empty, huge or of the wrong type. */
export function* damagedCopies(text: string, field: string): Generator<{ at: string; text: string }> {
  const whole = JSON.parse(text) as Readonly<Record<string, unknown>>;
  for (const path of pathsIn(whole[field], [field]))
    for (const wrong of WRONG) {
      const copy = JSON.stringify(replaced(whole, path, wrong));
      const shown = wrong === undefined ? "absent" : JSON.stringify(wrong).slice(0, 20);
      if (copy !== JSON.stringify(whole)) yield { at: `${path.join(".")} is ${shown}`, text: copy };
    }
}

function* pathsIn(value: unknown, at: readonly string[]): Generator<readonly string[]> {
  yield at;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* pathsIn(inner, [...at, key]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], wrong: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return wrong;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => [
    name,
    name === key ? replaced(inner, rest, wrong) : inner,
  ]);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
