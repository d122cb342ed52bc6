import type { AgentHooks, HookCallback, HookInput, HookOutput } from "./agent-sdk.ts";
import { timeLimit } from "../system/process/time-limit.ts";
import { type ToolUse, trackTodos, type Session } from "./session.ts";
import {
  type AnyTool,
  type Question,
  type ValidatorAnswer,
  askValidator,
  findValidator,
  type ValidationOutcome,
} from "./validation.ts";

/** How `createHooks` registers its callbacks. */
export interface HooksOptions {
  /** Seconds the Agent SDK waits for the validator before it lets the agent stop; the SDK's own default when absent. */
  readonly timeout?: number;
}

/**
 * Everything to hand to `query({ options: { hooks } })`: the stop hook, and the two hooks that count tools and keep the
 * `Todo` slice for it.
 */
export function createHooks(context: HookContext, options: HooksOptions = {}): AgentHooks {
  const countTool = createToolHook(context);
  const timeout = options.timeout ?? SDK_TIMEOUT_SECONDS;
  return {
    Stop: [{ hooks: [withTimeout(createStopHook(context), timeout * 1000)], ...options }],
    PostToolUse: [{ hooks: [countTool] }],
    PostToolUseFailure: [{ hooks: [countTool] }],
  };
}

/** The Agent SDK's default timeout (0.3.325). */
const SDK_TIMEOUT_SECONDS = 600;

/** Ends the question in time by our own clock: a validator that ignores its signal cannot hold the hook longer. */
function withTimeout(hook: HookCallback, ms: number): HookCallback {
  return (input, toolUseID, options) =>
    hook(input, toolUseID, { ...options, signal: timeLimit(ms, options?.signal) });
}

function createToolHook(context: HookContext): HookCallback {
  return (input: HookInput & ToolUse) => {
    const event = input.hook_event_name;
    if (event === "PostToolUse" || event === "PostToolUseFailure") context.toolCount += 1;
    if (event === "PostToolUse") trackTodos(context, input);
    return Promise.resolve({});
  };
}

/** How many stops are blocked by default before the agent may stop anyway. */
export const DEFAULT_MAX_STOP_RETRIES = 3;

/** Where hooks report; `console` is one. One that throws changes nothing. */
export interface HookLogger {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

/** What a `HookContext` is made of. */
export interface HookContextInit {
  readonly session: Session;
  readonly tools?: readonly AnyTool[];
  /** A whole number from 0 (never block); 3 when absent. */
  readonly maxStopRetries?: number;
  /** Warnings go to `process.emitWarning` when absent. */
  readonly logger?: HookLogger;
  /** What validators get as `cwd`; the cwd of the stop event when absent. */
  readonly cwd?: string;
}

/** The state that the hooks of one `query()` share. Make one for each execution: its counters are never reset. */
export class HookContext {
  readonly session: Session;
  readonly maxStopRetries: number;
  readonly cwd: string | undefined;
  /** Why the agent last wanted to stop; `null` before the first stop. */
  stopReason: string | null = null;
  /** How many tools were used. */
  toolCount = 0;
  /** How many stops were blocked. */
  retryCount = 0;
  readonly #tools: ReadonlyMap<string, AnyTool>;
  readonly #logger: HookLogger;

  constructor(init: HookContextInit) {
    this.session = init.session;
    this.cwd = init.cwd;
    this.maxStopRetries = wholeNumber(init.maxStopRetries ?? DEFAULT_MAX_STOP_RETRIES);
    this.#tools = new Map((init.tools ?? []).map((tool) => [tool.name, tool]));
    this.#logger = init.logger ?? warningLogger;
  }

  /** The tool of that name, if there is one. */
  getTool(name: string): AnyTool | undefined {
    return this.#tools.get(name);
  }

  /** Reports to the logger at once, and survives whatever the logger does, now or later. */
  log(level: keyof HookLogger, event: string, fields: object = {}): void {
    void this.#report(level, event, fields);
  }

  async #report(level: keyof HookLogger, event: string, fields: object): Promise<void> {
    try {
      const pending: unknown = this.#logger[level](event, fields);
      await pending;
    } catch (error) {
      process.emitWarning(`The logger failed at ${event}: ${String(error)}`, WARNING_TYPE);
    }
  }
}

/** Also guards `maxStopRetries` of a workspace, so that a mistake shows where it is made. */
export function wholeNumber(maxStopRetries: number): number {
  if (Number.isSafeInteger(maxStopRetries) && maxStopRetries >= 0) return maxStopRetries;
  throw new RangeError(`maxStopRetries must be a whole number from 0, not ${String(maxStopRetries)}.`);
}

const WARNING_TYPE = "AgentGauntletWarning";

const warningLogger: HookLogger = {
  debug() {},
  info() {},
  warn: emitWarning,
  error: emitWarning,
};

function emitWarning(event: string, fields: object = {}): void {
  process.emitWarning(`${event} ${JSON.stringify(fields)}`, WARNING_TYPE);
}

/**
 * The Agent SDK `Stop` callback: asks the context's `validate_completion` tool and blocks while the task is incomplete,
 * at most `maxStopRetries` times. Whatever goes wrong is logged and lets the agent stop.
 */
export function createStopHook(context: HookContext): HookCallback {
  return async (input, _toolUseID, options) => {
    if (input.hook_event_name !== "Stop") return {};
    context.stopReason = readStopReason(input);
    return decide(context, { stopReason: context.stopReason, signal: options?.signal, cwd: input.cwd });
  };
}

async function decide(context: HookContext, stop: Question): Promise<HookOutput> {
  const validator = findValidator(context);
  if (!validator || stop.signal?.aborted) return {};
  if (context.retryCount >= context.maxStopRetries) return giveUp(context);
  const answer = await askValidator(validator, context, stop);
  if (answer.kind === "errored") {
    context.log("warn", "stop_hook.validator_error", { error: answer.error });
    return {};
  }
  return answer.outcome.complete ? allow(context, answer) : block(context, answer.outcome);
}

/** No release of the Agent SDK up to 0.3.325 sends a `stopReason`; kept for one that will. */
function readStopReason(input: HookInput & { readonly stopReason?: unknown }): string {
  return typeof input.stopReason === "string" ? input.stopReason : "end_turn";
}

function giveUp(context: HookContext): HookOutput {
  const { retryCount, maxStopRetries } = context;
  context.log("warn", "stop_hook.max_retries_exceeded", { retryCount, maxStopRetries });
  return {};
}

type Answered = Extract<ValidatorAnswer, { readonly kind: "answered" }>;

function allow(context: HookContext, { outcome, isVerified }: Answered): HookOutput {
  const { reason } = outcome;
  if (isVerified) context.log("debug", "stop_hook.complete", { reason });
  else context.log("warn", "stop_hook.not_verified", { reason });
  return {};
}

function block(context: HookContext, outcome: ValidationOutcome): HookOutput {
  const reason = outcome.reason.trim() === "" ? REASON_NOT_GIVEN : outcome.reason;
  context.retryCount += 1;
  context.log("info", "stop_hook.incomplete", { reason, retryCount: context.retryCount });
  return { decision: "block", reason };
}

const REASON_NOT_GIVEN =
  "The task is not complete yet, and the validator gave no reason. Check your work against the task and finish it.";
