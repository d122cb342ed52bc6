import { randomUUID } from "node:crypto";
import { now } from "../../system/clock.ts";
import { withOwnCommand } from "../../system/process/runtime.ts";
import type { SessionName } from "../../system/state/state-keys.ts";
import type { Environment } from "../../system/process/environment.ts";
import type { Verdict } from "../../stop/verdict.ts";
import { checkTurn } from "./check-turn.ts";
import {
  fieldsOf,
  idKey,
  isAnswer,
  isRequest,
  lineOf,
  type Message,
  modeIn,
  readMessage,
  textIn,
  typedText,
} from "./messages.ts";

export interface Surroundings {
  readonly cwd: string;
  readonly env: Environment;
  readonly onlyAllowed: boolean;
  readonly toAgent: (line: string | Buffer) => void;
  readonly toClient: (line: string | Buffer) => void;
  /** Remembers where a session begins. */
  readonly begin: (session: SessionName) => Promise<void>;
  /** Takes down what the user's prompt says to us. */
  readonly hear: (session: SessionName, prompt: string) => Promise<void>;
}

/** A session of the agent. */
interface Session {
  readonly cwd: string;
  /** Settled when it is written down where it begins. */
  readonly begun: Promise<void>;
  mode: string | undefined;
}

/** A prompt of the user until the client gets its answer, however often the agent is sent back meanwhile. */
interface Turn {
  readonly clientId: unknown;
  readonly sessionId: string;
  readonly promptId: string;
  /** Under which the agent answers: the client's id, or one of ours. */
  id: unknown;
  since: number;
  blocks: number;
  isCancelled: boolean;
  /** While its gates run. */
  check: AbortController | undefined;
}

/**
 * Between a client and an agent of the Agent Client Protocol. Every line passes as it is, but for the answer to a prompt whose turn ended:
 * it waits until the gates have passed. If they fail, the agent is prompted again under an id of ours, and its next answer is checked.
 */
export class Proxy {
  readonly #around: Surroundings;
  readonly #sessions = new Map<string, Session>();
  /** Requests that open a session, by id. */
  readonly #opening = new Map<string, Message>();
  readonly #turns = new Set<Turn>();
  readonly #checks = new Set<Promise<void>>();
  #initialize: string | undefined;
  #agent: string | undefined;
  #isOver = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** The next line waits for the promise, so that lines keep their order. */
  async fromClient(line: Buffer): Promise<void> {
    const message = readMessage(line);
    const passed = message === undefined ? line : await this.#heardFromClient(message, line);
    if (passed !== undefined) this.#around.toAgent(passed);
  }

  fromAgent(line: Buffer): void {
    const message = readMessage(line);
    if (message !== undefined && isAnswer(message)) {
      this.#learn(message);
      const turn = [...this.#turns].find(({ id }) => idKey(id) === idKey(message["id"]));
      if (turn !== undefined) return this.#follow(this.#ended(turn, message, line));
    } else if (message?.["method"] === "session/update") this.#noteMode(fieldsOf(message, "params"));
    this.#around.toClient(line);
  }

  /** Ends the gates: the client or the agent is gone. Answers that were held back are given as the agent gave them. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const { check } of this.#turns) check?.abort();
    await Promise.all(this.#checks);
  }

  /** What is passed on of a message; undefined for nothing. */
  async #heardFromClient(message: Message, line: Buffer): Promise<string | Buffer | undefined> {
    const params = fieldsOf(message, "params");
    const sessionId = textIn(params, "sessionId");
    switch (message["method"]) {
      case "initialize":
        this.#initialize = idKey(message["id"]);
        return withKnownVersion(message, line);
      case "session/new":
      case "session/load":
      case "session/resume":
      case "session/fork":
        if (isRequest(message)) this.#opening.set(idKey(message["id"]), params);
        return line;
      case "session/set_mode":
        if (sessionId !== undefined) this.#noteMode({ sessionId, update: params });
        return line;
      case "session/prompt":
        if (isRequest(message) && sessionId !== undefined) await this.#startTurn(message, params, sessionId);
        return line;
      case "session/cancel":
        return this.#cancel((turn) => turn.sessionId === sessionId) === "agent-is-idle" ? undefined : line;
      case "session/close":
      case "session/delete":
        this.#cancel((turn) => turn.sessionId === sessionId);
        return line;
      case "$/cancel_request":
        return this.#cancelRequest(message, params, line);
      default:
        return line;
    }
  }

