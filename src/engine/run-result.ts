import type { Status } from "../core/status.ts";
import { type MessageFacts, statusMessage } from "../core/status-message.ts";
import { explain, type Trouble } from "../core/trouble.ts";
import type { RunResult } from "./run-request.ts";

/** A result of a run in which no gate ran. */
export function withoutGates(status: Status, facts: MessageFacts = {}): RunResult {
  const { intervalMinutes } = facts;
  return {
    status,
    message: statusMessage(status, facts),
    outcomes: [],
    gatesRun: 0,
    gatesFailed: 0,
    ...(intervalMinutes === undefined ? {} : { intervalMinutes }),
  };
}

/** Our own trouble never looks like a failed gate. */
export function troubleResult(trouble: Trouble): RunResult {
  const detail = explain(trouble);
  const status = troubleStatus(trouble);
  return { ...withoutGates(status, { detail: detail.replace(/\.$/, "") }), trouble, errorMessage: detail };
}

/** The status of a run that trouble kept from running. */
export function troubleStatus(trouble: Trouble): Status {
  if (trouble.kind === "no-config") return "no_config";
  return trouble.kind === "lock-held" ? "lock_conflict" : "error";
}
