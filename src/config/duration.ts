/** `90s`, `2m`, `1.5h`. */
export const DURATION = /^(\d+(?:\.\d+)?)\s*([smh])$/;

/** Units in seconds. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** The seconds of a duration with a unit; undefined for any other text. */
export function secondsIn(text: string): number | undefined {
  const [, amount, unit = ""] = DURATION.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 1);
}
