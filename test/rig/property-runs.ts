/** How often a property is tried. `npm run fuzz` multiplies it. */
export function runs(count: number): number {
  return count * Number(process.env["FUZZ_TIMES"] ?? 1);
}
