import { whyNotGated, type StopHookSettings } from "../config/settings.ts";
import type { StopEvent } from "../hosts/stop-event.ts";
import type { NotNeeded } from "../run/result.ts";
import { isCoveredBy, isSameTree, minutesUntilDue, type PassRecord, type WorkTreeHistory } from "./passes.ts";
import { fresh, isSpent, openGates, resume, type RetryState } from "./retry-state.ts";
import type { MessageFacts } from "./status.ts";

/** The front end through which a stop comes in. */
export type Door = "stop-hook" | "brepl" | "sdk" | "acp";

/** What decides whether a stop needs no run; git examines the tree only if a row asks for it. */
interface StopFacts {
  readonly event: StopEvent | undefined;
  readonly stopHook: StopHookSettings;
  readonly workTree: WorkTreeHistory;
  readonly retries: RetryState;
  /** The session is damaged: it cannot put a stop off, nor have it wait for the interval. */
  readonly isDamaged: boolean;
  readonly now: number;
  /** A moment as people read it. */
  readonly inWords: (at: number) => string;
  readonly tree: () => Promise<KnownTree>;
}

/** The tree as far as it was examined. */
interface KnownTree {
  readonly isPassTree: boolean;
  readonly fingerprint: string | undefined;
  readonly baseCommit: string | undefined;
  /** What a failing check would be compared with. */
  readonly reference: string | undefined;
}

/** Why no gate runs, and what the session must remember about it. */
interface Ended {
  readonly status: NotNeeded["status"];
  readonly facts?: MessageFacts;
  readonly retries?: RetryState;
  /** The pass that answers. */
  readonly pass?: PassRecord;
}

/** One question before a run, and the answer that makes the run unnecessary. */
interface EarlyExit {
  readonly status: NotNeeded["status"];
  /** What it means to get past it. */
  readonly past: string;
  readonly when: (stop: StopFacts) => Ended | undefined | Promise<Ended | undefined>;
}

/** Every reason not to run gates for a stop of a project, in the order they are asked. */
export const EARLY_EXITS: readonly EarlyExit[] = [
  {
    status: "stop_hook_disabled",
    past: "the stop hook is enabled",
    when: ({ stopHook, event }) => {
      if (!stopHook.enabled) return { status: "stop_hook_disabled" };
      const detail = event && whyNotGated(stopHook, event);
      return detail === undefined ? undefined : { status: "stop_hook_disabled", facts: { detail } };
    },
  },
  {
    status: "deferred",
    past: "the agent is done",
    when: deferral,
  },
  {
    status: "passed",
    past: "the tree, the gates or the environment differ from those that passed last",
    when: async ({ tree, workTree: { pass }, retries, inWords }) => {
      if (!isCoveredBy(pass, { ...(await tree()), openFailures: retries.openFailures })) return undefined;
      const who =
        pass.isAhead === true ? `run ${pass.runNumber}, ahead of this stop,` : `run ${pass.runNumber}`;
      const detail = `nothing changed since ${who} passed at ${inWords(pass.at)}`;
      const forgotten = isSpent(retries) ? fresh(retries) : undefined;
      return { status: pass.status, facts: { detail }, pass, retries: forgotten };
    },
  },
  {
    status: "retry_limit_exceeded",
    past: "the tree is not one we gave up on",
    when: async (stop) => {
      const { gaveUpOn, fingerprint } = await resumed(stop);
      if (!isSameTree(gaveUpOn, fingerprint)) return undefined;
      const detail =
        "the gates failed on exactly these files until it gave up, and were not run again. Run `agent-gauntlet run` to check again";
      return { status: "retry_limit_exceeded", facts: { detail } };
    },
  },
  {
    status: "interval_not_elapsed",
    past: "not too soon after the last run",
    when: async (stop) => {
      const { runIntervalMinutes: intervalMinutes } = stop.stopHook;
      const isTooSoon = minutesUntilDue(stop.workTree.lastRun, intervalMinutes, stop.now) > 0;
      if (!isTooSoon || stop.isDamaged || openGates(await resumed(stop)).length > 0) return undefined;
      return { status: "interval_not_elapsed", facts: { intervalMinutes } };
    },
  },
];

async function resumed({ event, retries, workTree, tree }: StopFacts) {
  const { fingerprint } = await tree();
  return { ...resume(retries, { promptId: event?.promptId, fingerprint, pass: workTree.pass }), fingerprint };
}

/**
 * A stop in plan mode changes nothing and is never checked. Agents in the background put a check off once per prompt; if
 * they could do so again, or a dev server could at all, the gate would be off for the whole session.
 */
function deferral({ stopHook, event, retries, isDamaged }: StopFacts): Ended | undefined {
  if (!stopHook.defer || event === undefined) return undefined;
  if (event.permissionMode === "plan")
    return { status: "deferred", facts: { detail: "the agent is in plan mode" } };
  const prompt = event.promptId ?? "";
  const agents = event.backgroundTasks.filter(({ kind }) => kind === "agent").length;
  if (agents === 0 || isDamaged || retries.deferredFor === prompt) return undefined;
  const working = agents === 1 ? "1 background agent is" : `${agents} background agents are`;
  const detail = `${working} still running`;
  return { status: "deferred", facts: { detail }, retries: { ...retries, deferredFor: prompt } };
}
