import type { Skip } from "../../../core/trust/spoken.ts";
import { now } from "../../../machine/clock.ts";
import { sessionKey } from "../../../machine/state/state-keys.ts";
import { listSessionRecords } from "../../../machine/state/sessions.ts";
import { readSkips, writeSkips } from "../../../machine/state/skips.ts";
import { EXIT } from "../../exit-code.ts";
import { openSettings, tellTrouble } from "../../open-settings.ts";
import { printLine, type Terminal } from "../../output/terminal.ts";
import { refuseAgent, whyNoUser } from "./allow.ts";

export interface SkipOptions {
  readonly reason: string;
  readonly gate?: string;
  readonly once?: boolean;
  /** Milliseconds. */
  readonly for?: number;
  readonly session?: boolean;
}

/** Lets stops here go unchecked, because the user says so: the next one, for a while, or of the latest session. */
export async function skipCommand(terminal: Terminal, options: SkipOptions): Promise<number> {
  const why = whyNoUser(terminal);
  if (why !== undefined) return refuseAgent(terminal, "skip", why);
  const settings = await openSettings(terminal, { command: "skip" });
  if (typeof settings === "number") return settings;
  const { root, entryPoints } = settings;
  const names = [...new Set(entryPoints.flatMap(({ gates }) => gates.map(({ name }) => name)))];
  const { gate } = options;
  if (gate !== undefined && !names.includes(gate))
    return tellTrouble(terminal, { kind: "unknown-gate", name: gate, known: names }, { command: "skip" });
  const session = options.session ? latestSession(root, terminal) : undefined;
  if (options.session && session === undefined) {
    printLine(terminal.stderr, "No session has stopped here yet. Use --once or --for.");
    return EXIT.notOk;
  }
  const skips = [...readSkips(root, terminal.env, now()), skipFor(options, session)];
  const written = writeSkips(root, skips, terminal.env);
  if (!written.ok) return tellTrouble(terminal, written.trouble, { command: "skip" });
  printLine(
    terminal.stdout,
    `${gate ?? "Every gate"} is skipped ${howLong(options)}. The agent's stop will say why.`,
  );
  return EXIT.ok;
}

function skipFor({ reason, gate, for: lasts }: SkipOptions, session: string | undefined): Skip {
  const at = now();
  return {
    reason,
    at,
    ...(gate === undefined ? {} : { gate }),
    ...(lasts === undefined ? {} : { until: at + lasts }),
    ...(session === undefined ? {} : { session }),
  };
}

function latestSession(root: string, { env }: Terminal): string | undefined {
  const last = listSessionRecords(env).find((record) => record.root === root)?.lastStop;
  return last && sessionKey(last.event, root);
}

function howLong({ for: lasts, session }: SkipOptions): string {
  if (lasts !== undefined) return `for ${Math.round(lasts / 60_000)} min`;
  return session ? "in the latest session" : "at the next stop";
}
