import { join } from "node:path";
import { now } from "../clock.ts";
import { readText, writeFileAtomic } from "../files/files.ts";
import { sha256 } from "#hash";
import { stateHome } from "../files/xdg.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How long a reviewer that has reached its limit is left alone. */
const COOLDOWN_MS = 60 * 60 * 1000;

/** Until when a reviewer is left alone, in any project; undefined when it may be asked. */
export function restingUntil(reviewer: string, env: Environment): number | undefined {
  const text = readText(cooldownFile(reviewer, env));
  const until = text.ok ? Number(text.value) : Number.NaN;
  const left = until - now();
  return left > 0 && left <= COOLDOWN_MS ? until : undefined; // a clock that was set back must not make it longer
}

/** Remembers that a reviewer has reached its limit. A state directory that cannot be written costs only a second try. */
export function letRest(reviewer: string, env: Environment): number {
  const until = now() + COOLDOWN_MS;
  writeFileAtomic(cooldownFile(reviewer, env), `${until}\n`);
  return until;
}

/** One file for each reviewer, so that two runs cannot overwrite each other's. */
function cooldownFile(reviewer: string, env: Environment): string {
  const name = /^[a-z-]{1,40}$/.test(reviewer) ? reviewer : sha256(reviewer).slice(0, 32);
  return join(stateHome(env), "reviewers", `${name}.resting`);
}
