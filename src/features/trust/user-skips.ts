import { allowedHash } from "../../config/gauntlet/gates-hash.ts";
import type { Considered, Stop } from "../../stop/handle-stop.ts";
import type { OpenSession } from "../../stop/open-session.ts";
import {
  type Asked,
  type RecordedGates,
  withAcceptedSettings,
  withGates,
  withStart,
} from "../../stop/session.ts";
import { allow, type Verdict } from "../../stop/verdict.ts";
import type { StopEvent } from "../../hosts/stop-event.ts";
import { displayPath } from "../../path.ts";
import { now } from "../../system/clock.ts";
import { readText } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { sessionKey } from "../../system/state/state-keys.ts";
import { consentFor } from "./consent.ts";
import { readDefinition, writeConsent } from "./gates-store.ts";
import { readSkips, writeSkips } from "./skip-store.ts";
import { type Skip, type Spoken, userSaid } from "./spoken.ts";

export interface UserSkips {
  readonly gates: readonly string[];
  readonly wholeStop?: { readonly verdict: Verdict; readonly facts: { readonly reason: string } };
}

/** Applies what the user said in the chat or at a terminal, and quotes it to the user: a model may have said it. */
export function applyUserSkips({ event, env }: Stop, considered: Considered): UserSkips {
  const { root, session, notices } = considered;
  const { asked } = session.value;
  if (asked !== undefined) {
    session.change((stored) => withoutAsked(stored, asked));
    if (!isInTranscript(event, asked)) {
      notices.add(refusal(asked));
      return { gates: [] };
    }
    if (asked.accept !== undefined) {
      acceptGates(session, { root, hash: asked.accept }, env);
      session.change((stored) => ({ ...stored, acceptsTests: true }));
      notices.add({ rank: "skipped", key: "accepted", text: ACCEPTED });
    }
    if (asked.skip !== undefined) return skipWhole(considered, asked.skip, "in the chat");
  }
  const skips = skipsOfTerminal(event, root, env);
  const whole = skips.find(({ gate }) => gate === undefined);
  if (whole !== undefined) return skipWhole(considered, whole.reason, "at a terminal");
  for (const { gate = "", reason, at } of skips) {
    const text = `Gauntlet: ${gate} was left out, because you said at a terminal: "${displayPath(reason)}"`;
    notices.add({ rank: "skipped", key: `skip ${gate} ${at}`, text });
  }
  return { gates: skips.flatMap(({ gate }) => gate ?? []) };
}

/** A newer request stays for the next stop. */
function withoutAsked(stored: OpenSession["value"], served: Asked): OpenSession["value"] {
  const { asked, ...rest } = stored;
  const isServed = asked?.skip === served.skip && asked?.accept === served.accept;
  return isServed ? rest : stored;
}

const ACCEPTED =
  "Gauntlet: the changed gates, tests and tool settings count from now on, because you wrote `gauntlet accept` in the chat.";

/** Without a transcript there is nothing to check it against. */
function isInTranscript({ transcriptPath }: StopEvent, asked: Asked): boolean {
  const text = transcriptPath === undefined ? undefined : readText(transcriptPath, MAX_TRANSCRIPT_BYTES);
  if (text === undefined || !text.ok) return true;
  const isSaid = ({ skip, accept }: Spoken): boolean =>
    (asked.skip === undefined || skip === asked.skip) && (asked.accept === undefined || accept === true);
  return userSaid(text.value, isSaid);
}

const MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024;

function refusal({ skip }: Asked) {
  const what = skip === undefined ? "to accept changed gates" : `to skip the gates ("${displayPath(skip)}")`;
  const text = `Gauntlet: something asked ${what} in your name, but no message of yours says so. It was refused.`;
  return { rank: "tampering" as const, key: text, text };
}

function acceptGates(session: OpenSession, gates: RecordedGates, env: Environment): void {
  const definition = readDefinition(gates, env);
  if (definition === undefined) return;
  const consent = consentFor(gates.root, env);
  if (consent?.decision === "allowed")
    writeConsent({ ...consent, at: now(), hash: allowedHash(definition), definition }, env);
  session.change(withStart({ root: gates.root, at: now() }));
  session.change(withGates(gates));
  session.change(withAcceptedSettings);
}

function skipWhole({ notices }: Considered, reason: string, where: string): UserSkips {
  const said = `"${displayPath(reason)}"`;
  const text = `Gauntlet: this stop was not checked, because you said ${where}: ${said}`;
  notices.add({ rank: "skipped", text });
  const verdict = allow("skipped", { detail: `you said ${where}: ${said}` });
  return { gates: [], wholeStop: { verdict, facts: { reason } } };
}

/** Skips for this session or all; a skip for one stop is used up, but not by a subagent. */
function skipsOfTerminal(event: StopEvent, root: string, env: Environment): readonly Skip[] {
  const all = readSkips(root, env, now());
  const isPart = event.parentId !== undefined;
  const key = sessionKey(isPart ? { ...event, sessionId: event.parentId } : event, root);
  const mine = all.filter(
    ({ session, until }) => session === key || (session === undefined && (until !== undefined || !isPart)),
  );
  const isOver = (one: Skip): boolean =>
    mine.includes(one) && one.until === undefined && one.session === undefined;
  writeSkips(
    root,
    all.filter((one) => !isOver(one)),
    env,
  );
  return mine;
}
