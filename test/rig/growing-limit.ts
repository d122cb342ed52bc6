/**
 * Tries with longer and longer limits, in seconds, until what must happen within the limit did: a test of a time limit
 * that does not depend on how fast the machine is.
 */
export async function withGrowingLimit<T>(
  attempt: (seconds: number) => Promise<T>,
  wasEnough: (result: T) => boolean,
  first = 1,
): Promise<T> {
  for (let seconds = first; ; seconds *= 4) {
    const result = await attempt(seconds);
    if (wasEnough(result) || seconds > 10) return result;
  }
}
