type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const WRONG: readonly Json[] = [null, "", 0, -1, [], {}, [null], { a: [null] }, "x".repeat(100_000)];

/** Copies of a JSON text, in each of which one value at or below a field is another: of the wrong type, empty or huge. */
export function* damagedCopies(text: string, field: string): Generator<{ at: string; text: string }> {
  const whole = JSON.parse(text) as { readonly [key: string]: Json };
  for (const path of pathsIn(whole[field] ?? null, [field]))
    for (const wrong of WRONG) {
      const copy = JSON.stringify(replaced(whole, path, wrong));
      const shown = JSON.stringify(wrong).slice(0, 20);
      if (copy !== JSON.stringify(whole)) yield { at: `${path.join(".")} is ${shown}`, text: copy };
    }
}

function* pathsIn(value: Json, at: readonly string[]): Generator<readonly string[]> {
  yield at;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* pathsIn(inner, [...at, key]);
}

function replaced(value: Json, [key, ...rest]: readonly string[], wrong: Json): Json {
  if (key === undefined || typeof value !== "object" || value === null) return wrong;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => [
    name,
    name === key ? replaced(inner, rest, wrong) : inner,
  ]);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
