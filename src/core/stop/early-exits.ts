import { whyNotGated, type StopHookSettings } from "../settings.ts";
import {
  fresh,
  isCoveredBy,
  isSameTree,
  isSpent,
  minutesUntilDue,
  openGates,
  type PassRecord,
  resumeSession,
  type SessionHistory,
  type WorkTreeHistory,
} from "../record/history.ts";
import type { NotNeeded } from "../run.ts";
import type { MessageFacts, Status } from "./status.ts";
import type { StopEvent } from "./stop-event.ts";

/** Where a stop comes in. */
export type Door = "stop-hook" | "brepl" | "sdk";

/** What decides whether a stop ends early; the tree is looked at only when a row asks for it. */
interface StopFacts {
  readonly event: StopEvent | undefined;
  readonly stopHook: StopHookSettings;
  readonly gateHash: string;
  readonly workTree: WorkTreeHistory;
  readonly session: SessionHistory;
  readonly now: number;
  /** A moment as people read it. */
  readonly inWords: (at: number) => string;
  readonly tree: () => Promise<KnownTree>;
}

/** The tree as far as it was looked at. */
interface KnownTree {
  readonly isPassTree: boolean;
  readonly fingerprint: string | undefined;
  readonly baseCommit: string | undefined;
  /** What a red check would be compared with. */
  readonly reference: string | undefined;
}

/** Why no gate runs, and what the session must remember about it. */
interface Ended {
  readonly status: NotNeeded["status"];
  readonly facts?: MessageFacts;
  readonly session?: SessionHistory;
  /** The pass that answers. */
  readonly pass?: PassRecord;
}

/** One question on the way to the gates, and the answer that ends the stop before it gets there. */
interface EarlyExit {
  readonly status: Status;
  readonly doors: readonly Door[];
  /** What it means to get past it, and to be ended by it. */
  readonly past: string;
  readonly ended: string;
  /** Asked before a run; where it is absent, the step of that name decides it. */
  readonly when?: (stop: StopFacts) => Ended | undefined | Promise<Ended | undefined>;
}

const GAUNTLET = ["stop-hook", "sdk"] as const;

