import type { Skip } from "./spoken.ts";
import { now } from "../../system/clock.ts";
import { sessionKey } from "../../system/state/state-keys.ts";
import { listSessions } from "../../stop/session-store.ts";
import { readSkips, writeSkips } from "./skip-store.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings, tellTrouble } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";
import { refuseAgent, whyNoUser } from "../../report/user-at-terminal.ts";

export interface SkipOptions {
  readonly reason: string;
  readonly gate?: string;
  readonly once?: boolean;
  readonly for?: number;
  readonly session?: boolean;
}

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
    gate,
    until: lasts === undefined ? undefined : at + lasts,
    session,
  };
}

function latestSession(root: string, { env }: Terminal): string | undefined {
  const last = listSessions(env).find(({ session }) => session.root === root)?.session.lastStop;
  return last && sessionKey(last.event, root);
}

function howLong({ for: lasts, session }: SkipOptions): string {
  if (lasts !== undefined) return `for ${Math.round(lasts / 60_000)} min`;
  return session ? "in the latest session" : "at the next stop";
}
