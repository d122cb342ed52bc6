/** A reviewer as `health --json` tells it. */
interface HealthFacts {
  readonly reviewer: { readonly name: string; readonly install: string };
  readonly state: string;
  readonly path?: string;
  readonly version?: string;
  readonly until?: number;
}

/** One object on one line, like every JSON we print. */
export function healthJson(healths: readonly HealthFacts[], wanted: readonly string[]): string {
  const reviewers = healths.map(({ reviewer, state, path, version, until }) => ({
    name: reviewer.name,
    state,
    used: wanted.includes(reviewer.name),
    version: version ?? null,
    path: path ?? null,
    restingUntil: until === undefined ? null : new Date(until).toISOString(),
    install: reviewer.install,
  }));
  return JSON.stringify({ format: 1, command: "health", reviewers });
}