/** Every way a stop ends before a gate runs, in the order they are asked. */
export const EARLY_EXITS: readonly EarlyExit[] = [
  { status: "invalid_input", doors: ["stop-hook", "brepl"], past: "it is a stop", ended: "it is not a stop" },
  {
    status: "stop_hook_active",
    doors: ["stop-hook"],
    past: "not a continuation of a blocked stop, or every stop is enforced",
    ended:
      "the agent continues after a block and is let through (stop_hook.when_active: allow, or the gates were given up on)",
  },
  {
    status: "no_config",
    doors: GAUNTLET,
    past: "a project with gates",
    ended: "no .gauntlet/config.yml here or above",
  },
  { status: "no_config", doors: ["brepl"], past: "there are hooks", ended: "no hooks in .brepl/hooks.edn" },
  {
    status: "skipped",
    doors: GAUNTLET,
    past: "the user did not skip the gates",
    ended: "the user skipped the gates",
  },
  {
    status: "not_allowed",
    doors: ["stop-hook"],
    past: "the gates are allowed, or the hook is the project's own",
    ended: "the hook serves every project, and these gates have not been allowed",
  },
  {
    status: "stop_hook_disabled",
    doors: GAUNTLET,
    past: "the stop hook is enabled",
    ended: "the stop hook is disabled, or this event is not gated",
    when: ({ stopHook, event }) => {
      if (!stopHook.enabled) return { status: "stop_hook_disabled" };
      const detail = event && whyNotGated(stopHook, event);
      return detail === undefined ? undefined : { status: "stop_hook_disabled", facts: { detail } };
    },
  },
  {
    status: "deferred",
    doors: GAUNTLET,
    past: "the agent is done",
    ended: "the agent is not done: it is planning, or background agents are working for it",
    when: ({ stopHook, event, session }) => (stopHook.defer ? deferred(event, session) : undefined),
  },
  {
    status: "passed",
    doors: GAUNTLET,
    past: "the tree differs from the one that passed last",
    ended: "the tree is the one that passed last",
    when: async ({ tree, workTree: { pass }, gateHash, session, inWords }) => {
      if (!isCoveredBy(pass, { ...(await tree()), gateHash })) return undefined;
      return { ...reusedPass(pass, inWords), ...(isSpent(session) ? { session: fresh(session) } : {}) };
    },
  },
  {
    status: "retry_limit_exceeded",
    doors: GAUNTLET,
    past: "the tree is not one we gave up on",
    ended: "the tree is the one we gave up on",
    when: async (stop) => {
      const { gaveUpOn, fingerprint } = await resumed(stop);
      return isSameTree(gaveUpOn, fingerprint) ? gaveUp() : undefined;
    },
  },
  {
    status: "interval_not_elapsed",
    doors: GAUNTLET,
    past: "not too soon after the last run",
    ended: "too soon after the last run",
    when: async (stop) => {
      const { runIntervalMinutes: intervalMinutes } = stop.stopHook;
      const isTooSoon = minutesUntilDue(stop.workTree.lastRun, intervalMinutes, stop.now) > 0;
      if (!isTooSoon || openGates(await resumed(stop)).length > 0) return undefined;
      return { status: "interval_not_elapsed", facts: { intervalMinutes } };
    },
  },
  {
    status: "lock_conflict",
    doors: GAUNTLET,
    past: "no other run is in progress",
    ended: "another run is in progress",
  },
  { status: "no_changes", doors: GAUNTLET, past: "something changed", ended: "nothing changed" },
  {
    status: "no_applicable_gates",
    doors: GAUNTLET,
    past: "some gates apply",
    ended: "no gate applies to the changes",
  },
];

function deferred(event: StopEvent | undefined, session: SessionHistory): Ended | undefined {
  const deferral = deferralOf(event, session);
  if (deferral === undefined) return undefined;
  const remembered = deferral.session === session ? {} : { session: deferral.session };
  return { status: "deferred", facts: { detail: deferral.reason }, ...remembered };
}

function gaveUp(): Ended {
  const detail =
    "the gates failed on exactly these files until it gave up, and were not run again. Run `agent-gauntlet clean` to start over";
  return { status: "retry_limit_exceeded", facts: { detail } };
}

function reusedPass(pass: PassRecord, inWords: (at: number) => string): Ended {
  const { runNumber, at, status } = pass;
  const detail = `nothing changed since run ${runNumber} passed at ${inWords(at)}`;
  return { status, facts: { detail }, pass };
}

async function resumed({ event, session, workTree, tree }: StopFacts) {
  const { fingerprint } = await tree();
  return {
    ...resumeSession(session, { promptId: event?.promptId, fingerprint, pass: workTree.pass }),
    fingerprint,
  };
}

/** Why a stop is not the end of the work, and what the session must remember about it. */
interface Deferral {
  readonly reason: string;
  readonly session: SessionHistory;
}

/**
 * A stop in plan mode changes nothing and is never checked. Agents in the background put a check off once per prompt; if
 * they could do so again, or a dev server could at all, the gate would be off for the whole session.
 */
function deferralOf(event: StopEvent | undefined, session: SessionHistory): Deferral | undefined {
  if (event === undefined) return undefined;
  if (event.permissionMode === "plan") return { reason: "the agent is in plan mode", session };
  const prompt = event.promptId ?? "";
  const agents = event.backgroundTasks.filter(({ kind }) => kind === "agent").length;
  if (agents === 0 || session.deferredFor === prompt) return undefined;
  const reason = agents === 1 ? "1 background agent is" : `${agents} background agents are`;
  return { reason: `${reason} still running`, session: { ...session, deferredFor: prompt } };
}