  async #startTurn({ id }: Message, params: Message, sessionId: string): Promise<void> {
    const { cwd, begun } = this.#sessions.get(sessionId) ?? this.#open(sessionId, this.#around.cwd);
    await begun;
    await this.#around.hear({ sessionId, cwd }, typedText(params));
    const fresh = { blocks: 0, isCancelled: false, check: undefined };
    this.#turns.add({ ...fresh, clientId: id, id, sessionId, promptId: randomUUID(), since: now() });
  }

  #open(sessionId: string, cwd: string, mode?: string): Session {
    const session = { cwd, begun: this.#around.begin({ sessionId, cwd }), mode };
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** From the answers to requests that open a session, and to the first of all. */
  #learn(message: Message): void {
    const key = idKey(message["id"]);
    const result = fieldsOf(message, "result");
    if (key === this.#initialize) this.#agent = agentIn(result) ?? this.#agent;
    const asked = this.#opening.get(key);
    this.#opening.delete(key);
    if (asked === undefined || message["result"] === undefined) return;
    const sessionId = textIn(result, "sessionId") ?? textIn(asked, "sessionId");
    const cwd = textIn(asked, "cwd") ?? this.#around.cwd;
    if (sessionId !== undefined) this.#open(sessionId, cwd, modeIn(result));
  }

  #noteMode(params: Message): void {
    const session = this.#sessions.get(textIn(params, "sessionId") ?? "");
    const { update } = params;
    const mode = modeIn((update ?? {}) as Message); // read field by field
    if (session !== undefined && mode !== undefined) session.mode = mode;
  }

  #cancel(isMeant: (turn: Turn) => boolean): "agent-works" | "agent-is-idle" {
    const turns = [...this.#turns].filter(isMeant);
    for (const turn of turns) {
      turn.isCancelled = true;
      turn.check?.abort();
    }
    const isIdle = turns.length > 0 && turns.every(({ check }) => check !== undefined);
    return isIdle ? "agent-is-idle" : "agent-works";
  }

  /** The agent knows the request by the id under which it was sent last. */
  #cancelRequest(message: Message, params: Message, line: Buffer): string | Buffer | undefined {
    const isMeant = ({ clientId }: Turn): boolean => idKey(clientId) === idKey(params["requestId"]);
    const turn = [...this.#turns].find(isMeant);
    if (turn === undefined) return line;
    if (this.#cancel(isMeant) === "agent-is-idle") return undefined;
    return turn.id === turn.clientId
      ? line
      : lineOf({ ...message, params: { ...params, requestId: turn.id } });
  }

  #follow(work: Promise<void>): void {
    this.#checks.add(work);
    void work.finally(() => this.#checks.delete(work));
  }

  /** The agent has answered a prompt: the user's, or one of ours. */
  async #ended(turn: Turn, message: Message, line: Buffer): Promise<void> {
    const result = fieldsOf(message, "result");
    const isEnd = result["stopReason"] === "end_turn" && !turn.isCancelled && !this.#isOver;
    const feedback = isEnd ? await this.#check(turn) : undefined;
    if (feedback !== undefined && !turn.isCancelled && !this.#isOver) return this.#sendBack(turn, feedback);
    this.#turns.delete(turn);
    if (isEnd && turn.isCancelled)
      this.#around.toClient(
        lineOf({ ...message, id: turn.clientId, result: { ...result, stopReason: "cancelled" } }),
      );
    else this.#around.toClient(turn.id === turn.clientId ? line : lineOf({ ...message, id: turn.clientId }));
  }

  #sendBack(turn: Turn, feedback: string): void {
    const { sessionId } = turn;
    turn.id = `agent-gauntlet-${randomUUID()}`;
    turn.blocks += 1;
    turn.since = now();
    const prompt = [{ type: "text", text: `<agent-gauntlet>\n${feedback}\n</agent-gauntlet>` }];
    this.#around.toAgent(
      lineOf({ jsonrpc: "2.0", id: turn.id, method: "session/prompt", params: { sessionId, prompt } }),
    );
  }

  /** What the agent must fix before it may stop; undefined if it may. The client is shown what happens. */
  async #check(turn: Turn): Promise<string | undefined> {
    const { sessionId } = turn;
    const session = this.#sessions.get(sessionId);
    const toolCallId = `agent-gauntlet-${randomUUID()}`;
    const check = new AbortController();
    turn.check = check;
    let isShown = false;
    const onGates = (names: readonly string[]): void => {
      if (isShown || names.length === 0) return;
      isShown = true;
      const title = `agent-gauntlet: checking ${names.join(", ")}`;
      const call = { toolCallId, title, kind: "execute", status: "in_progress" };
      this.#show(sessionId, { sessionUpdate: "tool_call", ...call });
    };
    const { env, onlyAllowed } = this.#around;
    const { cwd = this.#around.cwd, mode } = session ?? {};
    const ended = { ...turn, cwd, mode, agent: this.#agent };
    const verdict = await checkTurn(ended, { env, onlyAllowed, signal: check.signal, onGates }).catch(
      crashed,
    );
    turn.check = undefined;
    if (verdict === undefined) return undefined;
    const text = withOwnCommand(verdict.feedback ?? verdict.message);
    const isPassed = verdict.decision === "allow" && !check.signal.aborted;
    const outcome = {
      status: isPassed ? "completed" : "failed",
      content: [{ type: "content", content: { type: "text", text } }],
    };
    if (isShown) this.#show(sessionId, { sessionUpdate: "tool_call_update", toolCallId, ...outcome });
    if (!check.signal.aborted) this.#say(sessionId, verdict);
    return verdict.decision === "block" ? text : undefined;
  }

  #say(sessionId: string, { decision, message, notice }: Verdict): void {
    const goesOn = decision === "block" ? `${message} The agent goes on.` : undefined;
    const lines = [goesOn, notice].filter((line) => line !== undefined);
    if (lines.length === 0) return;
    const text = `\n\n${withOwnCommand(lines.join("\n")).replaceAll("\n", "\n\n")}\n\n`;
    this.#show(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #show(sessionId: string, update: Message): void {
    this.#around.toClient(
      lineOf({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } }),
    );
  }
}

/** A bug of ours must not hold the turn; the user learns that it was not checked. */
function crashed(error: unknown): Verdict {
  const message = `agent-gauntlet: internal error: ${error instanceof Error ? error.message : String(error)}`;
  return { decision: "allow", status: "error", message, notice: `${message}. This stop was not checked.` };
}

/** In version 2, a draft, turns end otherwise. Who speaks it speaks version 1 as well. */
const KNOWN_VERSION = 1;

function withKnownVersion(message: Message, line: Buffer): string | Buffer {
  const params = fieldsOf(message, "params");
  if (!(Number(params["protocolVersion"]) > KNOWN_VERSION)) return line;
  return lineOf({ ...message, params: { ...params, protocolVersion: KNOWN_VERSION } });
}

function agentIn(result: Message): string | undefined {
  const { name, version } = (result["agentInfo"] ?? {}) as Message; // read field by field
  return typeof name === "string"
    ? [name, version].filter((part) => typeof part === "string").join(" ")
    : undefined;
}
