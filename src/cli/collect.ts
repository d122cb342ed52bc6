/** Reads an option that may be given several times. Without a default of its own, so that help shows none. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
