import type { RunEvent } from "../../run/request.ts";
import type { Verdict } from "../../stop/verdict.ts";
import { absolutePath } from "../../path.ts";
import { answerStop } from "../../stop/answer-stop.ts";
import { handleStop } from "../../stop/handle-stop.ts";
import { startIn } from "../../stop/session.ts";
import { readSession } from "../../stop/session-store.ts";
import { findProject } from "../../system/files/find-project.ts";
import type { Environment } from "../../system/process/environment.ts";

/** A turn of the agent that has just ended, as its session and its prompt are known to us. */
export interface EndedTurn {
  readonly sessionId: string;
  readonly cwd: string;
  readonly promptId: string;
  /** How often it was sent back for this prompt. */
  readonly blocks: number;
  /** When the agent got its last prompt. */
  readonly since: number;
  readonly mode: string | undefined;
  /** Name and version, as the agent says. */
  readonly agent: string | undefined;
}

export interface Check {
  readonly env: Environment;
  readonly onlyAllowed: boolean;
  readonly signal: AbortSignal;
  /** Gates are about to run. */
  readonly onGates: (names: readonly string[]) => void;
}

/** May the turn end? Undefined where the agent's own stop hook has answered that. */
export async function checkTurn(turn: EndedTurn, check: Check): Promise<Verdict | undefined> {
  const { env, onlyAllowed, signal, onGates } = check;
  if (isAllowedByHook(turn, env)) return undefined;
  const stop = {
    event: {
      host: "acp",
      hostVersion: turn.agent,
      sessionId: turn.sessionId,
      promptId: turn.promptId,
      cwd: absolutePath(turn.cwd),
      continued: turn.blocks > 0,
      backgroundTasks: [],
      permissionMode: turn.mode,
    },
    env,
    onlyAllowed,
    onEvent: (event: RunEvent) => {
      if (event.kind === "run-planned") onGates(event.plan.gates.map(({ gate }) => gate.name));
    },
  };
  const { given, sent } = await answerStop(stop, { door: "acp", decide: handleStop, give }, signal);
  sent.catch(() => false); // the agent goes on meanwhile
  return given.verdict;
}

/** What the agent is told becomes its next prompt. */
function give(verdict: Verdict) {
  return { stdout: verdict.decision === "block" ? verdict.feedback : "", exitCode: 0, verdict };
}

/**
 * Agents run their stop hooks under ACP, too, and name the session alike. A hook that let this turn end has spoken. A block that did not
 * keep the agent from ending has not; nor has a hook that was registered only after the session began: an agent can start one itself.
 */
function isAllowedByHook({ sessionId, cwd, since }: EndedTurn, env: Environment): boolean {
  const root = findProject(cwd);
  const session = readSession({ sessionId, cwd }, env).value;
  const { lastStop } = session ?? {};
  if (root === undefined || lastStop === undefined) return false;
  const isRegistered = (startIn(session, root)?.hooks ?? []).length > 0;
  const isAnswer = lastStop.door === "stop-hook" && lastStop.at >= since;
  const { decision, status, notice } = lastStop.verdict;
  const isAfterNoBlock = status === "stop_hook_active" && notice === undefined; // an agent may claim that it was blocked before
  return isRegistered && isAnswer && decision === "allow" && !isAfterNoBlock;
}
