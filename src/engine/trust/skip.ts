import { allowedHash } from "../../config/gauntlet/gates-definition.ts";
import { type Notice, allow, type Verdict } from "../../core/stop/verdict.ts";
import { displayPath } from "../../core/path.ts";
import { type Asked, type SessionRecord, withGates, withStart } from "../../core/record/session-record.ts";
import { type Skip, type Spoken, userSaid } from "../../core/trust/spoken.ts";
import type { StopEvent } from "../../core/stop/stop-event.ts";
import { now } from "../../machine/clock.ts";
import { readText } from "../../machine/files/files.ts";
import type { Environment } from "../../machine/process/environment.ts";
import { sessionKey } from "../../machine/state/state-keys.ts";
import { readSkips, writeSkips } from "../../machine/state/skips.ts";
import { readDefinition, writeConsent } from "../../machine/state/trusted-gates.ts";
import { consentFor } from "./consent.ts";

interface GrantedStop {
  readonly event: StopEvent;
  readonly root: string;
  readonly record: SessionRecord;
  readonly env: Environment;
}

/** What the user's word does to a stop: it ends it, leaves gates out, or changes what the session is judged by. */
export interface Granted {
  readonly record: SessionRecord;
  readonly notices: readonly Notice[];
  /** Gates that are left out. */
  readonly skip: readonly string[];
  readonly ended?: { readonly verdict: Verdict; readonly facts: { readonly reason: string } };
}

/** Serves what the user said in the chat or at a terminal. What is served is quoted to the user: a model may have said it. */
export function serveGrants({ event, root, record, env }: GrantedStop): Granted {
  const { asked, ...rest } = record;
  const isFound = asked === undefined || isInTranscript(event, asked);
  const base = asked === undefined ? record : rest;
  if (asked !== undefined && !isFound) return { record: base, notices: refused(asked), skip: [] };
  const accepted = asked?.accept === undefined ? base : acceptedIn(base, { root, hash: asked.accept }, env);
  const acceptNotice = asked?.accept === undefined ? [] : [ACCEPTED];
  if (asked?.skip !== undefined)
    return { record: accepted, notices: acceptNotice, skip: [], ...ending(asked.skip, "in the chat") };
  return { ...fromTerminal({ event, root, record: accepted, env }, acceptNotice), record: accepted };
}

const ACCEPTED: Notice = {
  key: "accepted",
  text: "Gauntlet: the changed gates count from now on, because you wrote `gauntlet accept` in the chat.",
  isFirst: true,
};

/** Where the host writes no transcript there is nothing to check it against. */
function isInTranscript({ transcriptPath }: StopEvent, asked: Asked): boolean {
  const text = transcriptPath === undefined ? undefined : readText(transcriptPath, MAX_TRANSCRIPT_BYTES);
  if (text === undefined || !text.ok) return true;
  const isSaid = ({ skip, accept }: Spoken): boolean =>
    (asked.skip === undefined || skip === asked.skip) && (asked.accept === undefined || accept === true);
  return userSaid(text.value, isSaid);
}

const MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024;

function refused({ skip }: Asked): readonly Notice[] {
  const what = skip === undefined ? "to accept changed gates" : `to skip the gates ("${displayPath(skip)}")`;
  const text = `Gauntlet: something asked ${what} in your name, but no message of yours says so. It was refused.`;
  return [{ key: text, text, isFirst: true }];
}

function acceptedIn(
  record: SessionRecord,
  gates: { readonly root: string; readonly hash: string },
  env: Environment,
): SessionRecord {
  const definition = readDefinition(gates, env);
  if (definition === undefined) return record;
  const consent = consentFor(gates.root, env);
  if (consent?.decision === "allowed")
    writeConsent({ ...consent, at: now(), hash: allowedHash(definition), definition }, env);
  return withGates(withStart(record, { root: gates.root, at: now() }), gates);
}

function ending(reason: string, where: string): Required<Pick<Granted, "ended">> {
  const said = `"${displayPath(reason)}"`;
  const notice = `Gauntlet: this stop was not checked, because you said ${where}: ${said}`;
  return {
    ended: {
      facts: { reason },
      verdict: { ...allow("skipped", { detail: `you said ${where}: ${said}` }), notice },
    },
  };
}

/** What was granted at a terminal for this session, or for all; what was for one stop, which is the agent's own, is used up. */
function fromTerminal(
  { event, root, env }: GrantedStop,
  notices: readonly Notice[],
): Omit<Granted, "record"> {
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
  const whole = mine.find(({ gate }) => gate === undefined);
  if (whole !== undefined) return { notices, skip: [], ...ending(whole.reason, "at a terminal") };
  const left = mine.map(({ gate = "", reason, at }) => ({
    key: `skip ${gate} ${at}`,
    text: `Gauntlet: ${gate} was left out, because you said at a terminal: "${displayPath(reason)}"`,
    isFirst: true,
  }));
  return { notices: [...notices, ...left], skip: mine.flatMap(({ gate }) => gate ?? []) };
}
