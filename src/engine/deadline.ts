import { timeLimit } from "../machine/time-limit.ts";
import type { Project } from "./project.ts";
import type { RunRequest } from "./run-request.ts";

/** A request that ends, whatever it meets. */
export type BoundedRequest = RunRequest & { readonly signal: AbortSignal };

/** Time to end the gates, write down what happened and answer before the host stops listening. */
const MARGIN_MS = 10_000;

/** Ends when the caller says so or, for a stop hook, when the host's patience is nearly over. */
export function withDeadline(request: RunRequest, { settings }: Project): BoundedRequest {
  const asked = request.signal ?? new AbortController().signal;
  if (!request.checkInterval) return { ...request, signal: asked };
  const { timeoutMs } = settings.stopHook;
  return { ...request, signal: timeLimit(Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2), asked) };
}
