import { listSessionRecords } from "../../machine/state/sessions.ts";
import { explainJson } from "../../report/host-json.ts";
import { explainStop } from "../../report/explain-stop.ts";
import { errorJson } from "../../report/json.ts";
import { EXIT } from "../exit-code.ts";
import { isHere } from "../is-here.ts";
import { printLine, type Terminal } from "../output/terminal.ts";
import { counted } from "../../report/plain-lines.ts";

export interface ExplainOptions {
  /** 1, and the flag alone, is the session that stopped last, 2 the one before it. */
  readonly last?: number | true;
  readonly json?: boolean;
  /** Wherever the stop was, not only in this project. */
  readonly anywhere?: boolean;
}

/** Shows why the last stop of a session here was blocked, allowed or deferred. */
export async function explainCommand(
  terminal: Terminal,
  { json, anywhere, last = true }: ExplainOptions,
): Promise<number> {
  const records = listSessionRecords(terminal.env)
    .flatMap(({ lastStop }) => lastStop ?? [])
    .filter((one) => anywhere || isHere(one, terminal.cwd));
  const record = records[last === true ? 0 : last - 1];
  if (record === undefined) {
    const message = whyNone(records.length, anywhere);
    if (json) printLine(terminal.stdout, errorJson("explain", "error", message));
    printLine(terminal.stderr, message);
    return EXIT.notOk;
  }
  if (json) printLine(terminal.stdout, explainJson(record));
  else terminal.stdout.write(explainStop(record));
  return EXIT.ok;
}

function whyNone(sessions: number, anywhere: boolean | undefined): string {
  const where = anywhere ? "" : " in this project";
  if (sessions > 0)
    return `Only ${counted(sessions, "session")}${where} ${sessions === 1 ? "has" : "have"} a recorded stop: \`--last ${sessions}\` is the oldest.`;
  return `No stop${where} has been recorded. \`agent-gauntlet doctor\` shows whether the hook is registered.`;
}
