import { timeLimit } from "../machine/time-limit.ts";
import type { Project } from "./project.ts";
import type { RunRequest } from "./run-request.ts";

/** Time to end the gates, write down what happened and answer before the host stops listening. */
const MARGIN_MS = 10_000;

/** Aborts when the caller says so or, for a stop hook, when the host's patience is nearly over. */
export function deadlineOf({ settings }: Project, request: RunRequest): AbortSignal {
  const asked = request.signal ?? new AbortController().signal;
  if (!request.checkInterval) return asked;
  const { timeoutMs } = settings.stopHook;
  return timeLimit(Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2), asked);
}
