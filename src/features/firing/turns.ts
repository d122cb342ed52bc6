import { isRecord, parseJson } from "../../json.ts";

/** A prompt that the agent answered to its end. */
export interface EndedTurn {
  readonly promptId: string | undefined;
  readonly endedAt: number;
  /** The stop hooks that the agent's program says it started, by their commands. */
  readonly hooks: readonly string[];
}

/**
 * The turns of a transcript that ended by themselves after a moment: neither interrupted by the user, nor by an error of the API, nor
 * still going on. As Claude Code (2.1.326, 2026-11-19) writes it.
 */
export function endedTurns(transcript: string, since: number): readonly EndedTurn[] {
  const turns: Turn[] = [];
  for (const line of transcript.split("\n")) {
    if (!/"type":"(?:user|assistant|system)"/.test(line)) continue;
    const entry = parseJson(line);
    if (isRecord(entry) && entry["isSidechain"] !== true) take(entry, turns);
  }
  return turns.flatMap(({ promptId, endedAt, hooks }) =>
    endedAt !== undefined && endedAt > since ? [{ promptId, endedAt, hooks }] : [],
  );
}

interface Turn {
  readonly promptId: string | undefined;
  endedAt: number | undefined;
  hooks: readonly string[];
}

type Entry = Readonly<Record<string, unknown>>;

function take(entry: Entry, turns: Turn[]): void {
  const turn = turns.at(-1);
  if (entry["type"] === "system") {
    if (turn !== undefined && entry["subtype"] === "stop_hook_summary") turn.hooks = commandsIn(entry);
    return;
  }
  if (entry["type"] === "assistant") {
    if (turn !== undefined)
      turn.endedAt = hasEnded(entry) ? Date.parse(String(entry["timestamp"])) : undefined;
    return;
  }
  const text = entry["isMeta"] === true ? undefined : textOf(entry);
  if (text === undefined) return;
  if (!text.startsWith("[Request interrupted by user")) {
    const promptId = typeof entry["promptId"] === "string" ? entry["promptId"] : undefined;
    turns.push({ promptId, endedAt: undefined, hooks: [] });
  } else if (turn !== undefined) turn.endedAt = undefined;
}

function hasEnded({ message, isApiErrorMessage }: Entry): boolean {
  return isApiErrorMessage !== true && isRecord(message) && message["stop_reason"] === "end_turn";
}

/** What the user typed; undefined for the results of tools. */
function textOf({ message }: Entry): string | undefined {
  const content = isRecord(message) ? message["content"] : undefined;
  if (typeof content === "string") return content;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isRecord(first) && typeof first["text"] === "string" ? first["text"] : undefined;
}

function commandsIn({ hookInfos }: Entry): readonly string[] {
  const infos: readonly unknown[] = Array.isArray(hookInfos) ? hookInfos : [];
  return infos.flatMap((info) =>
    isRecord(info) && typeof info["command"] === "string" ? [info["command"]] : [],
  );
}
